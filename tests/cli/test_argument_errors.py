"""Lines with a word too many or a value of another kind: what to type instead."""

from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified

from unified_cli.sandbox.pytest_plugin import UnifiedSandbox

Config = Callable[[str], Path]
UPDATE = "unified -p acme ticketing tickets update"


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("plan A B --from x --to y", "one at a time: unified plan B …"),
        (
            "diff old.ndjson new.ndjson",
            "unified diff API/RESOURCE --from old.ndjson --to new.ndjson",
        ),
        ("diff acme globex", "unified diff API/RESOURCE --from acme --to globex"),
        ("diff ticketing/tickets acme", "--from acme --to PROFILE names the two sides"),
        ("-p acme ticketing tickets update t-1 --field name Foo", "--field name=Foo"),
        ("-p acme ticketing tickets update t-1 -f name 'F o'", "-f 'name=F o'"),
        ("-p acme ticketing tickets update name=Foo t-1", f"{UPDATE} t-1 -f name=Foo"),
        (
            "request ticketing tickets list",
            "unified request GET /PATH, or without request: unified ticketing tickets list",
        ),
        ("ticketing tickets list help", "unified ticketing tickets list --help"),
        ("ticketing tickets help", "unified ticketing tickets --help"),
        ("ticketing help", "unified ticketing --help"),
        ("runs list --all", "leave it out: list shows all"),
        ("sandbox reset --all", "unified sandbox reset --help"),
        ("apply -", "unified plan … > FILE"),
        ("runs show latest", 'did you mean "last"?'),
        ("profile set acme rate 10", "rate=10"),
        ("profile set acme rate=10 retries 3", "retries=3"),
        ("profile set acme rate", "rate=VALUE"),
        ("profile set acme foo", "unified profile set --help"),
        ("help 14", "unified help exit-codes"),
        ("sql SELECT 1", "a statement needs quotes in a shell: unified sql 'SELECT 1'"),
        ("sql Q --where a=b", "WHERE in the statement"),
        ("sql Q --limit 10", "LIMIT in the statement"),
        ("sql Q --sort name", "ORDER BY in the statement"),
        ("sql Q --fields id", "the statement names the columns"),
        ("sql Q --all", "leave it out: all pages are read"),
        ("sql -c 'SELECT 1'", "unified sql 'SELECT 1'"),
        ("-p sql ticketing tickets list --where status=open", "-q status=open filters"),
        ("report --to x.pdf", "--to x.html; a browser prints it as PDF"),
        ("report --to 'x y.pdf'", "--to 'x y.html'; a browser prints it as PDF"),
        (
            "suspend user-1",
            "the operation comes last: unified user-directory users suspend user-1",
        ),
        (
            "profile show acme globex",
            "one at a time: unified profile show globex; unified profile list shows several",
        ),
    ],
)
def test_the_answer_is_what_to_type(
    unified: Unified, config: Config, line: str, answer: str
) -> None:
    config("[profiles.acme]\naccount_id = '1'\n[profiles.globex]\naccount_id = '2'\n")
    result = unified(line)
    assert result.code == 2
    assert result.stderr.endswith(f" ({answer})\n"), result.stderr


def test_a_profile_that_is_not_there_is_in_no_configuration_of_a_client(unified: Unified) -> None:
    result = unified("mcp config -p nosuch")
    assert (result.code, result.stdout) == (3, "")
    assert result.stderr.startswith('error: no profile named "nosuch"')


def test_a_slip_in_the_words_of_a_search_is_named(unified: Unified) -> None:
    result = unified("operations supsend user")
    assert (result.code, result.stderr) == (
        0,
        "no operation has these words: supsend user (unified operations suspend user)\n",
    )
    assert unified("operations zzzz").stderr == "no operation has these words: zzzz\n"


def test_an_assignment_in_an_expectation_is_named(unified: Unified) -> None:
    result = unified(
        ["-p", "sandbox", "ticketing", "tickets", "get", "tickets-1", "--expect", '.id = "x"']
    )
    assert result.code == 14
    assert result.stderr.endswith(" (== compares)\n")
    other = unified(
        ["-p", "sandbox", "ticketing", "tickets", "get", "tickets-1", "--expect", '.id == "x"']
    )
    assert "compares" not in other.stderr


@pytest.mark.parametrize("more", ["", "--all", "--limit 2"])
def test_a_program_for_a_record_says_what_its_input_is(more: str, unified: Unified) -> None:
    result = unified(f"-p sandbox ticketing tickets list --jq .name {more}")
    assert (result.code, result.stdout) == (0, "null\n")
    assert result.stderr.startswith(
        "--jq gives null: its input is the whole page, and .result[] gives the records\n"
    )


@pytest.mark.parametrize("more", ["", "--all", "--limit 2", "--all --jq 'empty'"])
def test_a_program_for_a_record_that_yields_nothing_says_it_too(
    more: str, unified: Unified
) -> None:
    said = "--jq gives nothing: its input is the whole page, and .result[] gives the records\n"
    result = unified(f"""-p sandbox ticketing tickets list --jq 'select(.name == "x")' {more}""")
    assert (result.code, result.stdout) == (0, "")
    assert result.stderr.startswith(said)
    chosen = unified(f"-p sandbox ticketing tickets list {more} --jq '.result[] | select(.nope)'")
    record = unified("-p sandbox ticketing tickets get tickets-1 --jq 'select(.nope)'")
    assert said not in chosen.stderr + record.stderr


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("tickets list --state closed", "-q 'status=closed'"),
        ("tickets list --tag x", "-q 'tags=x'"),
        ("tickets list --statuses closed", "-q 'status=closed'"),
        ("tickets list --team-id t1", "-q 'team_id=t1'"),
        ("tickets list --created-at 2026-01-01", "-q 'created_at=2026-01-01'"),
        ("tickets list --nothing-like-it x", "-q 'nothing_like_it=x'"),
    ],
)
def test_the_parameter_to_type_is_a_known_one(typed: str, said: str, unified: Unified) -> None:
    result = unified(f"-p sandbox ticketing {typed}")
    assert (result.code, f"{said} is a query parameter" in result.stderr) == (2, True)
    if "nothing" not in typed:
        again = unified(f"-p sandbox ticketing tickets list {said} --limit 1")
        assert "not a known parameter" not in again.stderr


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("ticketing tickets create -f name=x -f tags=t-1", "-F 'tags[][id]=t-1' sends an array"),
        ("ticketing tickets create -f name=x -f team=", None),
        ("ticketing contacts create -f name=x -f emails=a@b", "-F 'emails[]=a@b' sends an array"),
    ],
)
def test_a_text_for_a_list_is_answered_with_its_form(
    typed: str, said: str | None, unified: Unified
) -> None:
    result = unified(f"-p sandbox {typed}")
    assert said is None or f"({said})" in result.stderr, result.stderr


def test_the_default_table_of_other_programs_is_explained(unified: Unified, config: Config) -> None:
    path = config("[default]\nbase_url = 'https://api.example.com'\n")
    result = unified("profile list")
    assert (result.code, result.stderr) == (
        3,
        (
            f"error: {path}: [default] is not a table of this file (write its keys at the top,"
            " before any table; [profiles.NAME] is a profile)\n"
        ),
    )


def test_an_address_without_its_s_is_named(unified: Unified, config: Config) -> None:
    config(
        'base_url = "https://localhost:8443"\ntoken_command = ["printf", "t-0123456789"]\n'
        '[profiles.acme]\naccount_id = "1"\n'
    )
    result = unified("-p acme ticketing tickets list --base-url http://localhost:8443")
    assert result.stderr.endswith(" (the address must begin with https://)\n"), result.stderr


def test_a_table_of_profiles_may_be_as_other_programs_write_it(
    unified: Unified, config: Config
) -> None:
    config("")
    result = unified("profile import -", stdin=b"name;id;tags\nbeta;7;x,y\n")
    assert (result.code, unified("profile list").stdout) == (
        0,
        "beta\t\t7\tx,y\t\tno base URL, no token\n",
    )


def test_faults_in_several_arguments_are_refused(unified_sandbox: UnifiedSandbox) -> None:
    with pytest.raises(TypeError, match="such as '500=1,429=2'"):
        unified_sandbox.faults("500=1", "429=2")  # type: ignore[arg-type]


def test_an_odd_token_in_the_environment_has_a_step(unified: Unified) -> None:
    environ = {
        "UNIFIED_TOKEN": "tok a",
        "UNIFIED_BASE_URL": "https://api.example.com",
        "UNIFIED_ACCOUNT_ID": "1",
    }
    result = unified("ticketing tickets list", environ=environ)
    assert (
        result.code,
        result.stderr.endswith(" (copy the token again, without anything around it)\n"),
    ) == (
        3,
        True,
    )
