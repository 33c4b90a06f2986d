"""Exports: complete or saying so, resumable, verifiable, one at a time in one place."""

import csv
import fcntl
import hashlib
import json
import os
import re
import threading
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx
import pytest
from front_door import Clock, QuickClock, Unified
from pages import cursor_of, serve, served, tickets
from server import Reply, Seen, Service

from unified_cli.catalogue import load
from unified_cli.exported import parquet_file
from unified_cli.installation import command_to_add
from unified_cli.output.progress import Progress
from unified_cli.storage import object_store

Config = Callable[[str], Path]
LISTS = [operation for operation in load() if operation.lists]
ONE = "ticketing tickets list --all -o ndjson --out"
PAGES = [tickets(3), tickets(3, 3), tickets(2, 6)]
WHOLE = "".join(json.dumps(record) + "\n" for page in PAGES for record in page).encode()
GONE = {"statusCode": 410, "error": "Gone", "message": "cursor expired"}


def sandboxes(config: Config, **accounts: str) -> None:
    tables = (
        f'[profiles.{name}]\naccount_id = "{account}"\n' for name, account in accounts.items()
    )
    config('base_url = "sandbox:"\n' + "".join(tables))


def manifest(folder: Path, name: str = "manifest.json") -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / name).read_text())
    return found


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def stopping_at(service: Service, cursor: str, how: Callable[[], Reply]) -> Callable[[Seen], Reply]:
    """Serve the pages, but for one; gives what serves them all."""
    serve(service, PAGES)
    good = service.reply
    service.reply = lambda seen: how() if cursor_of(seen) == cursor else good(seen)
    return good


def test_every_list_of_two_connections_is_exported_verified_and_then_left_alone(
    unified: Unified, config: Config, tmp_path: Path
) -> None:
    sandboxes(config, one="full:one", two="full:two")
    folder = tmp_path / "dump"
    first = unified(f"export -p * --to {folder}")
    assert (first.stdout, first.code) == ("", 0)
    kept = files(folder)
    found = manifest(folder)
    expected = {
        f"{name}/{one.api}/{one.resource}.ndjson" for name in ("one", "two") for one in LISTS
    }
    assert (
        {entry["file"] for entry in found["files"]} == expected == kept.keys() - {"manifest.json"}
    )
    assert found["complete"] is True
    for entry in found["files"]:
        data = kept[entry["file"]]
        assert (entry["bytes"], entry["sha256"]) == (len(data), hashlib.sha256(data).hexdigest())
        assert entry["records"] == data.count(b"\n")
        assert (folder / entry["file"]).stat().st_mode & 0o777 == 0o600
    assert unified(f"export --verify {folder}").code == 0

    again = unified(f"export -p * --to {folder}", wall=lambda: time.time() + 86_400)
    assert again.code == 0
    told, old = again.stderr.splitlines()
    number = len(expected)
    assert told == (
        f"wrote 0 files with 0 records to {folder}, {number} already complete; {number} of {number}"
        " lists done"
    )
    times = sorted(entry["ended"] for entry in found["files"])
    ways = "--incremental adds the changes since then, --restart reads everything again"
    assert re.fullmatch(
        rf"not read again: {len(expected)} lists, "
        rf"read between {re.escape(times[0])} \(\S+\) and {re.escape(times[-1])} \(\S+\); {ways}",
        old,
    )
    assert {name: data for name, data in files(folder).items() if name != "manifest.json"} == {
        name: data for name, data in kept.items() if name != "manifest.json"
    }


@pytest.mark.parametrize("shards", [2, 3, 7])
def test_shards_put_together_are_the_whole(
    shards: int, unified: Unified, config: Config, tmp_path: Path
) -> None:
    sandboxes(config, one="full:one", two="full:two")
    what = "export ticketing/t* ats/j* -p *"
    assert unified(f"{what} --to {tmp_path / 'whole'}").code == 0
    for number in range(1, shards + 1):
        assert unified(f"{what} --to {tmp_path / 'parts'} --shard {number}/{shards}").code == 0
    whole, parts = files(tmp_path / "whole"), files(tmp_path / "parts")
    del whole["manifest.json"]
    names = [f"manifest-{number}-of-{shards}.json" for number in range(1, shards + 1)]
    shares = [{entry["file"] for entry in json.loads(parts.pop(name))["files"]} for name in names]
    assert parts == whole
    assert sum(map(len, shares)) == len(whole)
    assert unified(f"export --verify {tmp_path / 'parts'}").code == 0


@pytest.mark.parametrize("shard", ["0/3", "4/3", "1", "a/b", "1/0"])
def test_an_invalid_shard_is_refused(shard: str, unified: Unified, tmp_path: Path) -> None:
    result = unified(f"-p sandbox export ticketing --to {tmp_path / 'x'} --shard {shard}")
    assert (result.code, (tmp_path / "x").exists()) == (2, False)


def test_an_operation_that_a_connection_lacks_is_skipped_without_a_failure(
    unified: Unified, config: Config, tmp_path: Path
) -> None:
    sandboxes(config, less="limited:less")
    result = unified(f"export ticketing -p less --to {tmp_path / 'x'}")
    assert (result.code, result.stderr.endswith(" not offered; 17 of 17 lists done\n")) == (0, True)
    absent = [entry for entry in manifest(tmp_path / "x")["files"] if not entry["offered"]]
    assert {entry["resource"] for entry in absent} >= {"attachments", "comments", "tags"}
    assert not any((tmp_path / "x" / entry["file"]).exists() for entry in absent)
    assert unified(f"export --verify {tmp_path / 'x'}").code == 0
    named = unified(f"export ticketing/tags -p less --to {tmp_path / 'y'}")
    assert named.code == 4


def test_failures_of_what_is_not_offered_are_one_line_and_are_counted_by_themselves(
    unified: Unified, config: Config, tmp_path: Path
) -> None:
    sandboxes(config, down="blocked:a", good="full:a", **{x: f"directory:{x}" for x in "bcde"})
    result = unified("ticketing tickets list -p *")
    *_, alike, last = result.stderr.splitlines()
    assert alike.startswith(
        "4 failed for similar reasons (b, c, d, e); the error of b: the service answered 404"
    )
    few = "failed (4 may not offer the list): down, b, c, d, e"
    assert (result.code, last) == (9, f"error: 5 of 6 connections {few}")
    *_, skipped, _ = unified("ticketing tickets list -p * --expect length>0").stderr.splitlines()
    assert skipped.startswith("4 were skipped for similar reasons (b, c, d, e); the error of b: ")
    result = unified(f"export ticketing/tickets -p * --to {tmp_path / 'x'}")
    assert "\nerror: 5 of 6 lists failed (4 may not be offered): b/" in result.stderr


def test_what_many_lists_have_in_common_is_one_line_unless_verbose(
    unified: Unified, config: Config, tmp_path: Path
) -> None:
    sandboxes(config, old="untimed:a", down="blocked:a")
    export = f"export ticketing -p * --rate 0 --incremental --to {tmp_path / 'x'}"
    unified(export)
    again = unified(export).stderr.splitlines()
    (whole,) = [line for line in again if line.endswith("so the whole list is read again")]
    assert whole.startswith("17 lists, such as old/ticketing/accounts.ndjson (-v names them): no")
    every = unified(f"{export} -v").stderr
    assert every.count(".ndjson: no record had an updated_at older than --lag") == 17
    config('[profiles.part]\nbase_url = "sandbox:"\naccount_id = "partial"\n')
    part = unified(f"export ticketing -p part --rate 0 --to {tmp_path / 'y'}").stderr
    assert part.count("\npart: 17 partial files (-v names them), the first part/ticketing/") == 1
    verify = f"export --verify {tmp_path / 'x'}"
    gap, *_ = unified(verify).stderr.splitlines()
    first = "the first down/ticketing/accounts.ndjson: not complete: the service answered 503"
    assert gap.startswith(f"down: 17 missing files (-v names them), {first}")
    assert unified(f"{verify} -v").stderr.count(".ndjson: not complete: ") == 17


def test_connections_that_failed_alike_are_one_line_and_the_last(
    unified: Unified, config: Config, tmp_path: Path
) -> None:
    sandboxes(config, good="full:good", **{f"bad{at}": f"blocked:bad{at}" for at in range(4)})
    result = unified(f"export ticketing/tags ticketing/teams -p * --to {tmp_path / 'x'}")
    *_, wrote, alike, _error, _next = result.stderr.splitlines()
    assert (result.code, wrote.startswith("wrote 2 files with ")) == (9, True)
    assert alike.startswith(
        "8 lists of 4 connections failed for similar reasons (bad0, bad1, bad2, bad3); the error"
        " of bad0/ticketing/tags.ndjson: "
    )


def test_one_bad_connection_does_not_prevent_the_others(
    unified: Unified, config: Config, tmp_path: Path
) -> None:
    sandboxes(config, good="full:good", bad="blocked:bad")
    folder = tmp_path / "x"
    result = unified(f"export ticketing/t* -p good -p bad --to {folder}")
    assert result.code == 9
    assert "bad: 8 lists failed, the first with: the service answered 503" in result.stderr
    assert {name.partition("/")[0] for name in files(folder)} == {"good", "manifest.json"}
    verdict = unified(f"export --verify {folder} -v")
    assert verdict.code == 9
    assert "bad/ticketing/tickets.ndjson: not complete" in verdict.stderr


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_token_ends_a_connection_and_a_forbidden_list_only_itself(
    status: int, unified: Unified, service: Service, tmp_path: Path
) -> None:
    resources = [operation.resource for operation in LISTS if operation.api == "ticketing"]
    asked = 1 if status == 401 else len(resources)
    serve(service, [tickets(1)])
    good = service.reply
    service.reply = lambda seen: (
        served({}, status) if seen.segments[-1] == resources[0] else good(seen)
    )
    folder = tmp_path / "dump"
    result = unified(f"export ticketing --to {folder} --workers 1", environ=service.environ)
    assert (result.code, len(service.seen)) == (7 if status == 401 else 9, asked)
    assert sum(entry["complete"] for entry in manifest(folder)["files"]) == asked - 1


@pytest.mark.parametrize("workers", [1, 3])
def test_a_connection_is_used_for_one_list_after_the_other_and_closed(
    workers: int, unified: Unified, config: Config, tmp_path: Path
) -> None:
    tables = (f'[profiles.c-{number}]\naccount_id = "a-{number}"\n' for number in range(40))
    config('base_url = "https://api.example.com"\n' + "".join(tables))
    opened, closed, most = list[httpx.BaseTransport](), list[httpx.BaseTransport](), list[int]()

    class Transport(httpx.BaseTransport):
        def handle_request(self, _: httpx.Request) -> httpx.Response:
            most.append(len(opened) - len(closed))
            return httpx.Response(
                200, stream=httpx.ByteStream(b'{"result": [], "next_cursor": null}')
            )

        def close(self) -> None:
            closed.append(self)

    def transport() -> httpx.BaseTransport:
        opened.append(Transport())
        return opened[-1]

    environ = {"UNIFIED_TOKEN": "t-0123456789", "UNIFIED_BASE_URL": "https://api.example.com"}
    command = f"export 'ticketing/t*' -p c-* --to {tmp_path / 'dump'} --workers {workers}"
    result = unified(command, environ=environ, transport=transport)
    assert result.code == 0, result.stderr
    # Twelve idle ones, and those of twelve threads, which continue by turns.
    assert workers < max(most) <= 12 + 12
    assert closed
    assert sorted(map(id, closed)) == sorted(map(id, opened))


@pytest.mark.parametrize(
    "command", ["export ticketing/tickets --to dump", "ticketing tickets list --all -o ndjson"]
)
@pytest.mark.parametrize("status", [429, 503])
def test_other_connections_are_read_while_one_waits(
    status: int,
    command: str,
    unified: Unified,
    service: Service,
    config: Config,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    accounts = [f"a-{number}" for number in range(6)]
    tables = (f'[profiles.{name}]\naccount_id = "{name}"\n' for name in accounts)
    config(f'base_url = "{service.url}"\n' + "".join(tables))
    asked, lock = list[tuple[str, str | None]](), threading.Lock()
    refused: set[str] = set()

    def reply(seen: Seen) -> Reply:
        # One worker sends one request at a time.
        assert lock.acquire(blocking=False)
        try:
            account = dict(seen.query)["integrated_account_id"]
            asked.append((account, cursor_of(seen)))
            if cursor_of(seen) is None:
                return served({"result": tickets(1), "next_cursor": "c1"})
            # No second page is served before all connections have asked for theirs.
            if account not in refused or len(refused) < len(accounts):
                refused.add(account)
                return Reply(
                    status, b"{}", {"Content-Type": "application/json", "Retry-After": "5"}
                )
            return served({"result": tickets(1), "next_cursor": None})
        finally:
            lock.release()

    service.reply = reply
    environ = {"UNIFIED_TOKEN": "t-0123456789"}
    clock = QuickClock()
    result = unified(
        f"{command} -p * --workers 1", environ=environ, monotonic=clock.now, sleep=clock.sleep
    )
    assert (result.code, refused) == (0, {*accounts}), result.stderr
    assert [asked.count((name, None)) for name in accounts] == [1] * len(accounts)


def test_waiting_for_other_connections_does_not_use_up_a_retrys_timeout(
    unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    config(
        f'base_url = "{service.url}"\n[profiles.a]\naccount_id = "a"\n[profiles.b]\naccount_id ='
        ' "b"\n'
    )
    asked = list[str]()
    clock = Clock()
    turn_of_b = threading.Event()

    def sleep(seconds: float) -> None:
        until = clock.now() + seconds
        assert turn_of_b.wait(60)
        clock.at = max(clock.now(), until)

    def reply(seen: Seen) -> Reply:
        asked.append(dict(seen.query)["integrated_account_id"])
        clock.sleep(25 if asked[-1] == "b" else 8)
        if asked == ["a"]:
            return Reply(503, b"{}", {"Content-Type": "application/json", "Retry-After": "10"})
        turn_of_b.set()
        return served({"result": tickets(1), "next_cursor": None})

    service.reply = reply
    command = f"export ticketing/tickets -p * --to {tmp_path / 'dump'} --workers 1 --timeout 30"
    environ = {"UNIFIED_TOKEN": "t-0123456789"}
    result = unified(command, environ=environ, monotonic=clock.now, sleep=sleep)
    assert (result.code, asked) == (0, ["a", "b", "a"]), result.stderr


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (
            ["--verify", "x", "--to", "y"],
            "--verify checks an export and writes nothing (leave --to out)",
        ),
        (
            ["--task", ""],
            (
                "--task is not a task of an export: Input data was truncated (unified export …"
                " --tasks prints the tasks)"
            ),
        ),
    ],
)
def test_conflicting_or_empty_options_are_refused(
    words: list[str], reason: str, unified: Unified
) -> None:
    result = unified(["export", *words])
    assert (result.code, result.stderr) == (2, f"error: {reason}\n")


def test_verify_tells_a_name_that_no_file_can_have(unified: Unified, tmp_path: Path) -> None:
    folder, name = tmp_path / "x", f"{'t' * 300}.ndjson"
    unified(f"-p sandbox export ticketing/tickets --to {folder}")
    manifest = folder / "manifest.json"
    manifest.write_text(manifest.read_text().replace("tickets.ndjson", name))
    result = unified(f"export --verify {folder}")
    assert (result.code, f"sandbox/ticketing/{name}: File name too long\n" in result.stderr) == (
        12,
        True,
    )


@pytest.mark.parametrize("damage", ["change", "grow", "remove"])
def test_verify_finds_what_was_changed(damage: str, unified: Unified, tmp_path: Path) -> None:
    folder = tmp_path / "x"
    unified(f"-p sandbox export ticketing/tickets --to {folder}")
    path = folder / "sandbox/ticketing/tickets.ndjson"
    data = path.read_bytes()
    if damage == "remove":
        path.unlink()
    else:
        path.write_bytes(data[:-2] + b" \n" if damage == "change" else data + b"{}\n")
    result = unified(f"export --verify {folder}")
    assert (result.code, result.stderr.startswith("sandbox/ticketing/tickets.ndjson: ")) == (
        12,
        True,
    )
    if damage == "grow":
        again = unified(f"-p sandbox export ticketing/tickets --to {folder}")
        assert (again.code, "is not the file that was exported" in again.stderr) == (12, True)
    else:
        assert unified(f"-p sandbox export ticketing/tickets --to {folder} --restart").code == 0
        assert path.read_bytes() == data


@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_columns_come_after_the_others(unified: Unified, tmp_path: Path, form: str) -> None:
    command = f"-p sandbox export ticketing/tickets -o {form} --page-size 7"
    added = unified(f"{command} --columns status.name,id,nope --to {tmp_path}/added")
    assert added.stderr.endswith('no record that was written has the column "nope"\n')
    assert unified(f"{command} --to {tmp_path}/plain").code == 0
    mark = {"csv": ",", "tsv": "\t"}[form]
    found, plain = (
        (tmp_path / name / f"sandbox/ticketing/tickets.{form}").read_text().splitlines()
        for name in ("added", "plain")
    )
    served = unified("-p sandbox ticketing tickets list --all -o ndjson").stdout.splitlines()
    names = [json.loads(line)["status"]["name"] for line in served]
    expected = [f"{line}{mark}{name}{mark}" for line, name in zip(plain[1:], names, strict=True)]
    assert found == [f"{plain[0]}{mark}status.name{mark}nope", *expected]


def test_csv_continues_with_its_columns(unified: Unified, service: Service, tmp_path: Path) -> None:
    good = stopping_at(service, "c1", lambda: served(GONE, 410))
    command = f"export ticketing/tickets -o csv --columns a.b --to {tmp_path}/dump"
    assert unified(command, environ=service.environ).code == 12
    service.reply = lambda seen: (
        served({"result": [{"id": 9, "a": {"b": "x"}}]}) if cursor_of(seen) else good(seen)
    )
    result = unified(command, environ=service.environ)
    assert (result.code, "no column for a, first seen after" in result.stderr) == (9, True)
    head, *rows = (tmp_path / "dump/acct-1/ticketing/tickets.csv").read_text().splitlines()
    assert (head.split(",")[-1], rows[0].split(",")[-1], rows[-1].split(",")[-1]) == (
        "a.b",
        "",
        "x",
    )


def test_a_dry_run_says_what_goes_where(unified: Unified, config: Config, tmp_path: Path) -> None:
    sandboxes(config, one="full:one", two="full:two")
    folder = tmp_path / "dump"
    command = f"export ticketing/tickets ticketing/tag* -p * --to {folder} -o csv --dry-run"
    result = unified(command)
    assert (result.code, result.stderr) == (
        0,
        f"would write 4 lists of 2 connections to {folder}; nothing was sent or written\n",
    )
    assert [line.split("\t") for line in result.stdout.splitlines()] == [
        [name, "http://sandbox", f"full:{name}", what, f"{folder}/{name}/{what}.csv"]
        for what in ("ticketing/tags", "ticketing/tickets")
        for name in ("one", "two")
    ]
    assert not folder.exists()
    shards = [unified(f"{command} --shard {number}/2").stdout.splitlines() for number in (1, 2)]
    assert sorted(line for lines in shards for line in lines) == sorted(result.stdout.splitlines())
    assert "PROFILE" in unified(command, tty=True).stdout


@pytest.mark.extra
@pytest.mark.skipif(find_spec("obstore") is None, reason="needs the extra cloud")
def test_a_dry_run_needs_no_token_and_sends_nothing(
    unified: Unified, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    environ = {name: value for name, value in service.environ.items() if name != "UNIFIED_TOKEN"}
    monkeypatch.setenv("AWS_ENDPOINT_URL", "https://127.0.0.1:1")
    result = unified("export ticketing/tickets --to s3://bucket/dir --dry-run", environ=environ)
    line = f"acct-1\t{environ['UNIFIED_BASE_URL']}\tacct-1\tticketing/tickets\ts3://bucket/dir/acct-1/ticketing/tickets/\n"
    assert (result.code, result.stdout) == (0, line)
    assert service.seen == []


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            "--tasks --to x",
            "--tasks only prints the tasks, like a dry run (leave --dry-run out)",
        ),
        ("--verify x", "--verify checks an export and writes nothing (leave --dry-run out)"),
        ("", "export needs a folder (--to DIR)"),
        ("--to x --wait-timeout 5", "--wait-timeout needs --engine"),
        ("--to ftp://x/y", "cannot export to ftp:// (choose from s3://, gs://, az://, file://)"),
        (
            "--engine tcp://127.0.0.1:1 --to x",
            "--engine takes dask://HOST:PORT, or tls://HOST:PORT on another machine (dask://127.0.0.1:1)",
        ),
    ],
)
def test_an_invalid_dry_run_is_refused(unified: Unified, more: str, said: str) -> None:
    result = unified(f"-p sandbox export --dry-run {more}")
    assert (result.code, result.stdout, result.stderr) == (2, "", f"error: {said}\n")


@pytest.mark.parametrize(
    ("what", "hint"),
    [
        ("ticketing/ticket", "did you mean ticketing/tickets?"),
        ("tickets", "did you mean ticketing/tickets?"),
        ("ticketng", "did you mean ticketing?"),
        ("ticketing/x*", "unified operations list shows all lists"),
    ],
)
def test_a_list_that_is_misspelt_gets_a_hint(
    unified: Unified, tmp_path: Path, what: str, hint: str
) -> None:
    result = unified(f"-p sandbox export {what} --to {tmp_path}/dump")
    assert (result.code, result.stderr) == (
        2,
        f"error: nothing to list matches {what!r} ({hint})\n",
    )


def test_export_as_csv(unified: Unified, tmp_path: Path) -> None:
    folder = tmp_path / "x"
    result = unified(f"-p sandbox export ticketing/tickets -o csv --to {folder} --page-size 7")
    with (folder / "sandbox/ticketing/tickets.csv").open(newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    assert (len(rows), len({row["id"] for row in rows}), result.code) == (120, 120, 0)


def test_a_folder_takes_no_second_format(unified: Unified, tmp_path: Path) -> None:
    folder = tmp_path / "dump"
    command = f"-p sandbox export ticketing/tags --to {folder} --quiet"
    assert unified(command).code == 0
    before = files(folder)
    result = unified(f"{command} -o csv")
    said = (
        f"error: {folder} holds an export in another format: ndjson, not csv (--format ndjson,"
        " choose another folder with --to, or replace the export with --restart)\n"
    )
    assert (result.stderr, result.code, files(folder)) == (said, 12, before)
    assert unified(f"{command} --format ndjson").code == 0


def test_no_format_is_named_that_incremental_cannot_add_to(
    unified: Unified, tmp_path: Path
) -> None:
    command = f"-p sandbox export ticketing/tags --to {tmp_path}/dump --quiet"
    assert unified(f"{command} -o csv").code == 0
    result = unified(f"{command} --incremental")
    assert (result.code, "ndjson (choose another folder" in result.stderr) == (12, True)


def test_a_folder_of_another_export_is_refused(unified: Unified, tmp_path: Path) -> None:
    folder = tmp_path / "x"
    assert unified(f"-p sandbox export ticketing/tickets --to {folder}").code == 0
    other = unified(f"-p sandbox export ticketing/tickets --to {folder} -q status=open")
    assert (
        other.code,
        "was exported with another -q or --page-size (choose another" in other.stderr,
    ) == (12, True)
    limited = unified(f"-p sandbox export ticketing/tickets --to {folder} -a full:2 -q status=open")
    both = "with another -q or --page-size and another account (choose another"
    assert (limited.code, both in limited.stderr) == (12, True), limited.stderr
    kept = json.loads((folder / "manifest.json").read_text())
    del kept["files"][0]["options"]
    (folder / "manifest.json").write_text(json.dumps(kept))
    old = unified(f"-p sandbox export ticketing/tickets --to {folder} -q status=open")
    assert (old.code, "was exported with other options (choose another" in old.stderr) == (12, True)


def test_a_file_appears_whole_and_private(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    serve(service, PAGES)
    target = tmp_path / "t"
    result = unified(f"{ONE} {target}", environ=service.environ)
    digest = hashlib.sha256(WHOLE).hexdigest()
    said = f"wrote 8 records of 3 pages to {target} ({len(WHOLE)} bytes, sha256 {digest})\n"
    assert (result.stdout, result.stderr, result.code) == ("", said, 0)
    assert (target.read_bytes(), target.stat().st_mode & 0o777) == (WHOLE, 0o600)
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["t"]


def test_a_broken_run_continues_where_it_stopped(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    target = tmp_path / "t"
    good = stopping_at(
        service, "c2", lambda: served({"statusCode": 500, "error": "x", "message": "down"}, 500)
    )
    broken = unified(f"{ONE} {target}", environ=service.environ)
    assert (broken.code, target.exists()) == (5, False)
    assert (
        "down (the service failed; try again later); run the same command to resume at page 3"
        in broken.stderr
    )
    service.reply = good
    service.seen.clear()
    assert unified(f"{ONE} {target}", environ=service.environ).code == 0
    assert target.read_bytes() == WHOLE
    assert [cursor_of(seen) for seen in service.seen] == ["c2"]


def test_the_thread_that_waits_for_the_lists_is_not_woken_for_each_page(
    unified: Unified, service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[tuple[int, bool]] = []
    add = Progress.add

    def told(shown: Progress, units: int = 0, **more: int) -> None:
        counted.append((units, threading.current_thread() is threading.main_thread()))
        add(shown, units, **more)

    monkeypatch.setattr(Progress, "add", told)
    serve(service, PAGES)
    assert (
        unified(f"export ticketing/tickets --to {tmp_path / 'dump'}", environ=service.environ).code
        == 0
    )
    assert counted == [(3, False), (3, False), (2, False), (0, True)]


def test_a_run_that_got_nothing_leaves_nothing(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    service.reply = lambda _: served(GONE, 410)
    result = unified(f"{ONE} {tmp_path / 't'}", environ=service.environ)
    assert (result.code, [path.name for path in tmp_path.iterdir() if path.is_file()]) == (4, [])


def test_a_run_does_not_continue_at_a_page_of_an_earlier_run(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    good = stopping_at(
        service, "c2", lambda: served({"statusCode": 500, "error": "x", "message": "down"}, 500)
    )
    assert unified(f"{ONE} {tmp_path / 't'}", environ=service.environ).code == 5
    back = served({"result": PAGES[2], "next_cursor": "c1"})
    service.reply = lambda seen: back if cursor_of(seen) == "c2" else good(seen)
    service.seen.clear()
    result = unified(f"{ONE} {tmp_path / 't'}", environ=service.environ)
    assert (result.code, [cursor_of(seen) for seen in service.seen]) == (5, ["c2"])
    assert (
        "page 3 of GET /unified/ticketing/tickets leads back to a page already read"
        in result.stderr
    )


def test_an_expired_cursor_ends_with_12_keeps_the_pages_and_is_not_tried_for_ever(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    target = tmp_path / "t"
    good = stopping_at(service, "c2", lambda: served(GONE, 410))
    for _ in range(2):
        service.seen.clear()
        result = unified(f"{ONE} {target}", environ=service.environ)
        assert result.code == 12
        assert "the service no longer accepts the cursor of page 3" in result.stderr
        assert [cursor_of(seen) for seen in service.seen].count("c2") == 1
    assert (tmp_path / "t.part").read_bytes() == WHOLE[: (tmp_path / "t.part").stat().st_size]
    service.reply = good
    kept = unified(f"{ONE} {target} --restart", environ=service.environ)
    assert (kept.code, target.read_bytes()) == (0, WHOLE)


def test_restart_with_dedupe_keeps_existing_records(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    target = tmp_path / "t"
    good = stopping_at(service, "c2", lambda: served(GONE, 410))
    assert unified(f"{ONE} {target} --dedupe id", environ=service.environ).code == 12
    service.reply = good
    result = unified(f"{ONE} {target} --dedupe id --restart", environ=service.environ)
    assert (result.code, target.read_bytes()) == (0, WHOLE)
    assert result.stderr.endswith(", left out 6\n")


def test_dedupe_leaves_out_what_moved_between_pages(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    serve(service, [tickets(3), tickets(3, 2), tickets(2, 5)])
    result = unified(f"{ONE} {tmp_path / 't'} --dedupe id", environ=service.environ)
    assert [json.loads(line)["id"] for line in (tmp_path / "t").read_bytes().splitlines()] == [
        f"t-{number}" for number in range(7)
    ]
    assert result.stderr.endswith(", left out 1\n")


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda text: b"\0" * len(text),
        lambda text: text.replace(b'"v": 1', b'"v": 2'),
        lambda text: text.replace(b'"records": 6', b'"records": 5'),
        lambda _: b"",
        lambda _: b"[]",
    ],
)
def test_a_damaged_checkpoint_is_refused_and_the_pages_are_left_alone(
    damage: Callable[[bytes], bytes], unified: Unified, service: Service, tmp_path: Path
) -> None:
    target, checkpoint, part = tmp_path / "t", tmp_path / "t.ckpt", tmp_path / "t.part"
    good = stopping_at(service, "c2", lambda: served(GONE, 410))
    unified(f"{ONE} {target}", environ=service.environ)
    before = part.read_bytes()
    checkpoint.write_bytes(damage(checkpoint.read_bytes()))
    service.reply = good
    service.seen.clear()
    result = unified(f"{ONE} {target}", environ=service.environ)
    assert (result.code, part.read_bytes(), service.seen) == (12, before, [])
    assert str(checkpoint) in result.stderr
    assert "--restart" in result.stderr
    assert unified(f"{ONE} {target} --restart", environ=service.environ).code == 0
    assert target.read_bytes() == WHOLE


@pytest.mark.parametrize("how", ["torn", "changed", "short", "gone"])
def test_the_part_file_is_cut_at_the_checkpoint_or_refused(
    how: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    target, part = tmp_path / "t", tmp_path / "t.part"
    good = stopping_at(service, "c2", lambda: served(GONE, 410))
    unified(f"{ONE} {target}", environ=service.environ)
    data = part.read_bytes()
    {
        "torn": lambda: part.write_bytes(data + b'{"id": "t-6", "na'),
        "changed": lambda: part.write_bytes(data.replace(b"t-0", b"t-9")),
        "short": lambda: part.write_bytes(data[:-1]),
        "gone": part.unlink,
    }[how]()
    service.reply = good
    result = unified(f"{ONE} {target}", environ=service.environ)
    if how == "torn":
        assert (result.code, target.read_bytes()) == (0, WHOLE)
    else:
        assert (result.code, target.exists()) == (12, False)


def test_other_options_do_not_continue_the_same_file(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    stopping_at(service, "c2", lambda: served(GONE, 410))
    unified(f"{ONE} {tmp_path / 't'}", environ=service.environ)
    service.seen.clear()
    for other, named in (
        ("-q a=b", "-q or --page-size"),
        ("--page-size 3", "-q or --page-size"),
        ("--columns id", "--columns"),
        ("-a other", "account"),
        ("--limit 5", "--limit"),
        ("--jq .id --columns a", "--columns and another --jq"),
    ):
        result = unified(
            [*f"{ONE} {tmp_path / 't'}".split(), *other.split()], environ=service.environ
        )
        assert (result.code, service.seen) == (12, []), other
        assert (
            f"t.ckpt belongs to an export with another {named} (--restart starts again)"
            in result.stderr
        )


def test_an_existing_file_is_refused_before_a_request_and_kept_until_the_new_one_is_whole(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    target = tmp_path / "t"
    target.write_bytes(b"old")
    good = stopping_at(service, "c1", lambda: served(GONE, 410))
    refused = unified(f"{ONE} {target}", environ=service.environ)
    assert (refused.code, service.seen, target.read_bytes()) == (11, [], b"old")
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["t"]
    assert unified(f"{ONE} {target} --force", environ=service.environ).code == 12
    assert target.read_bytes() == b"old"
    service.reply = good
    assert unified(f"{ONE} {target} --force", environ=service.environ).code == 0
    assert target.read_bytes() == WHOLE


@pytest.mark.parametrize("name", ["none/t", "t.part-as-link"])
def test_an_unwritable_destination_is_reported_before_a_request(
    name: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    serve(service, PAGES)
    target = tmp_path / name
    if name.endswith("link"):
        (tmp_path / "elsewhere").write_bytes(b"precious")
        target.with_name(f"{name}.part").symlink_to(tmp_path / "elsewhere")
    result = unified(f"{ONE} {target}", environ=service.environ)
    assert (result.code, service.seen) == (12 if name.endswith("link") else 11, [])
    if name.endswith("link"):
        assert (tmp_path / "elsewhere").read_bytes() == b"precious"


def test_a_second_run_to_the_same_file_is_refused(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    serve(service, PAGES)
    lock = os.open(tmp_path / "t.lock", os.O_RDWR | os.O_CREAT, 0o600)
    os.write(lock, b"4711\n")
    os.lseek(lock, 0, os.SEEK_SET)
    fcntl.flock(lock, fcntl.LOCK_EX)
    result = unified(f"{ONE} {tmp_path / 't'}", environ=service.environ)
    os.close(lock)
    assert (result.code, service.seen) == (12, [])
    assert (
        json.loads(result.stderr)["error"]["message"]
        == f"{tmp_path / 't'} is in use by process 4711"
    )


def test_partial_pages_make_a_file_that_is_there_and_an_end_that_says_so(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    serve(service, PAGES, is_partial_response=True)
    result = unified(f"{ONE} {tmp_path / 't'}", environ=service.environ)
    assert (result.code, (tmp_path / "t").read_bytes()) == (9, WHOLE)
    assert "left something out of page 1, 2, 3" in result.stderr
    assert (
        unified(f"{ONE} {tmp_path / 't'} --force --allow-partial", environ=service.environ).code
        == 0
    )


def test_only_an_export_advises_its_options_on_partial_pages(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    serve(service, PAGES, is_partial_response=True)
    folder = tmp_path / "dump"
    run = unified(f"export ticketing/tags --to {folder}", environ=service.environ)
    assert "left something out of page 1, 2, 3 (--allow-partial accepts that)" in run.stderr
    for command in (
        f"export --verify {folder}",
        f"diff ticketing/tags --from {folder} --to sandbox",
        f"import ticketing/tags {folder} --yes",
    ):
        later = unified(command, environ=service.environ)
        assert "left something out of page 1, 2, 3" in later.stderr
        assert "accepts that" not in later.stderr


@pytest.mark.parametrize("limit", [1, 3, 4, 8, 9])
def test_a_limit_holds_across_runs(
    limit: int, unified: Unified, service: Service, tmp_path: Path
) -> None:
    target = tmp_path / "t"
    good = stopping_at(service, "c1", lambda: served(GONE, 410))
    unified(f"{ONE} {target} --limit {limit}", environ=service.environ)
    service.reply = good
    if limit > 3:
        assert unified(f"{ONE} {target} --limit {limit}", environ=service.environ).code == 0
    assert target.read_bytes() == b"".join(WHOLE.splitlines(keepends=True)[:limit])


def test_without_the_library_nothing_is_sent_and_the_install_command_is_printed(
    unified: Unified, service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_file, "find_spec", lambda _: None)
    result = unified(
        f"export ticketing/tickets --to {tmp_path}/dump --format parquet", environ=service.environ
    )
    assert (result.code, result.stderr) == (
        3,
        f"error: --format parquet needs the package pyarrow ({command_to_add('pyarrow')})\n",
    )
    assert service.seen == []
    assert not (tmp_path / "dump").exists()


@pytest.mark.parametrize(
    "to", ["s3://bucket/dir", "gs://bucket/dir", "az://bucket/dir", "file:///dir"]
)
@pytest.mark.parametrize("what", ["ticketing/tickets --to", "--verify"])
def test_without_the_library_of_object_stores_the_install_command_is_printed(
    unified: Unified, service: Service, monkeypatch: pytest.MonkeyPatch, what: str, to: str
) -> None:
    monkeypatch.setattr(object_store, "find_spec", lambda _: None)
    result = unified(f"export {what} {to}", environ=service.environ)
    assert (result.code, result.stderr) == (
        3,
        f"error: object stores need the package obstore ({command_to_add('obstore')})\n",
    )
    assert service.seen == []
