"""Tables of what the program knows: within the terminal, each column under its head,
and nothing cut.
"""

import pytest
from front_door import Unified

from unified_cli.masking import masked
from unified_cli.output import screen
from unified_cli.runtime import Runtime
from unified_cli.stderr import Stderr

STATUS = """\
ACCOUNT ID      CHANGED RECORDS  ABOUT
full            0                Everything works and every resource has
                                 records.
empty           0                There are no records yet; you can create some.
read-only       0                Reads work; every write is answered with 405.
blocked         0                The account is blocked: every request is
                                 answered with 503.
needs-reauth    0                The provider refuses the stored credentials:
                                 401 until the end user reconnects.
missing-scopes  0                Reads work; writes are answered with 403 and
                                 the scopes that are missing.
rate-limited    0                More than 5 requests in 2 seconds are answered
                                 with 429 and Retry-After.
dead-provider   0                The provider does not answer: every request
                                 ends with 502.
slow            0                Every answer takes a second.
tiny-pages      0                A page never holds more than 3 records,
                                 whatever the limit.
partial         0                Lists are partial and give reduced records; get
                                 returns the complete record.
help-desk       0                The product is a help desk: it has the
                                 ticketing API only.
directory       0                The product is a directory of people: it has
                                 the user-directory API only.
sales           0                The product is a CRM: it has the crm API and a
                                 search of tickets, which the catalogue lacks,
                                 and tickets.
remapped        0                It has a custom field mapping: references are
                                 plain ids, and there is a field mapped_by.
untimed         0                Its field mapping leaves out created_at and
                                 updated_at.
limited         0                The provider lacks some resources, such as
                                 attachments, tags and comments.
"""
SEARCH = """\
COMMAND                       SUMMARY
user-directory users suspend  Suspend a user's access temporarily
"""


@pytest.mark.parametrize(
    ("command", "expected"), [("sandbox status", STATUS), ("operations suspend", SEARCH)]
)
def test_a_table_wider_than_the_terminal_wraps_in_its_columns(
    command: str, expected: str, unified: Unified
) -> None:
    assert unified(command, tty=True, columns=80, environ={"NO_COLOR": "1"}).stdout == expected


def test_the_operations_fit_a_terminal_and_a_wide_one_shows_their_paths(unified: Unified) -> None:
    plain = {"NO_COLOR": "1"}
    assert (
        max(
            map(len, unified("operations", tty=True, columns=80, environ=plain).stdout.splitlines())
        )
        <= 80
    )
    assert unified("operations suspend", tty=True, columns=120).stdout.count("/unified/") == 1
    assert unified("operations suspend -o tsv", tty=True, columns=80).stdout.count("/unified/") == 1


def test_off_a_terminal_a_table_is_as_wide_as_it_is(unified: Unified) -> None:
    assert unified("operations suspend -o table").stdout == (
        "COMMAND                       METHOD  PATH                                   SUMMARY\n"
        "user-directory users suspend  POST    /unified/user-directory/users/suspend"
        "  Suspend a user's access temporarily\n"
    )


def table(width: int, *rows: tuple[str, str]) -> str:
    runtime = Runtime(
        stdin=None,
        stdout=None,
        stderr=Stderr(None),
        environ={"TERM": "xterm"},
        stdout_is_terminal=True,
        columns=width,
    )
    return screen.table(
        runtime, ["id", "what is said"], [[masked(cell) for cell in row] for row in rows]
    )


def test_wide_characters_count_for_two_and_each_line_of_the_heads_is_bold() -> None:
    assert table(14, ("漢字", "漢字 かな 交じ"), ("a", "")) == (
        "\x1b[1mID  \x1b[0m  \x1b[1mWHAT IS\x1b[0m\n"
        "      \x1b[1mSAID\x1b[0m\n"
        "漢字  漢字 か\n"
        "      な 交じ\n"
        "a\n"
    )  # fmt: skip


def test_cells_get_separate_lines_if_words_do_not_fit_side_by_side() -> None:
    assert table(34, ("an-id-in-one-piece", "KEY=a-very-long/value of it"), ("b", "")) == (
        "\x1b[1mID            \x1b[0man-id-in-one-piece\n"
        "\x1b[1mWHAT IS SAID  \x1b[0mKEY=a-very-long/value\n"
        "              of it\n"
        "\n"
        "\x1b[1mID            \x1b[0mb\n"
    )


def test_a_word_stays_whole_though_no_terminal_is_that_narrow() -> None:
    assert table(1, ("an-id-in-one-piece", "two blanks")) == (
        "\x1b[1mID            \x1b[0man-id-in-one-piece\n"
        "\x1b[1mWHAT IS SAID  \x1b[0mtwo blanks\n"
    )  # fmt: skip
