"""A resource that `operations add` adds works like the built-in ones, in every
command.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified

from unified_cli.catalogue import load

Config = Callable[[str], Path]
NAMES = ("hub", "shop", "yard")
FIELDS = "id first_name last_name emails phones title stage owner_id"


@pytest.fixture
def own(unified: Unified, config: Config) -> Path:
    """Three connections to a CRM, whose operations have been added."""
    profiles = [f'[profiles.{name}]\naccount_id = "sales:{name}"\n' for name in NAMES]
    home = config(f'base_url = "sandbox:"\n{"".join(profiles)}').parent
    assert unified("operations add crm -p hub --yes").code == 0
    return home


ALL = "-p hub -p shop -p yard"
pytestmark = pytest.mark.usefixtures("own")


def records(result: Any) -> list[Any]:
    assert (result.code, "error" in result.stderr) == (0, False), result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_pages_of_help(unified: Unified) -> None:
    assert "  crm " in unified("--help").stdout
    assert "  contacts  People you sell to" in unified("crm --help").stdout
    assert "  search  Search contacts" in unified("crm contacts --help").stdout
    page = unified("crm contacts list --help").stdout
    assert "stage (lead | customer | lost)" in page
    assert "-q NAME=VALUE" in page
    assert "Known body fields (others may work)" in unified("crm contacts search --help").stdout
    assert (
        "unified -p sandbox crm contacts search -f query=Example"
        in unified("crm contacts search -h").stdout
    )
    assert unified("help crm contacts list").stdout.startswith("Usage: unified crm contacts list")
    assert unified("crm contact list").stderr.count("contacts") == 1


def test_a_list_over_several_connections(unified: Unified) -> None:
    found = records(unified(f"crm contacts list {ALL} --all -o ndjson"))
    assert {one["_profile"] for one in found} == {*NAMES}
    assert {*found[0]} >= {*FIELDS.split()}
    assert {one["stage"] for one in found} == {"lead", "customer", "lost"}
    lost = records(unified("crm contacts list -p hub -q stage=lost --all -o ndjson"))
    assert [one["stage"] for one in lost] == ["lost"] * len(lost) != []


def test_a_search_is_a_list_whose_pages_each_have_a_key(unified: Unified) -> None:
    command = "crm contacts search -f query=lost"
    found = records(unified(f"{command} {ALL} --all --page-size 2 -o ndjson"))
    assert {one["_profile"] for one in found} == {*NAMES}
    assert {one["stage"] for one in found} == {"lost"}
    shown = unified(f"{command} -p hub --dry-run").json
    assert (shown["method"], shown["body"]) == ("POST", {"query": "lost"})
    assert unified(f"{command} -p hub --idempotency-key k").code == 2
    assert unified(f"{command} -p hub --expect 'length > 0'").code == 0
    hub = [one["id"] for one in found if one["_profile"] == "hub"]
    assert unified(f"{command} -p hub --all -o ids").stdout.split() == hub
    # It reads, so it needs no confirmation, and a read-only profile may.
    assert unified("profile set hub read_only=true").code == 0
    assert unified(f"{command} -p hub").code == 0


@pytest.mark.parametrize("strict", [False, True])
def test_a_parameter_that_meta_does_not_name_is_reported(strict: bool, unified: Unified) -> None:
    more = " --strict" if strict else ""
    result = unified(f"crm contacts list -p hub -q stgae=lost{more}")
    assert result.code == (2 if strict else 0)
    assert 'did you mean "stage"?' in result.stderr
    assert unified("crm contacts list -p hub -q stage=lost --strict").code == 0


def test_writes_one_and_many(unified: Unified) -> None:
    made = unified("crm contacts create -f first_name=Ada -f stage=lead -p hub").json
    assert (made["first_name"], made["stage"]) == ("Ada", "lead")
    changed = unified(f"crm contacts update {made['id']} -f stage=customer -p hub").json
    assert changed["stage"] == "customer"
    several = records(unified(f"crm deals win -f id=deals-1 {ALL} --yes -o ndjson"))
    assert {one["result"]["id"] for one in several} == {"deals-1"}
    assert unified(f"crm deals win -f id=deals-1 {ALL}").code == 2
    skeleton = unified("crm contacts create --skeleton").json
    assert {*skeleton} == {"first_name", "last_name", "emails", "stage"}


def test_an_export_and_its_import(unified: Unified, tmp_path: Path) -> None:
    result = unified(f"export crm {ALL} --to {tmp_path / 'dump'}")
    assert result.code == 0
    files = sorted(path.relative_to(tmp_path / "dump") for path in tmp_path.glob("dump/*/*/*"))
    assert files == [
        Path(name, "crm", f"{resource}.ndjson")
        for name in NAMES
        for resource in ("contacts", "deals")
    ]
    exported = tmp_path / "dump" / "hub" / "crm" / "contacts.ndjson"
    first = [json.loads(line) for line in exported.read_text().splitlines()][:2]
    new = tmp_path / "new.ndjson"
    new.write_text("".join(json.dumps({"last_name": one["last_name"]}) + "\n" for one in first))
    assert unified(f"import crm/contacts {new} -p shop").code == 0
    names = unified("crm contacts list -p shop --all --jq '.last_name' -o ndjson").stdout
    assert all(json.dumps(one["last_name"], ensure_ascii=False) in names for one in first)


def test_diff_plan_and_apply(unified: Unified, tmp_path: Path) -> None:
    person = '-f last_name=Onlyhere -F \'emails=[{"email": "only@here.example"}]\''
    made = unified(f"crm contacts create {person} -p hub").json
    between = "--from hub --to shop --key emails"
    found = unified(f"diff crm/contacts {between} -o ndjson")
    assert found.code == 14
    assert made["emails"][0]["email"] in found.stdout
    plan = tmp_path / "p.ndjson"
    planned = unified(f"plan crm/contacts {between} --set stage")
    assert planned.code == 0
    plan.write_bytes(planned.raw)
    assert "crm" in planned.stdout
    applied = unified(f"apply {plan} -p shop --yes")
    assert applied.code == 0
    assert "Onlyhere" in unified("crm contacts list -p shop --all -o ndjson").stdout


def test_the_shape_of_an_added_resource_is_shown(unified: Unified) -> None:
    result = unified("schema crm/contacts -p hub -o json")
    assert result.code == 0
    assert "stage" in result.stdout
    assert unified("schema crm/contacts -p hub --against known").code in (0, 14)


def test_capabilities_and_report_know_it(unified: Unified) -> None:
    found = records(unified("capabilities crm -p hub -o ndjson"))
    assert {one["state"] for one in found} == {"offered"}
    assert len(found) == 8
    whole = unified("capabilities -p hub").stderr
    assert whole.startswith("also offered: ticketing/tickets (search)")


def test_operations_and_openapi(unified: Unified, own: Path) -> None:
    found = unified("operations crm --source -o json").json["operations"]
    assert {one["source"] for one in found} == {str(own / "catalogue.d" / "crm.toml")}
    kinds = {
        f"{one['resource']} {one['operation']}": (one["kind"], one["outward"]) for one in found
    }
    assert kinds["contacts search"] == ("read", False)
    assert kinds["deals win"] == ("action", True)
    document = unified("operations --openapi").json
    search = document["paths"]["/unified/crm/contacts/search"]["post"]
    assert {one.get("$ref", "").rpartition("/")[2] for one in search["parameters"]} >= {
        "Limit",
        "NextCursor",
    }
    assert "requestBody" in search


def test_a_described_method_and_the_sandbox_s_own(unified: Unified) -> None:
    described = unified("crm contacts list -p hub --describe -o json")
    assert described.code == 0
    assert "stage" in described.stdout
    # The sandbox serves added operations on its other connections, too.
    assert len(records(unified("-p sandbox crm contacts list --limit 3 -o ndjson"))) == 3
    assert unified("-p sandbox -a help-desk crm contacts list").code == 4


@pytest.mark.parametrize("form", ["table", "csv", "markdown", "ids"])
def test_every_format(form: str, unified: Unified) -> None:
    result = unified(f"crm contacts list -p hub --limit 2 -o {form}")
    assert (result.code, "contacts-1" in result.stdout) == (0, True)


def test_a_file_of_a_user_adds_no_fields_where_it_says_none(unified: Unified, own: Path) -> None:
    path = own / "catalogue.d" / "crm.toml"
    text = path.read_text()
    path.write_text(text[: text.index("[known")])
    (one,) = records(unified("-p hub crm contacts list --limit 1 -o ndjson"))
    assert {*one} >= {"id", "name", "created_at", "updated_at"}
    assert "stage" not in one


def test_built_in_operations_are_unchanged(unified: Unified) -> None:
    names = [one["command"] for one in unified("operations -o json").json["operations"]]
    assert {f"unified {one.command}" for one in load()} <= {*names}
    assert len(names) == len([*load()]) + 8
