"""Parameters that a list is not known to take: named in one line, and with --strict
nothing is sent.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified
from server import Reply, Service

LIST = "ticketing tickets list"
PAGE = Reply(200, b'{"result":[{"id":"1"}],"next_cursor":null}')
IGNORED = "the provider may ignore it"
DOUBTS = [
    (LIST, "staus=Open", f'"staus" is not a known parameter of {LIST}', 'did you mean "status"?'),
    (
        LIST,
        "sort_by[nope]=asc",
        f'"nope" is not a known sort key of {LIST}',
        f"unified help {LIST} lists them",
    ),
    (
        LIST,
        "sort_by[creatd_at]=asc",
        f'"creatd_at" is not a known sort key of {LIST}',
        'did you mean "sort_by[created_at]"?',
    ),
    (
        LIST,
        "created_at[gt]=yesterday",
        "created_at takes a date such as 2026-01-31, not 'yesterday'",
        "",
    ),
    (LIST, "created_at=2025", "created_at takes a date such as 2026-01-31, not '2025'", ""),
    (
        LIST,
        "created_at[gtt]=2026-01-31",
        '"gtt" is not a known operator of created_at',
        'did you mean "created_at[gt]"?',
    ),
    (
        LIST,
        "created_at[between]=2026-01-31",
        '"between" is not a known operator of created_at',
        f"unified help {LIST} lists them",
    ),
    # All filters of this list are known.
    (
        "ticketing collections list",
        "wholly=other",
        '"wholly" is not a known parameter of ticketing collections list',
        "unified help ticketing collections list lists them",
    ),
]


@pytest.mark.parametrize(("command", "query", "reason", "hint"), DOUBTS)
def test_a_doubtful_parameter_is_named_in_one_line(
    command: str, query: str, reason: str, hint: str, unified: Unified, service: Service
) -> None:
    service.reply = lambda _: PAGE
    result = unified(f"{command} -q '{query}' -o ids", environ=service.environ)
    said = f"{reason}: {IGNORED}" + (f" ({hint})" if hint else "")
    assert (result.stdout, result.stderr, result.code) == ("1\n", f"{said}\n", 0)
    assert len(service.seen) == 1


@pytest.mark.parametrize(("command", "query", "reason", "hint"), DOUBTS)
def test_nothing_is_sent_where_it_is_strict(
    command: str, query: str, reason: str, hint: str, unified: Unified, service: Service
) -> None:
    result = unified(f"{command} -q '{query}' --strict", environ=service.environ)
    assert (result.stderr, result.code) == (
        f"error: {reason}" + (f" ({hint})" if hint else "") + "\n",
        2,
    )
    assert service.seen == []


@pytest.mark.parametrize(
    "query",
    [
        "status=Open",
        "status[id]=1",
        "assignees[]=users-1",
        "sort_by[name]=desc",
        "created_at[gt]=2026-01-31T08:00:00Z",
        "created_at[gte]=2026-01-31",
        "created_at[in]=2026-01-31,2026-02-01",
        "updated_at[lt]=1767225600",
        "remote_query[staus]=Open",
        "truto_exclude_fields[]=id",
        "and[0][status]=Open",
        "limit=3",
        "cursor_of_a_provider=1",
    ],
)
def test_a_plausible_parameter_is_sent_without_a_warning(
    query: str, unified: Unified, service: Service
) -> None:
    service.reply = lambda _: PAGE
    result = unified(f"{LIST} -q '{query}' -o ids --strict", environ=service.environ)
    assert (result.stdout, result.stderr, result.code) == ("1\n", "", 0)


def test_parameters_that_a_connection_described_are_known(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    folders = {name: tmp_path / name for name in ("config", "data", "cache")}
    schema = {"type": "object", "properties": {"colour": {"type": "string"}}}
    service.reply = lambda _: Reply(
        body=json.dumps({"method": "list", "query_schema": schema}).encode()
    )
    assert unified(f"{LIST} --describe", environ=service.environ, folders=folders).code == 0
    service.reply = lambda _: PAGE
    known = unified(f"{LIST} -q colour=red -o ids", environ=service.environ, folders=folders)
    assert (known.stdout, known.stderr) == ("1\n", "")
    unknown = unified(f"{LIST} -q colr=red -o ids", environ=service.environ, folders=folders)
    assert (
        unknown.stderr
        == f'"colr" is not a known parameter of {LIST}: {IGNORED} (did you mean "colour"?)\n'
    )
    # The connection named all that it takes.
    other = unified(f"{LIST} -q size=9 -o ids", environ=service.environ, folders=folders)
    assert other.stderr == f'"size" is not a known parameter of {LIST}: {IGNORED}\n'


def test_a_pipe_whose_list_is_strict_sends_nothing(unified: Unified, service: Service) -> None:
    """The worst one: a filter that is misspelt gives all records, and each of them is
    written to.
    """
    service.reply = lambda _: PAGE
    loose = unified(f"{LIST} -q staus=Open -o ids", environ=service.environ)
    assert (loose.stdout, loose.stderr.count("\n"), loose.code) == ("1\n", 1, 0)
    strict = unified(f"{LIST} -q staus=Open -o ids --strict", environ=service.environ)
    assert (strict.stdout, strict.code, len(service.seen)) == ("", 2, 1)
    unified("ticketing tickets update - -f name=x", environ=service.environ, stdin=strict.raw)
    assert len(service.seen) == 1


EXPORTS = [
    ("ticketing/tickets", "staus=Open", DOUBTS[0][2], DOUBTS[0][3]),
    (
        "ticketing/t*",
        "staus=Open",
        '"staus" is not a known parameter of ticketing',
        'did you mean "status"?',
    ),
    ("ticketing", "created_at[gt]=yesterday", DOUBTS[3][2], ""),
]


@pytest.mark.parametrize("more", ["", "--tasks", "--dry-run"])
@pytest.mark.parametrize(("what", "query", "reason", "hint"), EXPORTS)
def test_an_export_names_it_once_whatever_it_reads(
    what: str, query: str, reason: str, hint: str, more: str, unified: Unified, tmp_path: Path
) -> None:
    result = unified(f"-p sandbox export {what} --to {tmp_path}/dump -q '{query}' {more}")
    said, *others = result.stderr.splitlines()
    assert (result.code, said.startswith(reason), f": {IGNORED}" in said, hint in said) == (
        0,
        True,
        True,
        True,
    )
    assert (", nor of " in said) is (what == "ticketing/t*")
    assert not any("staus" in line or "yesterday" in line for line in others)


@pytest.mark.parametrize("more", ["", "--tasks", "--dry-run"])
@pytest.mark.parametrize(("what", "query", "reason", "hint"), EXPORTS)
def test_a_strict_export_reads_nothing(
    what: str,
    query: str,
    reason: str,
    hint: str,
    more: str,
    unified: Unified,
    service: Service,
    tmp_path: Path,
) -> None:
    result = unified(
        f"export {what} --to {tmp_path}/dump -q '{query}' --strict {more}", environ=service.environ
    )
    assert (result.stdout, result.code, service.seen, (tmp_path / "dump").exists()) == (
        "",
        2,
        [],
        False,
    )
    assert result.stderr.startswith(f"error: {reason}")
    assert result.stderr.endswith(f"({hint})\n" if hint else "\n")


def test_an_export_knows_what_its_connection_described(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    folders = {name: tmp_path / name for name in ("config", "data", "cache")}
    schema = {"type": "object", "properties": {"statu": {"type": "string"}}}
    service.reply = lambda _: Reply(
        body=json.dumps({"method": "list", "query_schema": schema}).encode()
    )
    assert unified(f"{LIST} --describe", environ=service.environ, folders=folders).code == 0
    service.reply = lambda _: PAGE
    export = f"export ticketing/tickets --to {tmp_path}/dump -q statu=1 --strict"
    assert unified(export, environ=service.environ, folders=folders).code == 0


@pytest.mark.parametrize(("command", "query", "reason", "hint"), DOUBTS)
def test_a_request_to_a_list_warns_too(
    command: str, query: str, reason: str, hint: str, unified: Unified, service: Service
) -> None:
    service.reply = lambda _: PAGE
    path = "/unified/" + "/".join(command.split()[:2])
    result = unified(f"request GET {path} -q '{query}'", environ=service.environ)
    said = f"{reason}: {IGNORED}" + (f" ({hint})" if hint else "")
    assert (result.stderr, result.code, len(service.seen)) == (f"{said}\n", 0, 1)
    strict = unified(f"request GET {path} -q '{query}' --strict", environ=service.environ)
    assert (strict.code, strict.stderr.startswith(f"error: {reason}"), len(service.seen)) == (
        2,
        True,
        1,
    )


@pytest.mark.parametrize(
    "line", ["GET /unified/ticketing/tickets/7", "POST /unified/ticketing/tickets", "GET /proxy/x"]
)
def test_a_request_to_anything_else_is_not(line: str, unified: Unified, service: Service) -> None:
    assert unified(f"request {line} -q staus=Open", environ=service.environ).stderr == ""
    assert len(service.seen) == 1


def test_the_sandbox_names_what_it_ignores_once(unified: Unified) -> None:
    result = unified(f"-p sandbox {LIST} -q zork=1 --all -o ids --quiet")
    assert (
        result.stderr
        == "the sandbox ignored, no such parameter or field: zork (pages take limit and"
        " next_cursor)\n"
    )
    told = unified(f"-p sandbox {LIST} -q staus=1 --limit 1 -o ids")
    assert (
        told.stderr.splitlines()[0]
        == f'"staus" is not a known parameter of {LIST}: {IGNORED} (did you mean "status"?)'
    )
    assert "the sandbox ignored" not in told.stderr


def test_several_connections_print_one_warning(
    unified: Unified, service: Service, config: Callable[[str], Path]
) -> None:
    config(
        "".join(
            f'[profiles.{name}]\nbase_url = "sandbox:"\naccount_id = "full:{name}"\n'
            for name in ("a", "b")
        )
    )
    result = unified(f"-p a -p b {LIST} -q staus=1 -o ndjson", environ=service.environ)
    said = f'"staus" is not a known parameter of {LIST}: {IGNORED} (did you mean "status"?)\n'
    assert (result.stderr.startswith(said), result.stderr.count("staus")) == (True, 1)
