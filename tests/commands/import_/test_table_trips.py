"""CSV and TSV of `list` and `export`, read by import: the same records."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified
from server import Reply, Service

from unified_cli.catalogue import load

CONFIG = """rate = 0
[profiles.full]
base_url = "sandbox:"
account_id = "full"
[profiles.new]
base_url = "sandbox:"
account_id = "empty"
"""
CREATED = [
    f"{resource.api}/{resource.name}"
    for api in load().apis.values()
    for resource in api.resources.values()
    if {"list", "create"} <= {*resource.operations}
]
UNLISTED = {
    f"{resource.api}/{resource.name}"
    for api in load().apis.values()
    for resource in api.resources.values()
    if "create" in resource.operations
} - {*CREATED}
# The sandbox says itself when a record was made and changed.
TIMES = "--ignore created_at --ignore updated_at"


@pytest.mark.usefixtures("kept_ids")
@pytest.mark.parametrize("what", CREATED)
def test_a_typed_table_brings_every_value_back(
    what: str, unified: Unified, config: Callable[[str], Path], tmp_path: Path
) -> None:
    config(CONFIG)
    file = tmp_path / "records.csv"
    words = what.replace("/", " ")
    written = unified(f"-p full {words} list --all -o csv --typed-header --out {file}")
    assert written.code == 0, written.stderr
    read = unified(f"-p new import {what} {file}")
    assert (read.code, read.notes) == (0, ""), read.stderr
    compared = unified(f"diff {what} --from full --to new {TIMES}")
    assert (compared.code, compared.stdout) == (0, ""), compared.stdout


@pytest.mark.usefixtures("kept_ids")
@pytest.mark.parametrize("what", CREATED)
def test_a_plain_table_brings_texts_lists_objects_and_known_numbers_back(
    what: str, unified: Unified, config: Callable[[str], Path], tmp_path: Path
) -> None:
    config(CONFIG)
    file = tmp_path / "records.tsv"
    words = what.replace("/", " ")
    written = unified(f"-p full {words} list --all -o tsv --out {file}")
    assert written.code == 0, written.stderr
    read = unified(f"-p new import {what} {file}")
    assert (read.code, read.notes) == (0, ""), read.stderr
    compared = unified(f"diff {what} --from full --to new {TIMES}")
    assert (compared.code, compared.stdout) == (0, ""), compared.stdout


def test_resources_without_a_list_are_read_one_by_one(
    unified: Unified, config: Callable[[str], Path], tmp_path: Path
) -> None:
    """A page export is a job: the service lists none, so there is nothing to compare
    all of.
    """
    assert {"knowledge-base/page-exports"} == UNLISTED
    # A page export needs its page.
    config(CONFIG.replace('"empty"', '"full:new"'))
    parents = "-q collection[id]=collections-1 -q page[id]=pages-1"
    get = f"knowledge-base page-exports get {{}} {parents} -o {{}}"
    served = unified(f"-p full {get.format('page-exports-1', 'json')}").json
    # The sandbox says these itself, as diff knows.
    own = {"id", "created_at", "updated_at", "remote_data"}
    for form in ("csv", "tsv"):
        file = tmp_path / f"records.{form}"
        written = unified(f"-p full {get.format('page-exports-1', form)} --out {file}")
        assert written.code == 0, written.stderr
        argv = f"-p new import knowledge-base/page-exports {file} {parents}"
        assert unified(argv).code == 0
        done = json.loads(Path(f"{file}.unified-done.ndjson").read_text())
        made = unified(f"-p new {get.format(done['id'], 'json')}").json
        assert {name: made[name] for name in made.keys() - own} == {
            name: served[name] for name in served.keys() - own
        }
    compared = unified("diff knowledge-base/page-exports --from full --to new")
    assert (compared.code, compared.stderr) == (
        2,
        "error: knowledge-base page-exports has no list to compare\n",
    )


ODD = (
    r'{"id":"1","none":null,"empty":"","blank":" ","text":"a,\"b\"\n\tc\\n","no":false}',
    r'{"id":2,"digits":1234567890123456789012345678901234567890,"price":1.10,"small":1e-400}',
    r'{"id":"3","list":[],"object":{},"deep":{"a":[{"b":[1,null,"\ud83d"]}]},"half":"\udc00"}',
    r'{"id":"4","a.b":1,"a":{"b":2},"c.d":"x","x:json":"[1]","":"no name"," y ":"blanks"}',
    r'{"id":"5","\"q\"":"quoted","n\nl":"line","\ud83d":"half","e\u0301":"é","[1]":"1"}',
)


@pytest.mark.parametrize("form", ["csv", "tsv"])
@pytest.mark.parametrize("bom", ["", "--bom"])
def test_a_typed_table_keeps_odd_values_and_names(
    form: str, bom: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    file = tmp_path / f"records.{form}"
    page = f'{{"result":[{",".join(ODD)}],"next_cursor":null}}'
    service.reply = lambda _: Reply(200, page.encode())
    bom = bom if form == "csv" else ""
    options = f"-o {form} --typed-header {bom} --out {file}"
    written = unified(f"ticketing tags list {options}", environ=service.environ)
    assert written.code == 0, written.stderr
    service.seen.clear()
    service.reply = lambda _: Reply(201, b'{"id":"x"}')
    read = unified(f"import ticketing/tags {file} --workers 1", environ=service.environ)
    assert (read.code, read.notes) == (0, ""), read.stderr

    def literal(text: str | bytes) -> object:
        return json.loads(text, parse_int=lambda digits: digits, parse_float=lambda digits: digits)

    assert [literal(seen.body) for seen in service.seen] == [literal(one) for one in ODD]


def test_a_typed_table_of_several_connections_goes_back_to_each(
    unified: Unified, config: Callable[[str], Path], tmp_path: Path
) -> None:
    config(CONFIG)
    file = tmp_path / "records.csv"
    listed = unified("-p full -p new ticketing tags list --limit 3 -o csv --typed-header")
    file.write_bytes(listed.raw)
    assert listed.stdout.startswith("_profile:json,id:json,")
    shown = unified(f"-p full -p new import ticketing/tags {file} --dry-run")
    assert shown.code == 0, shown.stderr
    assert shown.stdout.count("integrated_account_id=full") == 3
    assert "_profile" not in shown.stdout


def test_an_export_is_imported(
    unified: Unified, config: Callable[[str], Path], tmp_path: Path
) -> None:
    config(CONFIG)
    exported = unified(
        f"-p full export ticketing/contacts --to {tmp_path} --format csv --typed-header"
    )
    assert exported.code == 0, exported.stderr
    (file,) = tmp_path.glob("full/**/contacts.csv")
    assert unified(f"-p new import ticketing/contacts {file}").code == 0
    again = f"-p full export ticketing/contacts --to {tmp_path} --format csv"
    other = unified(again)
    assert other.code == 12
    assert "another --typed-header" in other.stderr


@pytest.mark.parametrize("form", ["json", "ndjson", "table", "yaml", "ids", "raw", "markdown"])
@pytest.mark.parametrize("command", ["ticketing tags list -o", "export ticketing/tags --format"])
def test_a_typed_header_needs_a_header(
    command: str, form: str, unified: Unified, service: Service
) -> None:
    result = unified(f"{command} {form} --typed-header", environ=service.environ)
    assert (result.code, service.seen) == (2, [])
