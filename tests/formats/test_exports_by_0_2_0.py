"""Check that exports of version 0.2.0 are continued, with each record once."""

import csv
import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from written_files import Before, of_version

pytestmark = of_version("0.2.0")

LISTS = "ticketing/teams ticketing/ticket_types"
BOTH = "-p full -p empty"
# The readers and writers of a format or a place, and their extra.
NEEDED = {
    "parquet": ("pyarrow", "parquet"),
    "delta": ("deltalake", "delta"),
    "file": ("obstore", "cloud"),
}


FORMS = "ndjson csv parquet delta"


def params(states: str, forms: str = FORMS, places: str = "folder file") -> Any:
    """Give the names of exports, which are marked if they need an extra."""
    found = []
    for state in states.split():
        for form in forms.split():
            for place in places.split():
                if (form, place) == ("csv", "file"):
                    continue
                extra = form in NEEDED or place in NEEDED
                marks = [pytest.mark.extra] if extra else []
                found.append(pytest.param(f"{state}-{form}-{place}", marks=marks))
    return pytest.mark.parametrize("name", found)


def of(name: str, folder: Path) -> tuple[str, str]:
    """Give the format of an export, and where it goes; skip what needs a missing
    extra.
    """
    _, form, place = name.split("-")
    for one in (form, place):
        if one in NEEDED:
            module, extra = NEEDED[one]
            pytest.importorskip(module, reason=f"needs the extra {extra}")
    to = f"exports/{name}"
    return form, f"file://{folder}/made/{to}" if place == "file" else to


def rows(path: Path, form: str) -> Iterator[tuple[str, str]]:
    """Read the id and the name of each record in a file."""
    if form == "csv":
        with path.open(newline="") as text:
            yield from ((row["id"], row["name"]) for row in csv.DictReader(text))
        return
    texts = path.read_text().splitlines() if form == "ndjson" else records(path)
    for text in texts:
        record = json.loads(text)
        yield record["id"], record["name"]


def records(path: Path) -> list[str]:
    """Read the records of a Parquet file."""
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra parquet")
    found: list[str] = parquet.ParquetFile(path).read().column("record").to_pylist()
    return found


def held(folder: Path, name: str, profile: str, one: str = "teams") -> dict[str, str]:
    """Give the newest name of each record of a list, of which each file has it once."""
    _, form, place = name.split("-")
    root = folder / "made" / "exports" / name
    if form == "delta":
        return dict(once(table_rows(root / "ticketing" / one, profile)))
    if place == "folder":
        files = [*(root / profile / "ticketing").glob(f"{one}*.{form}")]
    else:
        files = [*(root / profile / "ticketing" / one).glob(f"*.{form}")]
    # The first is the whole list, and later ones have what changed since.
    in_order = sorted(files, key=lambda path: (len(path.name), path.name))
    reads: dict[str, list[Path]] = {}
    for path in in_order:
        read = path.name.partition("-")[0] if place == "file" else path.name
        reads.setdefault(read, []).append(path)
    found: dict[str, str] = {}
    for paths in reads.values():
        found.update(once([*chain.from_iterable(rows(path, form) for path in paths)]))
    return found


def table_rows(table: Path, profile: str) -> list[tuple[str, str]]:
    """Read the id and the name of each record of a profile in a Delta table."""
    deltalake = pytest.importorskip("deltalake", reason="needs the extra delta")
    found = deltalake.DeltaTable(str(table)).to_pyarrow_table().to_pylist()
    records = (json.loads(row["record"]) for row in found if row["_profile"] == profile)
    return [(record["id"], record["name"]) for record in records]


def once(found: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """See that no id is there twice."""
    ids = [identifier for identifier, _ in found]
    assert len(ids) == len({*ids})
    return found


def served(before: Before, profile: str, one: str = "teams") -> dict[str, str]:
    """Give the name of each record of a list as it is now."""
    ended = before(f"-p {profile} ticketing {one} list --all -o ndjson")
    assert ended.code == 0, ended.stderr
    found = (json.loads(line) for line in ended.stdout.splitlines())
    return {record["id"]: record["name"] for record in found}


def check(before: Before, folder: Path, name: str, *, newest: bool = True) -> None:
    """See that an export matches its manifest, and holds each record once."""
    _, to = of(name, folder)
    verified = before(f"export --verify {to}")
    assert verified.code == 0, verified.stderr
    for profile in ("full", "empty"):
        now, there = served(before, profile), held(folder, name, profile)
        assert there.keys() == now.keys()
        if newest:
            assert there == now
        types = served(before, profile, "ticket_types")
        assert held(folder, name, profile, "ticket_types") == types


@params("plain")
def test_a_complete_export_stays(before: Before, folder: Path, name: str) -> None:
    form, to = of(name, folder)
    check(before, folder, name, newest=False)
    kept = {profile: held(folder, name, profile) for profile in ("full", "empty")}
    ended = before(f"{BOTH} export {LISTS} --to {to} --format {form}")
    assert ended.code == 0, ended.stderr
    assert kept == {profile: held(folder, name, profile) for profile in kept}
    more = "--restart" if form == "csv" else "--incremental"
    ended = before(f"{BOTH} export {LISTS} --to {to} --format {form} {more}")
    assert ended.code == 0, ended.stderr
    check(before, folder, name)


@params("killed")
def test_a_killed_export_is_finished(before: Before, folder: Path, name: str) -> None:
    form, to = of(name, folder)
    export = f"{BOTH} export {LISTS} --to {to} --format {form} --page-size 2"
    ended = before(export)
    assert ended.code == 0, ended.stderr
    # The pages that were read before may have changed since.
    check(before, folder, name, newest=False)
    if form != "csv":
        assert before(f"{export} --incremental").code == 0
        check(before, folder, name)


@params("nights", "ndjson parquet delta")
def test_a_third_night_has_what_changed(before: Before, folder: Path, name: str) -> None:
    form, to = of(name, folder)
    assert before("-p full ticketing teams update teams-7 -f name=later").code == 0
    ended = before(f"{BOTH} export {LISTS} --to {to} --format {form} --incremental")
    assert ended.code == 0, ended.stderr
    check(before, folder, name)


def tasks(folder: Path, name: str) -> list[str]:
    """Give the tasks of an export as they were printed."""
    return (folder / "made" / "exports" / f"{name}.tasks").read_text().splitlines()


def do(before: Before, task: str) -> bool:
    """Do a task, or see that it is refused for its version."""
    ended = before(["export", "--task", task])
    if ended.code == 12:
        # A later version has to make the tasks anew.
        assert "version" in ended.stderr
        return False
    assert ended.code == 0, ended.stderr
    return True


@params("tasks half", "ndjson csv parquet delta")
def test_tasks_are_done_once(before: Before, folder: Path, name: str) -> None:
    form, to = of(name, folder)
    done = [do(before, task) for task in tasks(folder, name)]
    if not all(done):
        words = f"{BOTH} export {LISTS} --to {to} --format {form} --tasks"
        anew = before(words).stdout.splitlines()
        assert all(do(before, task) for task in anew)
    check(before, folder, name, newest=False)


def add_a_night(before: Before, folder: Path, name: str, more: str = "") -> None:
    """Change a record, and have new tasks add it to an export."""
    form, to = of(name, folder)
    assert before("-p full ticketing teams update teams-7 -f name=later").code == 0
    words = f"{BOTH} export {LISTS} --to {to} --format {form} --tasks --incremental{more}"
    anew = before(words).stdout.splitlines()
    assert len(anew) == 2
    assert all(do(before, task) for task in anew)
    check(before, folder, name)


@params("tasknights", "ndjson parquet delta")
def test_tasks_of_a_third_night(before: Before, folder: Path, name: str) -> None:
    add_a_night(before, folder, name)


@params("dask", "ndjson parquet delta", "file")
def test_an_export_of_a_cluster_is_verified(before: Before, folder: Path, name: str) -> None:
    check(before, folder, name, newest=False)
    # Without the cluster: its tasks can be done anywhere.
    add_a_night(before, folder, name)


@params("dasknights", "ndjson parquet delta", "file")
def test_nights_of_a_cluster_are_added_to(before: Before, folder: Path, name: str) -> None:
    add_a_night(before, folder, name)


@params("daskkilled", "ndjson", "file")
def test_a_killed_export_of_a_cluster_is_finished(before: Before, folder: Path, name: str) -> None:
    form, to = of(name, folder)
    words = f"{BOTH} export {LISTS} --to {to} --format {form} --tasks --page-size 2"
    anew = before(words).stdout.splitlines()
    assert all(do(before, task) for task in anew)
    check(before, folder, name, newest=False)
    add_a_night(before, folder, name, " --page-size 2")


@params("committed", "delta")
def test_a_table_whose_manifest_lacks_a_commit(before: Before, folder: Path, name: str) -> None:
    form, to = of(name, folder)
    export = f"-p full export {LISTS} --to {to} --format {form}"
    # Version 0.2.0 ended with 12, and so did each run after it.
    ended = before(f"{export} --incremental")
    assert ended.code == 0, ended.stderr
    assert before(f"export --verify {to}").code == 0
    assert held(folder, name, "full") == served(before, "full")
