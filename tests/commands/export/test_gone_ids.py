"""A list that is read whole again: its gone ids are listed beside it, whatever ends the
process.
"""

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import peak_memory
import pytest
from changes import World
from front_door import Result, Unified
from pages import cursor_of, served
from server import Reply, Seen, Service

GONE = "acct-1/ticketing/gone.tickets.ndjson"


@pytest.fixture
def world(service: Service) -> World:
    made = World(service)
    for number, name in enumerate("abcd"):
        made.change(name, number)
    return made


@pytest.fixture
def export(unified: Unified, service: Service) -> Callable[..., Result]:
    def run(more: str) -> Result:
        return unified(f"export ticketing/tickets --to {more}", environ=service.environ)

    return run


def gone(tmp_path: Path) -> list[Any] | None:
    """The content of the file, without the times."""
    path = tmp_path / "dump" / GONE
    if not path.exists():
        return None
    found = [json.loads(line) for line in path.read_text().splitlines()]
    assert all(datetime.fromisoformat(one.pop("gone_at")).tzinfo for one in found)
    return found


def of(*ids: Any) -> list[Any]:
    return [{"_profile": "acct-1", "id": one} for one in ids]


def entry(tmp_path: Path) -> Any:
    (found,) = json.loads((tmp_path / "dump/manifest.json").read_text())["files"]
    return found


@pytest.mark.parametrize("form", ["ndjson", pytest.param("parquet", marks=pytest.mark.extra)])
def test_a_full_read_tells_which_ids_are_gone(
    world: World,
    to: str,
    export: Callable[..., Result],
    unified: Unified,
    tmp_path: Path,
    form: str,
) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow", reason="needs the extra parquet")
    command = f"{to} --format {form}"
    assert export(command).code == 0
    world.change("e", 10)
    assert export(f"{command} --incremental").stderr.startswith("wrote 1 file with 1 record")
    assert gone(tmp_path) is None
    del world.records["b"], world.records["e"]
    told = f"no longer found: 2 ids of earlier reads, listed in {GONE}\n"
    result = export(f"{command} --restart")
    assert (result.code, result.stderr.endswith(told)) == (0, True)
    assert (gone(tmp_path), entry(tmp_path)["gone"]) == (of("b", "e"), 2)
    assert unified(f"export --verify {to}").code == 0
    assert [path.name for path in (tmp_path / "dump").rglob("gone.*")] == ["gone.tickets.ndjson"]
    # However often it is read, these are gone; one comes back, and one more goes.
    assert export(f"{command} --restart").stderr.endswith(told)
    assert gone(tmp_path) == of("b", "e")
    world.change("e", 20)
    del world.records["c"]
    assert export(f"{command} --restart").code == 0
    assert (gone(tmp_path), entry(tmp_path)["gone"]) == (of("b", "c"), 2)


def test_gone_ids_are_printed_as_they_were_served(
    service: Service, export: Callable[..., Result], tmp_path: Path
) -> None:
    """A number is no text, an id may be spelled in another way, and half a surrogate
    pair is an id too.
    """
    pages = [
        r'[{"id":1},{"id":"1"},{"id":"\u00e9"},{"id":"ü"},{"id":"\ud800"},{"id":"\ud801"},{"id":"a\nb"},{"n":1},{"id":null}]',
        r'[{"id":"1"},{"id":"é"},{"id":"\u00fc"},{"id":"\ud800"}]',
    ]
    for page in pages:
        body = f'{{"result":{page},"next_cursor":null}}'.encode()
        service.reply = lambda _, body=body: Reply(200, body)
        assert export(f"{tmp_path}/dump --restart").code == 0
    lines = (tmp_path / "dump" / GONE).read_text().splitlines()
    assert [line.partition(',"gone_at":')[0] for line in lines] == [
        rf'{{"_profile":"acct-1","id":{one}' for one in ("1", r'"\ud801"', r'"a\nb"')
    ]


def test_each_id_has_the_time_of_the_full_read_that_missed_it_first(
    world: World, to: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    def restart(day: int) -> dict[str, str]:
        """The ids that are gone after the full read of this day, with their times."""
        at = datetime(2026, 3, day, tzinfo=UTC).timestamp()
        line = f"export ticketing/tickets --to {to} --restart"
        assert unified(line, environ=service.environ, wall=lambda: at).code == 0
        path = tmp_path / "dump" / GONE
        lines = path.read_text().splitlines() if path.exists() else []
        return {one["id"]: one.get("gone_at", "") for one in map(json.loads, lines)}

    assert restart(1) == {}
    del world.records["b"]
    assert restart(2) == {"b": "2026-03-02T00:00:00+00:00"}
    del world.records["c"]
    assert restart(3) == {"b": "2026-03-02T00:00:00+00:00", "c": "2026-03-03T00:00:00+00:00"}
    # One that an older version reported has no time, and stays.
    path = tmp_path / "dump" / GONE
    path.write_text('{"_profile":"acct-1","id":"old"}\n')
    assert restart(4) == {"old": ""}


def test_ids_of_another_list_are_not_gone(
    world: World,
    to: str,
    export: Callable[..., Result],
    unified: Unified,
    service: Service,
    tmp_path: Path,
) -> None:
    assert export(f"{to} -q status=open").code == 0
    world.records.clear()
    world.change("z", 0)
    # A full read finds other records than a filtered one, and no id counts as gone.
    assert export(f"{to} --restart").code == 0
    assert (gone(tmp_path), entry(tmp_path)["gone"]) == (None, None)
    assert [*(tmp_path / "dump").rglob("gone.*")] == []
    other = {**service.environ, "UNIFIED_TOKEN": "another-0123456789"}
    world.records.clear()
    assert unified(f"export ticketing/tickets --to {to} --restart", environ=other).code == 0
    assert gone(tmp_path) == of("z")


def test_a_list_that_a_user_changed_is_replaced_silently(
    world: World, to: str, export: Callable[..., Result], tmp_path: Path
) -> None:
    assert export(to).code == 0
    for path in (tmp_path / "dump").rglob("*.ndjson"):
        path.write_bytes(b'{"id":"stranger"}\n')
    del world.records["a"]
    assert export(f"{to} --restart").code == 0
    assert gone(tmp_path) is None


@pytest.mark.parametrize(("more", "code"), [("", 9), ("--allow-partial", 0)])
def test_ids_missing_from_a_partial_read_are_not_gone(
    world: World, to: str, export: Callable[..., Result], tmp_path: Path, more: str, code: int
) -> None:
    assert export(to).code == 0
    del world.records["a"]
    world.broken = lambda _: served(
        {"result": [], "next_cursor": None, "is_partial_response": True}
    )
    assert export(f"{to} --restart {more}").code == code
    assert gone(tmp_path) is None
    world.broken = lambda _: None
    assert export(f"{to} --restart").code == 0
    assert gone(tmp_path) == of("a")


@pytest.mark.long(seconds=30)
def test_a_full_read_of_many_ids_takes_little_more_memory(service: Service, tmp_path: Path) -> None:
    def reply(seen: Seen) -> Reply:
        page = int(cursor_of(seen) or 0)
        ids = range(page * 10_000, (page + 1) * 10_000)
        records = [{"id": f"{number:08}"} for number in ids]
        return served({"result": records, "next_cursor": str(page + 1) if page < 29 else None})

    service.reply = reply
    words = ["export", "ticketing/tickets", "--rate", "0", "--to", str(tmp_path / "dump")]
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), **service.environ}
    first, again = (
        peak_memory.of([*words, *more], timeout=300, env=environ) for more in ([], ["--restart"])
    )
    assert (first.code, again.code) == (0, 0), again.stderr
    assert again.mebibytes - first.mebibytes <= 30
