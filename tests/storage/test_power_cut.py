"""Whatever moment the power fails at, what was promised until then is on the disk."""

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified
from many_connections import profiles
from pages import cursor_of, serve, tickets
from power_cut import Disk, Files
from server import Reply, Seen, Service

from unified_cli.errors import StateError
from unified_cli.exported import partial_file
from unified_cli.exported.checkpoint import Checkpoint
from unified_cli.exported.local_folder import LocalFolder

Config = Callable[[str], Path]
Watch = Callable[..., Disk]
PAGES = [tickets(3, 3 * number) for number in range(6)]
WHOLE = "".join(json.dumps(record) + "\n" for page in PAGES for record in page).encode()
LIST = "ticketing tickets list --all -o ndjson --out"
RECORDS = b'{"name": "a"}\n{"name": "b"}\n{"name": "c"}\n'
CONTENT = {name: name.encode() * 1000 for name in "abc"}
CONFIG = 'base_url = "https://api.example.com"\n[profiles.acme]\naccount_id = "1"\n'
TOKEN = b"t-0123456789\n"
LOGIN = "profile login acme --token-stdin --store file"


@pytest.fixture
def watch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watch]:
    """Watch the disk from now on: what the test has put there is safe, and nothing
    waits for the real one.
    """
    disks: list[Disk] = []

    def begin(*, seconds: float = 0) -> Disk:
        disks.append(Disk(tmp_path, monkeypatch, seconds=seconds))
        return disks[-1]

    yield begin
    for disk in disks:
        disk.close()


def holds(files: Files, name: str, *contents: bytes | None) -> None:
    """Insist that the file holds one of these; None is for no file."""
    assert files.get(name) in contents, f"{name} holds {files.get(name, b'nothing')[:60]!r}"


def looked_at(service: Service, look: Callable[[Seen], None]) -> None:
    """Have `look` see each request before it is answered."""
    reply = service.reply

    def looking(seen: Seen) -> Reply:
        look(seen)
        return reply(seen)

    service.reply = looking


def pages_safe(files: Files, name: str) -> int:
    """How many pages the checkpoint of a file counts, all of which must be there."""
    if f"{name}.ckpt" not in files:
        return 0
    try:
        found = Checkpoint.from_text(files[f"{name}.ckpt"], Path(name))
    except StateError as error:
        raise AssertionError(error.message) from None
    kept = [files[path][: found.bytes] for path in (name, f"{name}.part") if path in files] or [b""]
    assert found.sha256 in [hashlib.sha256(data).hexdigest() for data in kept], (
        f"{name}.ckpt counts {found.bytes} bytes that are not there"
    )
    return found.pages


@pytest.mark.parametrize(
    ("seconds", "size", "due"),
    [(0.0, 1 << 30, True), (1.0, 1, True), (1.0, 1 << 30, False)],
    ids=["by the time", "by the bytes", "not yet"],
)
def test_a_checkpoint_that_is_due_counts_pages_that_are_there(
    seconds: float,
    size: int,
    due: Any,
    unified: Unified,
    service: Service,
    watch: Watch,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(partial_file, "_SECONDS", seconds)
    monkeypatch.setattr(partial_file, "_BYTES", size)
    serve(service, PAGES)
    disk = watch()

    def always(files: Files) -> None:
        pages_safe(files, "t")
        holds(files, "t", None, WHOLE)

    def look(seen: Seen) -> None:
        # Of the pages before the one that is asked for, the last one is still to be
        # written.
        written = int((cursor_of(seen) or "c0")[1:]) - 1

        def counted(files: Files) -> None:
            pages = pages_safe(files, "t")
            assert pages >= written if due else pages == 0, (
                f"{pages} pages are safe, and {written} are written"
            )

        disk.check(seen.target, counted)

    disk.always = always
    looked_at(service, look)
    result = unified(f"{LIST} {tmp_path / 't'}", environ=service.environ)
    disk.check("at the end", lambda files: holds(files, "t", WHOLE))
    assert (result.code, disk.broken) == (0, [])


def test_the_last_page_is_put_on_the_disk_with_the_end(
    unified: Unified, service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partial_file, "_SECONDS", 0.0)
    serve(service, PAGES)
    synced, real = list[tuple[int, int]](), os.fsync

    def fsync(handle: int) -> None:
        found = os.fstat(handle)
        synced.append((found.st_ino, found.st_size))
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    result = unified(f"{LIST} {tmp_path / 't'}", environ=service.environ)
    assert (result.code, (tmp_path / "t").read_bytes()) == (0, WHOLE)
    number = (tmp_path / "t").stat().st_ino
    assert len([one for one in synced if one[0] == number]) == len(PAGES)


def test_an_exported_file_is_the_old_one_or_the_new_one(
    unified: Unified, service: Service, watch: Watch, tmp_path: Path
) -> None:
    (tmp_path / "t").write_bytes(b"old")
    serve(service, PAGES)
    disk = watch()
    disk.always = lambda files: holds(files, "t", b"old", WHOLE)
    result = unified(f"{LIST} {tmp_path / 't'} --force", environ=service.environ)
    disk.check("at the end", lambda files: holds(files, "t", WHOLE))
    assert (result.code, disk.broken) == (0, [])


def test_the_manifest_of_an_export_lists_files_that_are_there(
    unified: Unified,
    service: Service,
    config: Config,
    watch: Watch,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(partial_file, "_SECONDS", 0.0)
    monkeypatch.setattr(LocalFolder, "save_seconds", 0.0)
    config('[profiles.one]\naccount_id = "1"\n[profiles.two]\naccount_id = "2"\n')
    serve(service, PAGES)
    disk = watch()

    def listed(files: Files) -> dict[str, Any]:
        text = files.get("dump/manifest.json", b'{"complete": false, "files": []}')
        assert text.endswith((b"}\n", b"]}")), f"the manifest holds {text[:60]!r}"
        found: dict[str, Any] = json.loads(text)
        for entry in found["files"]:
            holds(files, f"dump/{entry['file']}", WHOLE)
        return found

    def always(files: Files) -> None:
        entries = [f"dump/{entry['file']}" for entry in listed(files)["files"]]
        for name in files:
            if name.endswith(".ckpt"):
                pages_safe(files, name.removesuffix(".ckpt"))
            elif name.startswith("dump/") and name.endswith(".ndjson"):
                holds(files, name, WHOLE)
                assert name in entries or f"{name}.ckpt" in files, f"{name} is nobody's"

    def whole(files: Files) -> None:
        found = listed(files)
        assert (found["complete"], len(found["files"]), bool(found["ended"])) == (True, 4, True)

    disk.always = always
    argv = f"export ticketing/tickets ticketing/tags -p * --to {tmp_path / 'dump'} --workers 2"
    result = unified(argv, environ=service.environ)
    disk.check("at the end", whole)
    assert (result.code, disk.broken) == (0, [])


# A disk that is slow, because a record sent before its line is safe must not pass by
# luck.
SLOW = 0.1


@pytest.mark.parametrize("name", ["in.ndjson", "-"], ids=["a file", "a pipe"])
def test_the_journal_of_an_import_names_each_record_before_it_is_sent(
    name: str,
    unified: Unified,
    service: Service,
    watch: Watch,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "in.ndjson").write_bytes(RECORDS)
    monkeypatch.chdir(tmp_path)
    disk = watch(seconds=SLOW)

    def journal(files: Files, state: str) -> list[Any]:
        path = next((path for path in files if path.endswith(".unified-journal")), None)
        assert path, "there is no journal"
        holds(files, path.removesuffix(".unified-journal"), RECORDS)
        entries = [json.loads(line) for line in files[path].splitlines()[1:]]
        return [entry.get("k") for entry in entries if entry["s"] == state]

    def look(seen: Seen) -> None:
        def told(files: Files) -> None:
            assert seen.headers["idempotency-key"] in journal(files, "sent"), (
                "the journal does not say it was sent"
            )

        disk.check("a request", told)

    def whole(files: Files) -> None:
        assert len(journal(files, "ok")) == 3, "the journal does not say that all is done"
        results = [
            content
            for path, content in files.items()
            if path.endswith((".unified-done.ndjson", "report"))
        ]
        assert [content.count(b"\n") for content in results] == [
            3,
            3,
        ], "there is no file of results, or no report"

    looked_at(service, look)
    argv = f"import ticketing/tags {name} --workers 1 --report report"
    result = unified(argv, environ=service.environ, stdin=RECORDS)
    disk.check("at the end", whole)
    assert (result.code, len(service.seen), disk.broken) == (0, 3, [])


def test_the_journal_of_a_run_names_each_call_before_it_is_sent(
    unified: Unified, service: Service, config: Config, watch: Watch
) -> None:
    profiles(config, service.url, 3)
    disk = watch(seconds=SLOW)

    def journal(files: Files) -> list[Any]:
        path = next((path for path in files if path.endswith(".ndjson") and "runs/" in path), None)
        assert path, "there is no journal"
        return [json.loads(line) for line in files[path].splitlines()]

    def look(seen: Seen) -> None:
        def told(files: Files) -> None:
            header, *entries = journal(files)
            assert header["calls"] == len([one for one in entries if "call" in one]), (
                "the journal lacks a call"
            )
            sent = [one["k"] for one in entries if one["s"] == "sent"]
            assert seen.headers["idempotency-key"] in sent, "the journal does not say it was sent"

        disk.check("a request", told)

    def whole(files: Files) -> None:
        done = [one for one in journal(files) if one.get("s") == "ok"]
        assert len(done) == 3, "the journal does not say that all is done"

    looked_at(service, look)
    result = unified("ticketing tickets update t1 -f name=x -p c* --yes --workers 1")
    disk.check("at the end", whole)
    assert (result.code, len(service.seen), disk.broken) == (0, 3, [])


def test_the_manifest_of_downloads_lists_the_files_that_are_there(
    unified: Unified, service: Service, watch: Watch, tmp_path: Path
) -> None:
    (tmp_path / "ids").write_text("a\nb\nc\n")
    kind = {"Content-Type": "application/octet-stream"}

    def reply(seen: Seen) -> Reply:
        if seen.method == "GET":
            record = {
                "id": seen.segments[-1],
                "file_url": f"https://files.example/{seen.segments[-1]}",
            }
            return Reply(200, json.dumps(record).encode())
        return Reply(200, CONTENT[dict(seen.query)["file_url"].rpartition("/")[2]], kind)

    service.reply = reply
    disk = watch()

    def listed(files: Files) -> list[str]:
        entries = [json.loads(line) for line in files.get("out/manifest.ndjson", b"").splitlines()]
        # Listed before it is named: a listed, missing file is downloaded again,
        # an existing file is listed.
        for entry in entries:
            holds(files, f"out/{entry['file']}", CONTENT[entry["id"]], None)
        named = {name for name in files if name.startswith("out/") and not name.startswith("out/.")}
        assert named <= {
            "out/manifest.ndjson",
            "out/manifest.ndjson.lock",
            *(f"out/{entry['file']}" for entry in entries),
        }
        return [entry["id"] for entry in entries if f"out/{entry['file']}" in files]

    def always(files: Files) -> None:
        listed(files)
        for name in files:
            if name.startswith("out/download"):
                holds(files, name, *CONTENT.values())

    def whole(files: Files) -> None:
        assert listed(files) == [*CONTENT]

    disk.always = always
    argv = (
        f"ticketing attachments download --from {tmp_path / 'ids'} --out {tmp_path / 'out'}"
        " --workers 1"
    )
    result = unified(argv, environ=service.environ)
    disk.check("at the end", whole)
    assert (result.code, disk.broken) == (0, [])


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("ticketing tickets get 1", "application/json"),
        ("ticketing attachments download -q id=1", "image/png"),
    ],
    ids=["an answer", "a download"],
)
@pytest.mark.parametrize("old", [None, b"old"], ids=["new", "replaced"])
def test_a_file_for_an_answer_is_there_as_a_whole(
    command: str,
    kind: str,
    old: bytes | None,
    unified: Unified,
    service: Service,
    watch: Watch,
    tmp_path: Path,
) -> None:
    if old:
        (tmp_path / "t").write_bytes(old)
    service.reply = lambda _: Reply(200, b'{"id":"1"}', {"Content-Type": kind})
    disk = watch()
    disk.always = lambda files: holds(files, "t", old, b'{"id":"1"}')
    result = unified(
        f"{command} --out {tmp_path / 't'} {'--force' * bool(old)}", environ=service.environ
    )
    disk.check("at the end", lambda files: holds(files, "t", b'{"id":"1"}'))
    assert (result.code, disk.broken) == (0, [])


@pytest.mark.parametrize(
    ("command", "more"),
    [("profile set acme tags=eu", 'tags = ["eu"]'), (LOGIN, "token_file = ")],
    ids=["a setting", "a token"],
)
def test_a_config_is_the_old_one_or_the_new_one_and_promises_no_token_that_is_not_there(
    command: str, more: str, unified: Unified, config: Config, watch: Watch
) -> None:
    path = config(CONFIG)
    disk = watch()

    def always(files: Files) -> None:
        text = files["config/config.toml"].decode()
        assert text.startswith(CONFIG), f"the config holds {text!r}"
        if "token_file" in text:
            assert TOKEN in [content for name, content in files.items() if ".tokens/" in name], (
                "there is no token"
            )

    disk.always = always
    result = unified(command, stdin=TOKEN)
    assert more in path.read_text()
    disk.check("at the end", lambda files: holds(files, "config/config.toml", path.read_bytes()))
    assert (result.code, disk.broken) == (0, [])


def test_a_token_that_was_taken_back_does_not_come_up_again(
    unified: Unified, config: Config, watch: Watch
) -> None:
    config(CONFIG)
    assert unified(LOGIN, stdin=TOKEN).code == 0
    disk = watch()
    result = unified("profile logout acme")

    def gone(files: Files) -> None:
        assert TOKEN not in files.values()

    disk.check("at the end", gone)
    assert (result.code, disk.broken) == (0, [])
