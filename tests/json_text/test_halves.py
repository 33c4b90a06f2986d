"""Halves of surrogate pairs: what else a record holds is read as any JSON parser reads
it, however it is spelled.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified
from pages import envelope, served
from server import Service

Config = Callable[[str], Path]
# A key that spells the control character 0x7f, beside half a surrogate pair.
DELETE = rb'{"name":"\ud800","\u007f":1,"id":"5"}'
TWO = '[profiles.p0]\naccount_id = "a-0"\n[profiles.p1]\naccount_id = "a-1"\n'


def test_no_key_becomes_the_name_of_a_connection(
    unified: Unified, service: Service, config: Config
) -> None:
    config(TWO)
    record = rb'{"_profile":"p1","id":"5","\u007fu005fprofile":"p0","name":"\ud800"}'
    command = ["-p", "p*", "ticketing", "tickets", "delete", "-", "--yes"]
    shown = unified([*command, "--dry-run"], environ=service.environ, stdin=record)
    assert (shown.code, "integrated_account_id=a-1" in shown.stdout, "a-0" in shown.stdout) == (
        0,
        True,
        False,
    )
    assert unified(command, environ=service.environ, stdin=record).code == 0
    assert [dict(seen.query)["integrated_account_id"] for seen in service.seen] == ["a-1"]


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ("-o ndjson", DELETE + b"\n"),
        ("-o csv", b"name,\x7f,id\n\\ud800,1,5\n"),
        ("-o table --columns id,name", b"ID  NAME\n5   \\ud800\n"),
        ("-o ndjson --columns \x7f", b'{"\x7f":1}\n'),
        ("-o ndjson --columns id,name", rb'{"id":"5","name":"\ud800"}' + b"\n"),
        ("-o ids", b"5\n"),
        (
            "-o yaml --all",
            b'result:\n- name: "\\uD800"\n  "\\x7F": 1\n  id: \'5\'\nnext_cursor: null\n',
        ),
    ],
)
def test_a_key_that_is_a_control_character_stays_one(
    options: str, shown: bytes, unified: Unified, service: Service
) -> None:
    service.reply = lambda _: served(envelope(b"[" + DELETE + b"]"))
    result = unified(f"ticketing tickets list {options}", environ=service.environ)
    assert (result.raw, result.code) == (shown, 0)


def test_it_is_imported_and_compared(unified: Unified, service: Service, tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(DELETE)
    (tmp_path / "other").write_bytes(DELETE.replace(rb"\u007f", b"\x7f").replace(b"1", b"2"))
    service.reply = lambda _: served({"id": "5"})
    result = unified(f"import ticketing/tickets {tmp_path}/one", environ=service.environ)
    assert (result.code, [seen.json for seen in service.seen]) == (
        0,
        [json.loads(DELETE)],
    ), result.stderr
    result = unified(
        f"diff ticketing/tickets --from {tmp_path}/one --to {tmp_path}/other",
        environ=service.environ,
    )
    assert (result.code, json.loads(result.stdout)["differences"]) == (
        14,
        [{"path": "\x7f", "from": 1, "to": 2}],
    )


def test_capabilities_are_read(unified: Unified, service: Service) -> None:
    service.reply = lambda _: served(DELETE)
    result = unified("capabilities ticketing/tickets", environ=service.environ)
    assert result.code != 1, result.stderr


@pytest.mark.parametrize("blanks", ["", " ", "\n"])
def test_parts_are_cut_out_at_their_positions(
    blanks: str, unified: Unified, service: Service
) -> None:
    deep = '[{"a":[[],{},"]}",[{"b":["\\\\",{"c":"\\""}]}]]}]'
    text = (
        '{"id":"1","x":"\\udfff","deep":[],"n":1.10,"e":"","x":"\\\\ud800","l":[1, "\\ud800"'
        " ,null]}".replace("[]", deep)
    )
    text = text.replace(",", f"{blanks},{blanks}").replace('":', f'"{blanks}:{blanks}')
    service.reply = lambda _: served(envelope(f"[{blanks}{text}{blanks}]".encode()))
    result = unified(
        "ticketing tickets list -o ndjson --columns deep,x,n,e,l", environ=service.environ
    )
    found, wanted = json.loads(result.stdout), json.loads(text)
    assert found == {name: wanted[name] for name in ("deep", "x", "n", "e", "l")}
    assert '"n":1.10' in result.stdout


def test_the_id_of_a_created_record_is_known(
    unified: Unified, service: Service, config: Config
) -> None:
    config(TWO)
    for answer, known in [
        (rb'{"name":"\ud800","id":"7"}', "7"),
        (rb' {"x":"\udfff","result":{"\ud800":1,"id":8}} ', "8"),
        (rb'{"id":"\ud800"}', ""),
    ]:
        service.reply = lambda _, answer=answer: served(answer)
        result = unified(
            "ticketing tickets create -f name=x -p p0 -p p1 --yes", environ=service.environ
        )
        assert result.code == 0, result.stderr
        (run,) = re.findall(r"^run (\S+)$", result.stderr, re.MULTILINE)
        found = unified(f"runs show {run} -o ndjson").stdout.splitlines()
        assert [json.loads(line).get("id") or "" for line in found] == [known] * 2


def test_a_cursor_is_found_in_any_spelling_of_its_key(unified: Unified, service: Service) -> None:
    service.reply = lambda _: served(rb'{"result":[],"next\u005fcursor":"c1"}')
    result = unified("ticketing tickets list", environ=service.environ)
    assert (result.stderr, result.code) == ("there are more records: --all, or --cursor c1\n", 0)
