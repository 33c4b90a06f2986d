"""Files that older versions wrote are read, or refused with a clear word and nothing
lost; `write.py` wrote them.
"""

import json
import re
from pathlib import Path

import pytest
from front_door import Result
from written_files import Before, lines, of_version, run_of

FORMS = ("ndjson", "csv", "json", pytest.param("parquet", marks=pytest.mark.extra))
# Later changes of a format are in tests of its own.
OLDEST = of_version("b4bec49")


def test_the_config(before: Before) -> None:
    ended = before("profile list -o json")
    assert (ended.stderr, ended.code) == ("", 0)
    assert [one["name"] for one in ended.json["profiles"]] == [
        "full",
        "empty",
        "other",
        "real",
        "added",
    ]


def test_a_catalogue_of_ones_own(before: Before) -> None:
    ended = before("-p full shop orders list --dry-run")
    assert (ended.json["url"], ended.stderr, ended.code) == (
        "http://sandbox/unified/shop/orders?integrated_account_id=full",
        "",
        0,
    )


def test_an_export_that_was_killed_is_interrupted(before: Before) -> None:
    states = {one["command"]: one["state"] for one in before("runs list -o json").json["runs"]}
    assert states["export ticketing/tickets ticketing/tags --to export-killed"] == "interrupted"
    assert states["export ticketing/tags ticketing/tickets --to export-csv"] == "done"


def test_every_run_is_listed(before: Before, folder: Path) -> None:
    ended = before("runs list -o json")
    assert (ended.stderr, ended.code) == ("", 0)
    assert {one["id"] for one in ended.json["runs"]} == {
        path.stem for path in (folder / "home/data/unified/runs").glob("*.ndjson")
    }


def test_a_fan_out_is_retried(before: Before) -> None:
    run = run_of(before, "ticketing tags create")
    ended = before(f"runs retry {run}")
    assert "failed: 1 (added): the service answered 404" in ended.stderr
    assert ended.code == 9


def test_a_run_of_piped_lines_is_resumed(before: Before) -> None:
    run = run_of(before, "ticketing tags update")
    ended = before(f"runs resume {run}")
    assert ended.code == 0
    shown = before(f"runs show {run} -o json").json
    assert [entry["outcome"] for entry in shown["result"]] == ["done"] * 8


def test_the_write_of_an_agent_is_shown(before: Before) -> None:
    run = run_of(before, "mcp serve")
    assert [entry["outcome"] for entry in before(f"runs show {run} -o json").json["result"]] == [
        "done"
    ]


@OLDEST
@pytest.mark.usefixtures("kept_ids")
def test_an_import_is_continued(before: Before) -> None:
    assert before("-p full import ticketing/tags killed.ndjson --workers 2").code == 0
    assert before("-p full import ticketing/tags done.ndjson").code == 0
    made = before("-p full ticketing tags list --all -o ids").stdout.split()
    assert {
        f"{start}-{n}" for start, count in (("killed", 9), ("done", 3)) for n in range(2, count + 2)
    } <= {*made}
    assert len(made) == len({*made})


def test_an_import_from_a_pipe_is_continued(before: Before) -> None:
    piped = "".join(
        json.dumps({"id": f"piped-{n}", "name": f"tag {n}"}) + "\n" for n in range(2, 11)
    ).encode()
    ended = before("-p full import ticketing/tags -", stdin=piped)
    assert ended.stdout.splitlines()[0].startswith("done\t9\t")
    assert ended.code == 0


def apply(before: Before, folder: Path, plan: str) -> Result:
    """Apply a plan, after the file of ids was given the line without which it is
    refused.
    """
    ids = folder / "made" / "ids.ndjson"
    held = ids.read_text()
    refused = before(f"apply {plan} -p empty --ids ids.ndjson --yes")
    assert refused.code == 12
    assert ids.read_text() == held
    line = (
        json.loads(refused.stderr)["error"]["message"]
        .partition("add the first line ")[2]
        .rpartition(")")[0]
    )
    ids.write_text(f"{line}\n{held}")
    return before(f"apply {plan} -p empty --ids ids.ndjson --yes")


@OLDEST
def test_a_plan_that_was_applied_is_not_applied_again(before: Before, folder: Path) -> None:
    ended = apply(before, folder, "done.plan")
    assert ended.stderr.startswith("already applied: done.plan, according to ")
    assert ended.code == 0


@OLDEST
def test_a_plan_is_continued(before: Before, folder: Path) -> None:
    ended = apply(before, folder, "killed.plan")
    assert ended.stdout.splitlines()[0] == "done\t60\t"
    assert ended.code == 0
    pairs = lines((folder / "made/ids.ndjson").read_text())[1:]
    known = [one for one in pairs if one["resource"] == "ticketing/accounts"]
    assert len({one["from"] for one in known}) == len(known) == 60


def place(folder: Path, to: str) -> str:
    """Where an export goes: a folder, or a store in a folder."""
    if not to.startswith("store"):
        return to
    pytest.importorskip("obstore", reason="needs the extra cloud")
    return f"file://{folder}/made/{to}"


@pytest.mark.parametrize("form", FORMS)
def test_a_complete_export_stays(before: Before, form: str) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow", reason="needs the extra parquet")
    ended = before(
        f"-p full export ticketing/tags ticketing/tickets --to export-{form} --format {form}"
    )
    told, old = ended.stderr.splitlines()
    assert (
        told
        == f"wrote 0 files with 0 records to export-{form}, 2 already complete; 2 of 2 lists done"
    )
    read = r"full/ticketing/t\w+ \(read 2026-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00\)"
    adds = "" if form in {"csv", "json"} else "--incremental adds the changes since then, "
    assert re.fullmatch(
        f"not read again: {read}, {read}; {adds}--restart reads everything again", old
    )
    assert ended.code == 0
    assert before(f"export --verify export-{form}").code == 0


@pytest.mark.parametrize(
    ("to", "more"),
    [
        ("export-killed", "ticketing/tags --page-size 10"),
        pytest.param("store-killed", "ticketing/tags --page-size 10", marks=pytest.mark.extra),
    ],
)
def test_an_export_is_continued(before: Before, folder: Path, to: str, more: str) -> None:
    where = place(folder, to)
    ended = before(f"-p full export ticketing/tickets {more} --to {where}")
    # The machine that wrote it knows at once that the run is dead; other machines wait.
    last = ended.stderr.splitlines()[-1]
    assert re.fullmatch(
        rf"wrote 2 files with \d+ records to {where}, 0 already complete; 2 of 2 lists done", last
    )
    assert (
        before(f"export --verify {where}").stderr
        == f"{where}: the manifest matches 2 files; 2 of 2 lists done\n"
    )


@pytest.mark.parametrize(
    "to", ["increments", "increments-killed", pytest.param("store", marks=pytest.mark.extra)]
)
def test_an_increment_continues_from_its_mark(before: Before, folder: Path, to: str) -> None:
    where = place(folder, to)
    before("-p full ticketing tickets update tickets-7 -f name=later")
    ended = before(f"-p full export ticketing/tickets --to {where} --incremental")
    # A plain first run noted no mark: its list is read whole once.
    count = "120" if to == "increments-killed" else "[1-4]"
    (wrote,) = [line for line in ended.stderr.splitlines() if line.startswith("wrote ")]
    assert re.fullmatch(
        rf"wrote 1 file with {count} records to {where}, 0 already complete; 1 of 1 list done",
        wrote,
    )
    held = "".join(path.read_text() for path in (folder / "made" / to / "full").rglob("*.ndjson"))
    known = {one["id"]: one for one in sorted(lines(held), key=lambda one: one["updated_at"])}
    served = before("-p full ticketing tickets list --all -o ndjson").stdout
    # The words for a status are those that the service publishes since 0.3.0.
    shown = {one["id"]: (one["name"], one["updated_at"]) for one in lines(served)}
    assert {key: (one["name"], one["updated_at"]) for key, one in known.items()} == shown


@OLDEST
@pytest.mark.extra
def test_parquet_files_continue_with_their_columns(before: Before, folder: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra parquet")
    made = folder / "made" / "export-parquet" / "full" / "ticketing"
    before("-p full ticketing tickets update tickets-7 -f name=later")
    export = "-p full export ticketing/tickets --to export-parquet --format parquet"
    assert before(f"{export} --incremental").code == 0
    schemas = [
        parquet.read_schema(made / name) for name in ("tickets.parquet", "tickets.2.parquet")
    ]
    assert schemas[0] == schemas[1]
    assert {str(field.type) for field in schemas[1]} == {"string"}
    # A part that has no manifest yet is beside the others.
    shard = "-p empty export ticketing/tags --to export-parquet --format parquet"
    assert [before(f"{shard} --shard {number}/2").code for number in (1, 2)] == [0, 0]
    assert (
        parquet.read_schema(folder / "made/export-parquet/empty/ticketing/tags.parquet")
        == schemas[0]
    )
    assert before(f"{export} --restart").code == 0
    assert parquet.read_schema(made / "tickets.parquet") == schemas[0]
    all_lists = export.replace("ticketing/tickets", "ticketing/tickets ticketing/tags")
    assert before(f"{all_lists} --restart").code == 0
    assert (
        str(parquet.read_schema(made / "tickets.parquet").field("updated_at").type)
        == "timestamp[us, tz=UTC]"
    )


def test_a_shard_and_a_task_are_verified(before: Before) -> None:
    assert (
        before("export --verify shards").stderr
        == "shards: the manifest matches 2 files; 2 of 2 lists done\n"
    )
    assert (
        before("export --verify tasks").stderr
        == "tasks: the manifest matches 1 file; 1 of 1 list done\n"
    )


def test_a_list_is_continued_at_its_page(before: Before, folder: Path) -> None:
    ended = before(
        "-p full ticketing tickets list --all -o ndjson --page-size 10 --out killed-list.ndjson"
    )
    assert ended.stderr.startswith("wrote 120 records of 12 pages to killed-list.ndjson")
    served = before("-p full ticketing tickets list --all -o ids").stdout.split()
    assert [one["id"] for one in lines((folder / "made/killed-list.ndjson").read_text())] == served


def test_files_that_were_downloaded_stay(before: Before) -> None:
    ids = before("-p full ticketing attachments list -o ids --limit 3").raw
    ended = before("-p full ticketing attachments download --from - --out files/", stdin=ids)
    assert ended.stderr.endswith(
        "0 files saved, 3 already there; files/manifest.ndjson lists them\n"
    )
    assert ended.code == 0


def test_a_recording_is_replayed(before: Before, folder: Path) -> None:
    recorded = json.loads((folder / "made/list.har").read_text())["log"]["entries"][0]["response"][
        "content"
    ]["text"]
    ended = before("-p full ticketing tags list --replay list.har")
    assert (ended.stdout, ended.code) == (f"{recorded}\n", 0)


def test_the_state_of_the_sandbox(before: Before) -> None:
    assert before("-p full ticketing tickets get tickets-1 --jq .name").stdout == "changed\n"


def test_a_schema_is_compared(before: Before) -> None:
    assert before("schema ticketing/tags -p full --against schema.json").code == 0


@pytest.mark.parametrize(
    "command", ["capabilities ticketing/tags -p full", "ticketing tags list --help", "profile list"]
)
def test_caches_are_read_or_ignored(before: Before, command: str) -> None:
    ended = before(command)
    assert (ended.stderr, ended.code) == ("", 0)
