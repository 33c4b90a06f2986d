"""Slips of a tired user: each ends with one line that says what to do, and nothing is
sent.
"""

import os
from pathlib import Path

import pytest
from front_door import Unified
from server import Reply, Service

CALLS = "unified voice calls list"
EXPORT = "unified knowledge-base page-exports get"
GET = "unified ticketing tickets get"
TAGS = '"ticketing tags" or "ats tags" or "knowledge-base tags"'


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (
            "--limit 2 voice calls list",
            "unified: no such option: --limit (put it after the operation)",
        ),
        (
            "voice calls list --as wget",
            f"{CALLS}: invalid value for '--as': 'wget' is not one of 'curl' ({CALLS} --help)",
        ),
        (
            "voice calls list --columns",
            (
                "--columns needs a value (--columns A,B.C: only these fields, such as"
                " id,status.name,tags[0].name)"
            ),
        ),
        ("voice calls list -o", "-o needs a value (-o FORMAT: the output format)"),
        ("voice calls list --all=yes", "--all takes no value (read all pages, not one)"),
        ("knowledge-base page-exports get", f"{EXPORT}: the ID is missing ({EXPORT} --help)"),
        (
            "tags list",
            f'unified: no API or command named "tags" (did you mean {TAGS}?)',
        ),
        (
            "ticketing tickets get 1 2",
            f"{GET}: unexpected argument \"2\" (for several records: printf '%s\\n' 1 2 | {GET} -)",
        ),
        (
            "voice calls list a==b=c",
            f"{CALLS}: unexpected argument \"a==b=c\" (-q 'a=b=c' is a query parameter)",
        ),
        (
            "ticketing tickets create n:=3",
            (
                "unified ticketing tickets create: unexpected argument \"n:=3\" (-F 'n=3' sets a"
                " field)"
            ),
        ),
        (
            "profile copy a b",
            (
                'unified profile: no command named "copy" (unified profile add NAME, with the'
                " settings that unified profile show prints)"
            ),
        ),
        ("voice calls list a\x1b b", f'{CALLS}: unexpected argument "a\\x1b" (leave it out)'),
        ("-a x doctor", "this command does not take --account-id"),
        (
            "request POST /unified/ticketing/tickets --all",
            (
                "a POST has no pages (leave out --all and --limit, which only work with GET and"
                " POST …/search)"
            ),
        ),
        (
            "request get /x --wait",
            "unified request: no such option: --wait (unified request --help)",
        ),
        (
            "request GET 'http://['",
            (
                "give only the path, like /unified/ticketing/tickets (the base URL comes"
                " from the profile)"
            ),
        ),
        ("voice calls list --out ''", "--out is empty (leave it out to print to standard output)"),
        (
            "ticketing tickets create --token-stdin -d -",
            "-d - and --token-stdin both read standard input (put one of them into a file)",
        ),
    ],
)
def test_a_slip_sends_nothing(command: str, said: str, unified: Unified, service: Service) -> None:
    result = unified(command, environ=service.environ, stdin=b"{}")
    assert (result.stdout, result.stderr, result.code) == ("", f"error: {said}\n", 2)
    assert service.seen == []


def test_a_page_size_is_sent_to_any_path(unified: Unified, service: Service) -> None:
    assert (
        unified("request GET /unified/voice/calls --page-size 7", environ=service.environ).code == 0
    )
    assert service.seen[0].query == [("integrated_account_id", "acct-1"), ("limit", "7")]


def test_a_delete_by_path_asks_on_a_terminal_as_any_other(
    unified: Unified, service: Service
) -> None:
    command = "request DELETE /unified/ticketing/tickets/1"
    refused = unified(command, environ=service.environ, stdin=b"n\n", tty=True)
    assert (refused.code, service.seen) == (2, [])
    assert (
        refused.stderr
        == "delete /unified/ticketing/tickets/1 in account acct-1? [y/N] error: not deleted\n"
    )
    assert unified(f"{command} --yes", environ=service.environ, tty=True).code == 0
    assert [seen.method for seen in service.seen] == ["DELETE"]


@pytest.mark.parametrize("out", [".", "/", ".."])
def test_a_list_cannot_be_written_to_a_folder(out: str, unified: Unified, service: Service) -> None:
    result = unified(f"voice calls list --all --out {out}", environ=service.environ)
    assert (result.stderr, result.code) == (f"error: {out} is a folder; name a file in it\n", 2)
    assert service.seen == []


@pytest.mark.parametrize("report", ["people.ndjson", "precious.txt"])
def test_a_report_replaces_nothing_but_a_report(
    report: str, unified: Unified, tmp_path: Path
) -> None:
    (tmp_path / "people.ndjson").write_text('{"name":"Ada"}\n')
    (tmp_path / "precious.txt").write_text("precious")
    before = (tmp_path / report).read_text()
    command = f"-p sandbox import ticketing/contacts {tmp_path}/people.ndjson --report {tmp_path}"

    refused = unified(f"{command}/{report}")
    assert (refused.code, (tmp_path / report).read_text()) == (11, before)
    assert (
        refused.stderr == f"error: {tmp_path}/{report} exists and is not a report of an import"
        " (name another file)\n"
    )

    assert [unified(f"{command}/told.ndjson").code for _ in range(2)] == [0, 0]
    assert (tmp_path / "told.ndjson").read_text().startswith('{"line":1,"outcome":"done"')


def test_a_named_pipe_is_not_imported_by_name(unified: Unified, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    result = unified(f"-p sandbox import ticketing/contacts {tmp_path}/pipe")
    said = f"error: {tmp_path}/pipe is not a regular file (to read a pipe, give - as the file)\n"
    assert (result.stderr, result.code) == (said, 2)


def test_an_export_tells_its_own_way_to_replace_a_file(unified: Unified, tmp_path: Path) -> None:
    stranger = tmp_path / "dump" / "sandbox" / "voice" / "calls.ndjson"
    stranger.parent.mkdir(parents=True)
    stranger.write_text("precious")
    result = unified(f"-p sandbox export voice/calls --to {tmp_path}/dump")
    assert (result.code, stranger.read_text()) == (11, "precious")
    assert f"{stranger} exists (--restart replaces it)" in result.stderr


def test_the_last_failure_is_reported_when_no_attempt_is_left(
    unified: Unified, service: Service
) -> None:
    service.reply = lambda _: Reply(429, b"{}")
    result = unified("voice calls list --timeout 8 --retries 9 --quiet", environ=service.environ)
    assert result.code == 8
    assert result.stderr.startswith("error: the service answered 429 to GET /unified/voice/calls")
