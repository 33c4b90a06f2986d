"""The required parameters of an operation: shown in help, named where it is missing,
refused if asked.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified
from server import Reply, Service

from unified_cli.catalogue import Operation, load

CATALOGUE = load()
REQUIRING = [one for one in CATALOGUE if one.required_parameters]


def test_operations_with_required_parameters_are_known() -> None:
    assert {one.command: one.required_parameters for one in REQUIRING} == {
        "ticketing attachments download": ["file_url"],
        "user-directory users downgrade": ["user_id"],
        "user-directory users unassign-role": ["roles[]"],
        "ats attachments download": ["file_url"],
        "knowledge-base page-content export": ["page[id]"],
        "knowledge-base page-exports create": ["collection[id]", "page[id]"],
        "knowledge-base page-exports get": ["collection[id]", "page[id]"],
        "knowledge-base page-exports download": ["file_url"],
        "knowledge-base files download": ["file_url"],
        "emails emails send-draft": ["id"],
        "emails attachments download": ["file_url"],
    }


def words(operation: Operation) -> list[str]:
    return [
        *operation.command.split(),
        *(["1"] if operation.takes_id else []),
        *(["-d", "{}"] if operation.takes_body else []),
    ]


DOWNLOADS = [one for one in CATALOGUE if one.name == "download"]


@pytest.mark.parametrize("command", ["{}", "-p a {}"])
@pytest.mark.parametrize("more", ["", "--dry-run", "-d {}", "-q limit=1", "-f x=y"])
@pytest.mark.parametrize("operation", DOWNLOADS, ids=lambda one: one.command)
def test_a_download_that_says_no_file_is_not_sent(
    operation: Operation,
    more: str,
    command: str,
    unified: Unified,
    service: Service,
    config: Callable[[str], Path],
) -> None:
    config('[profiles.a]\naccount_id = "a"\n[profiles.b]\naccount_id = "b"\n')
    line = f"{command.format(operation.command)} {more}"
    result = unified(line, environ=service.environ)
    (query, body) = (
        facts.get("download", ()) for facts in (operation.facts.query, operation.facts.body)
    )
    (field,) = [one for one in (*query, *body) if one.required]
    where = "query" if field in query else "body"
    said = f"the {where} lacks {field.name}, which {operation.command} requires (-"
    assert said in result.stderr
    if field.assumed and more not in ("", "--dry-run"):
        # Another parameter may be the one that says it.
        assert not result.stderr.startswith("error: the query lacks")
    else:
        assert (result.stdout, result.code, service.seen) == ("", 2, [])


@pytest.mark.parametrize(
    "operation", [one for one in REQUIRING if one not in DOWNLOADS], ids=lambda one: one.command
)
def test_a_missing_parameter_is_named_and_the_call_is_sent(
    operation: Operation, unified: Unified, service: Service
) -> None:
    service.reply = lambda _: Reply(200, b'{"id": "1"}')
    result = unified(words(operation), environ=service.environ)
    lines = result.stderr.splitlines()
    assert (result.code, len(service.seen), len(lines)) == (
        0,
        1,
        len(operation.required_parameters),
    )
    for name, line in zip(operation.required_parameters, lines, strict=True):
        assert line.startswith(f"the query lacks {name}, which {operation.command} requires (-q ")
    refused = unified([*words(operation), "--strict"], environ=service.environ)
    assert (refused.code, refused.stderr, len(service.seen)) == (2, f"error: {lines[0]}\n", 1)
    given = [word for name in operation.required_parameters for word in ("-q", f"{name}=x")]
    for more in ([], ["--strict"]):
        result = unified([*words(operation), *given, *more], environ=service.environ)
        assert (result.code, result.stderr) == (0, "")


def test_an_assumed_name_is_marked_as_assumed(unified: Unified, service: Service) -> None:
    said = unified("emails emails send-draft -d {}", environ=service.environ).stderr
    assert said.startswith(
        "the query lacks id, which emails emails send-draft requires (-q id=…, a name that we"
        " assume)\n"
    )
    assert (
        "\n  id (required, an assumed name)\n" in unified("emails emails send-draft --help").stdout
    )
    assert "\n  file_url (required)\n" in unified("ats attachments download --help").stdout


def test_several_connections_print_one_warning(unified: Unified, service: Service) -> None:
    result = unified("-p a -p b emails emails send-draft -d {} --dry-run", environ=service.environ)
    assert result.stderr.count("the query lacks id") == 1


def test_a_download_from_records_and_a_skeleton_lack_no_parameter(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    records = tmp_path / "records"
    records.write_text(json.dumps({"file_url": "https://files.example/a"}))
    shown = unified(
        f"ats attachments download --from {records} --out x --dry-run", environ=service.environ
    )
    assert (shown.code, shown.stderr) == (0, "")
    assert unified("emails emails send-draft --skeleton").stderr == ""


@pytest.mark.parametrize("name", ["reply", "reply-all", "forward", "move"])
def test_a_skeleton_has_the_required_members(name: str, unified: Unified) -> None:
    assert "id" in unified(f"emails emails {name} --skeleton").json


@pytest.mark.parametrize(
    "operation", [one for one in CATALOGUE if one.takes_body], ids=lambda one: one.command
)
def test_every_skeleton_has_the_required_members(operation: Operation, unified: Unified) -> None:
    shown = unified(
        [*operation.command.split(), *(["1"] if operation.takes_id else []), "--skeleton"]
    ).json
    assert {*operation.required_fields} <= {*shown}
    assert not [
        name
        for name, value in shown.items()
        if name.endswith(("_at", "_date", "_time")) and value == ""
    ]


def test_a_users_own_catalogue_marks_required_members(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    folder = tmp_path / "config" / "catalogue.d"
    folder.mkdir(parents=True, mode=0o700)
    (folder / "shop.toml").write_text(
        '[api.shop]\ntitle = "Shop"\nabout = "A shop"\n[api.shop.resources]\norders = "list ship"\n'
        '[known.shop.orders]\nquery.ship = "depot!? day"\n'
    )
    folders = {"config": tmp_path / "config"}
    result = unified("shop orders ship -d {}", environ=service.environ, folders=folders)
    assert result.stderr.startswith(
        "the query lacks depot, which shop orders ship requires (-q depot=…, a name"
    )


@pytest.mark.parametrize(
    "line",
    [
        "ticketing tickets list -q staus=open",
        "ticketing tickets list -q created_at=soon",
        "request GET /unified/ticketing/tickets -q staus=open",
        "emails emails send-draft -d {}",
    ],
)
def test_quiet_is_quiet(line: str, unified: Unified, service: Service) -> None:
    assert unified(line, environ=service.environ).stderr != ""
    for more, environ in ((" --quiet", {}), ("", {"UNIFIED_QUIET": "1"})):
        result = unified(f"{line}{more}", environ={**service.environ, **environ})
        assert (result.stderr, result.code) == ("", 0)
