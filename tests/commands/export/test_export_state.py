"""The files beside an export: nothing but regular files is read, nothing leads
elsewhere, and damage is refused.
"""

import ctypes
import errno
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified
from pages import serve, served, tickets
from server import Reply, Seen, Service

from unified_cli.exported import checkpoint, partial_file
from unified_cli.storage import atomic_file

Config = Callable[[str], Path]
PAGES = [tickets(3), tickets(3, 3), tickets(2, 6)]
ONE = "ticketing tickets list --all -o ndjson --out"
MANY = "export ticketing/tickets ticketing/users --to"
REFUSED = {"statusCode": 500, "error": "x", "message": "x"}


def plant_pipe(path: Path) -> None:
    os.mkfifo(path)


def plant_link(path: Path) -> None:
    path.symlink_to("/etc/passwd")


PLANTED = pytest.mark.parametrize(
    "plant", [plant_pipe, plant_link, Path.mkdir], ids=["pipe", "link", "folder"]
)


@PLANTED
@pytest.mark.parametrize("end", ["ckpt", "lock"])
def test_state_of_a_list_is_a_regular_file(
    end: str, plant: Callable[[Path], None], unified: Unified, service: Service, tmp_path: Path
) -> None:
    serve(service, PAGES)
    path = tmp_path / f"tickets.{end}"
    plant(path)
    result = unified(f"{ONE} {tmp_path / 'tickets'}", environ=service.environ)
    assert (result.code, service.seen) == (12, [])
    assert f"{path} is not a regular file" in result.stderr


@PLANTED
def test_a_part_file_is_a_regular_file(
    plant: Callable[[Path], None], unified: Unified, service: Service, tmp_path: Path
) -> None:
    broken_off(unified, service, tmp_path / "tickets")
    path = tmp_path / "tickets.part"
    path.unlink()
    plant(path)
    result = unified(f"{ONE} {tmp_path / 'tickets'}", environ=service.environ)
    assert (result.code, service.seen) == (12, [])
    assert f"{path} is not a regular file (--restart starts again)" in result.stderr


def broken_off(unified: Unified, service: Service, path: Path) -> None:
    """Leave a list that was read in part, and a service that serves all of it."""
    serve(service, PAGES)
    good = service.reply
    service.reply = lambda seen: (
        good(seen) if dict(seen.query).get("next_cursor") != "c2" else served(REFUSED, 500)
    )
    assert unified(f"{ONE} {path} --retries 0", environ=service.environ).code == 5
    service.reply = good
    service.seen.clear()


@PLANTED
@pytest.mark.parametrize("name", ["manifest.json", "manifest.json.lock"])
@pytest.mark.parametrize("command", [f"{MANY} dump", "export --verify dump"])
def test_state_of_an_export_is_a_regular_file(
    command: str,
    name: str,
    plant: Callable[[Path], None],
    unified: Unified,
    service: Service,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    serve(service, PAGES)
    (tmp_path / "dump").mkdir(0o700)
    plant(tmp_path / "dump" / name)
    result = unified(command, environ=service.environ)
    assert (result.code, service.seen) == (12, [])
    assert "verify" in command or f"dump/{name} is not a regular file" in result.stderr


@PLANTED
def test_verify_reads_nothing_but_regular_files(
    plant: Callable[[Path], None], unified: Unified, service: Service, tmp_path: Path
) -> None:
    serve(service, PAGES)
    assert unified(f"{MANY} {tmp_path / 'dump'}", environ=service.environ).code == 0
    path = next((tmp_path / "dump").rglob("tickets.ndjson"))
    path.unlink()
    plant(path)
    result = unified(f"export --verify {tmp_path / 'dump'}")
    assert result.code == 12
    assert "tickets.ndjson: not a regular file" in result.stderr


def replace_by_link(folder: Path, elsewhere: Path) -> None:
    """Move a folder away, and put a link in its place."""
    if folder.exists():
        folder.rename(elsewhere)
    elsewhere.mkdir(exist_ok=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.symlink_to(elsewhere)


def named(config: Config, service: Service) -> None:
    config(
        f'base_url = "{service.url}"\ntoken = "t-0123456789"\n[profiles.acme]\naccount_id = "1"\n'
    )


@pytest.mark.parametrize("below", ["acme", "acme/ticketing"])
def test_an_export_follows_no_link_below_its_folder(
    below: str, unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    named(config, service)
    serve(service, PAGES)
    replace_by_link(tmp_path / "dump" / below, tmp_path / "elsewhere")
    result = unified(f"{MANY} {tmp_path / 'dump'} -p acme")
    assert (result.code, service.seen) == (13, [])
    assert f"the folder {tmp_path / 'dump' / below} is a symbolic link" in result.stderr
    assert [*(tmp_path / "elsewhere").iterdir()] == []


@pytest.mark.parametrize("page", range(3))
@pytest.mark.parametrize("below", ["acme", "acme/ticketing"])
def test_a_folder_that_becomes_a_link_in_mid_run_ends_it(
    below: str,
    page: int,
    unified: Unified,
    service: Service,
    config: Config,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(partial_file, "_SECONDS", 0)
    named(config, service)
    serve(service, PAGES)
    good = service.reply

    def reply(seen: Seen) -> Reply:
        folder = tmp_path / "dump" / below
        if dict(seen.query).get("next_cursor", "c0") == f"c{page}" and not folder.is_symlink():
            replace_by_link(folder, tmp_path / "away")
            (tmp_path / "empty" / "ticketing").mkdir(parents=True)
            folder.unlink()
            folder.symlink_to(tmp_path / "empty")
        return good(seen)

    service.reply = reply
    result = unified(f"{MANY} {tmp_path / 'dump'} -p acme --workers 1")
    assert (result.code, "is a symbolic link" in result.stderr) == (13, True)
    assert [path for path in (tmp_path / "empty").rglob("*") if path.is_file()] == []


def exchange(one: Path, other: Path) -> None:
    """Let two paths change places: in one step where the system can, so that neither is
    missing for a moment.
    """
    here, both = -100, 2
    try:
        failed = ctypes.CDLL(None).renameat2(here, bytes(one), here, bytes(other), both)
    except AttributeError:
        failed = -1
    if failed:
        between = one.with_name("between")
        one.rename(between)
        other.rename(one)
        between.rename(other)


@pytest.mark.parametrize("page", range(3))
@pytest.mark.parametrize("form", ["ndjson", pytest.param("parquet", marks=pytest.mark.extra)])
@pytest.mark.parametrize("command", ["export", "list"])
def test_a_target_folder_that_is_replaced_in_mid_run_gets_nothing(
    command: str,
    form: str,
    page: int,
    unified: Unified,
    service: Service,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow.parquet", reason="needs the extra parquet")
        if command == "list":
            return
    monkeypatch.setattr(partial_file, "_SECONDS", 0)
    serve(service, PAGES)
    good, dump = service.reply, tmp_path / "dump"
    dump.mkdir(0o700)
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "elsewhere")
    # The file that the run would find if it followed the link.
    (tmp_path / "elsewhere" / "acct-1" / "ticketing").mkdir(parents=True)

    def reply(seen: Seen) -> Reply:
        if dict(seen.query).get("next_cursor", "c0") == f"c{page}" and not dump.is_symlink():
            exchange(dump, link)
        return good(seen)

    service.reply = reply
    argv = (
        f"{MANY} {dump} --workers 1 -o {form}" if command == "export" else f"{ONE} {dump}/tickets"
    )
    result = unified(argv, environ=service.environ)
    assert (result.code, f"the folder {dump} was replaced by another" in result.stderr) == (
        13,
        True,
    )
    assert [path for path in (tmp_path / "elsewhere").rglob("*") if not path.is_dir()] == []


def test_a_target_folder_that_is_replaced_between_check_and_rename_is_named(
    unified: Unified, service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partial_file, "_SECONDS", 0)
    serve(service, PAGES)
    dump, link = tmp_path / "dump", tmp_path / "link"
    dump.mkdir(0o700)
    (tmp_path / "elsewhere").mkdir()
    link.symlink_to(tmp_path / "elsewhere")
    rename = atomic_file.give_name

    def replaced_first(temporary: Path, path: Path, *, replace: bool) -> None:
        if temporary.parent == dump and not dump.is_symlink():
            exchange(dump, link)
        rename(temporary, path, replace=replace)

    monkeypatch.setattr(atomic_file, "give_name", replaced_first)
    result = unified(f"{ONE} {dump}/tickets", environ=service.environ)
    assert (result.code, f"the folder {dump} was replaced by another" in result.stderr) == (
        13,
        True,
    )
    assert [*(tmp_path / "elsewhere").iterdir()] == []


@pytest.mark.parametrize("below", ["", "/sub", "/sub/sub"])
def test_a_dangling_link_is_not_a_folder(
    below: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "planted" / "place")
    result = unified(f"{MANY} {tmp_path}/link{below}", environ=service.environ)
    assert (result.code, service.seen) == (13, [])
    assert result.stderr == (
        f"error: {tmp_path}/link is a symbolic link that leads nowhere (give the folder itself to"
        " --to)\n"
    )
    assert not (tmp_path / "planted").exists()


def test_a_folder_that_becomes_read_only_is_reported_as_the_first_failure(
    unified: Unified, service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partial_file, "_SECONDS", 0)
    serve(service, PAGES)
    real, read_only = {name: getattr(os, name) for name in ("open", "unlink", "replace")}, []
    good = service.reply

    def refusing(name: str) -> Callable[..., Any]:
        def call(path: Any, *more: Any, **named: Any) -> Any:
            changes = name != "open" or more[0] & os.O_CREAT
            if read_only and changes and "dump" in str(path):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
            return real[name](path, *more, **named)

        return call

    for name in real:
        monkeypatch.setattr(os, name, refusing(name))

    def reply(seen: Seen) -> Reply:
        if dict(seen.query).get("next_cursor") == "c1":
            read_only.append(1)
        return good(seen)

    service.reply = reply
    result = unified(f"{MANY} {tmp_path / 'dump'} --workers 1", environ=service.environ)
    part = tmp_path / "dump/acct-1/ticketing/tickets.ndjson.ckpt.tmp"
    assert (result.code, result.stderr) == (
        11,
        (
            f"error: cannot write {part}: Permission denied; the complete pages are kept for the"
            f" next run (0 of 2 lists done)\n  unified {MANY} {tmp_path / 'dump'} --workers 1\n"
        ),
    )


@pytest.mark.parametrize(
    ("command", "failing", "said"),
    [
        (f"{MANY} {{folder}}/new", "dump", "cannot make the folder {folder}/new: {folder}: "),
        (f"{MANY} {{folder}}/new", "dump/new", "cannot write {folder}/new/manifest.json: "),
        (
            f"{MANY} {{folder}}/new",
            "dump/new/acct-1",
            "/new/acct-1/ticketing: {folder}/new/acct-1: ",
        ),
        (f"{ONE} {{folder}}/tickets", "dump", "cannot write {folder}: "),
    ],
)
def test_a_folder_that_cannot_be_synced_is_named(
    command: str,
    failing: str,
    said: str,
    unified: Unified,
    service: Service,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    serve(service, PAGES)
    folder = tmp_path / "dump"
    folder.mkdir(0o700)
    real = os.fsync

    def fsync(handle: int) -> None:
        if Path(f"/proc/self/fd/{handle}").readlink() == tmp_path / failing:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    result = unified(command.format(folder=folder), environ=service.environ)
    assert (result.code, f"{said.format(folder=folder)}Input/output error" in result.stderr) == (
        11,
        True,
    )


def test_an_export_from_a_removed_working_directory_is_not_a_bug(
    unified: Unified, service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    result = unified(f"{MANY} dump", environ=service.environ)
    assert (result.code, service.seen) == (11, [])
    assert result.stderr == (
        "error: dump is below the working directory, which was removed (cd to another directory)\n"
    )


def test_a_connection_that_offers_no_list_is_incomplete_and_asked_again(
    unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    config(
        f'base_url = "{service.url}"\ntoken = "t-0123456789"\n'
        '[profiles.good]\naccount_id = "1"\n[profiles.gone]\naccount_id = "2"\n'
    )
    serve(service, PAGES)
    good = service.reply
    service.reply = lambda seen: (
        good(seen) if ("integrated_account_id", "1") in seen.query else served(absent(), 404)
    )
    folder = tmp_path / "dump"
    for _ in range(2):
        result = unified(f"export ticketing/t* -p g* --to {folder}")
        assert result.code == 9
        assert "gone: none of its 8 lists is offered, the first with: " in result.stderr
        assert "\nerror: nothing could be read from gone\n  unified export " in result.stderr
        verified = unified(f"export --verify {folder}")
        assert verified.code == 9
        assert "gone: none of its 8 lists is offered, so nothing was read\n" in verified.stderr
    service.reply = good
    assert unified(f"export ticketing/t* -p g* --to {folder}").code == 0
    assert unified(f"export --verify {folder}").code == 0


def absent() -> dict[str, Any]:
    return {"statusCode": 404, "error": "Not Found", "message": "no such account"}


def test_an_export_that_could_read_nothing_is_refused(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    service.reply = lambda _: served(absent(), 404)
    for more in ("", " --shard 1/2"):
        result = unified(
            f"export ticketing --to {tmp_path / 'dump'}{more}", environ=service.environ
        )
        assert result.code == 4
        assert "nothing could be read: no connection offers any of the lists" in result.stderr
    assert unified(f"export --verify {tmp_path / 'dump'}").code == 9


def test_a_share_of_the_lists_says_nothing_of_a_connection(
    unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    config(
        f'base_url = "{service.url}"\ntoken = "t-0123456789"\n'
        '[profiles.all]\naccount_id = "1"\n[profiles.few]\naccount_id = "2"\n'
    )
    serve(service, PAGES)
    good = service.reply
    service.reply = lambda seen: (
        good(seen)
        if ("integrated_account_id", "1") in seen.query or seen.segments[-1] == "tickets"
        else served(absent(), 404)
    )
    codes = [
        unified(f"export ticketing -p * --to {tmp_path / 'dump'} --shard {n}/7").code
        for n in range(1, 8)
    ]
    assert codes == [0] * 7
    assert unified(f"export --verify {tmp_path / 'dump'}").code == 0


def entry(**changed: Any) -> dict[str, Any]:
    made = {
        "file": "a/ticketing/tickets.ndjson",
        "profile": "a",
        "account_id": "1",
        "origin": "",
        "api": "ticketing",
    }
    return {**made, "resource": "tickets", "complete": True, **changed}


def stored(*files: Any, **changed: Any) -> bytes:
    return json.dumps(
        {"v": 1, "started": "", "ended": "", "shard": None, "files": [*files], **changed}
    ).encode()


DAMAGED = {
    "empty": b"",
    "cut": stored(entry())[:-9],
    "NULs": b"\0" * 300,
    "no UTF-8": stored(entry()).replace(b"tickets", b"t\xfcckets"),
    "deep": b"[" * 100_000,
    "deep in a field": stored(entry(why="x")).replace(b'"x"', b"[" * 5000),
    "an array": b"[]",
    "text": b'"x"',
    "files are no list": stored(files={}),
    "a number for a name": stored(entry(file=7)),
    "text for a number": stored(entry(bytes="7")),
    "a large number": stored(entry(bytes=10**400)),
    "another version": stored(entry(), v=2),
    "upwards": stored(entry(file="../../../etc/passwd")),
    "absolute": stored(entry(file="/etc/passwd")),
    "upwards in the middle": stored(entry(file="a/../../etc/passwd")),
    "no name": stored(entry(file="")),
    "a NUL": stored(entry(file="a\0b")),
    "no entry": stored(None),
}


@pytest.mark.parametrize("text", DAMAGED.values(), ids=DAMAGED.keys())
@pytest.mark.parametrize("command", [f"{MANY} dump", "export --verify dump"])
def test_a_damaged_manifest_is_refused_before_anything_is_sent(
    command: str,
    text: bytes,
    unified: Unified,
    service: Service,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    serve(service, PAGES)
    (tmp_path / "dump").mkdir(0o700)
    (tmp_path / "dump" / "manifest.json").write_bytes(text)
    result = unified(command, environ=service.environ)
    assert (result.code, service.seen) == (12, [])
    assert "dump/manifest.json" in result.stderr
    assert "(--restart starts again)" in result.stderr
    assert (tmp_path / "dump" / "manifest.json").read_bytes() == text


def test_a_file_in_place_of_the_folder_is_reported(unified: Unified, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (Path(os.devnull), tmp_path / "pipe"):
        result = unified(f"-p sandbox export ticketing/tags --to {path}")
        assert (result.stderr, result.code) == (
            f"error: {path} is not a folder (give another name to --to)\n",
            11,
        )
        # Nothing was begun that could be continued.
        assert unified("runs list -o json").json["runs"] == []
        result = unified(f"export --verify {path}")
        what = "is a file, not the folder of an export (name the folder that export --to wrote)"
        assert (result.stderr, result.code) == (f"error: {path} {what}\n", 12)


def test_an_unreadable_folder_is_not_mistaken_for_one_without_a_manifest(
    unified: Unified, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusing(_: Path) -> Iterator[Path]:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "iterdir", refusing)
    result = unified(f"export --verify {tmp_path}")
    assert (result.stderr, result.code) == (
        f"error: cannot read the folder {tmp_path}: Permission denied\n",
        11,
    )


def test_an_export_resumes_in_a_folder_whose_parent_is_read_only(
    unified: Unified, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "parent" / "dump"
    folder.mkdir(parents=True)
    monkeypatch.setattr(os, "access", lambda path, _: Path(path) != folder.parent)
    assert unified(f"-p sandbox export ticketing/tags --to {folder}").code == 0


@pytest.mark.parametrize("name", ["ckpt", "part"])
def test_a_failing_disk_is_reported_with_the_file(
    name: str, unified: Unified, service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(service, PAGES)
    real = os.fsync

    def fsync(handle: int) -> None:
        if f"tickets.{name}" in str(Path(f"/proc/self/fd/{handle}").readlink()):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    result = unified(f"{ONE} {tmp_path / 'tickets'}", environ=service.environ)
    assert result.code == 11
    assert f"cannot write {tmp_path / 'tickets'}.{name}: Input/output error" in result.stderr


def test_a_folder_that_is_not_writable_is_reported(
    unified: Unified, service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(service, PAGES)
    (tmp_path / "dump").mkdir(0o700)
    real = os.open

    def refusing(path: Any, flags: int, *more: Any, **named: Any) -> int:
        if flags & os.O_CREAT and "dump" in str(path):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return real(path, flags, *more, **named)

    monkeypatch.setattr(os, "open", refusing)
    for command in (f"{ONE} {tmp_path / 'dump' / 'x'}", f"{MANY} {tmp_path / 'dump'}"):
        result = unified(command, environ=service.environ)
        assert (result.code, service.seen) == (11, [])
        assert (
            f"cannot write into the folder {tmp_path / 'dump'}: Permission denied" in result.stderr
        )


FORGED = [
    {"bytes": -1},
    {"bytes": 10**400},
    {"pages": "2"},
    {"seen": ["zz"]},
    {"seen": [["ff"]]},
    {"partial_pages": [None]},
    {"next_cursor": "\ud800"},
    {"memory": [[]]},
    {"memory": {"columns": 5}},
    {"options": {"query": 1}},
]


@pytest.mark.parametrize("changed", FORGED, ids=str)
def test_a_checkpoint_with_wrong_types_is_damaged_despite_a_valid_checksum(
    changed: dict[str, Any], unified: Unified, service: Service, tmp_path: Path
) -> None:
    broken_off(unified, service, tmp_path / "tickets")
    path = tmp_path / "tickets.ckpt"
    data = {**json.loads(path.read_bytes()), **changed}
    del data["sum"]
    data["sum"] = checkpoint._sum(data)
    path.write_text(json.dumps(data))
    result = unified(f"{ONE} {tmp_path / 'tickets'}", environ=service.environ)
    assert (result.code, service.seen) == (12, [])
    assert "tickets.ckpt is damaged (--restart starts again)" in result.stderr


def test_columns_named_by_half_a_surrogate_pair_survive_a_break(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    argv = f"ticketing tickets list --all -o csv --retries 0 --out {tmp_path / 'tickets'}"
    replies = [
        served(b'{"result": [{"id": "1", "\\ud800": "x"}], "next_cursor": "c1"}'),
        served(REFUSED, 500),
        served(b'{"result": [{"id": "2", "\\ud800": "y"}], "next_cursor": null}'),
    ]
    service.reply = lambda _: replies.pop(0)
    assert unified(argv, environ=service.environ).code == 5
    assert unified(argv, environ=service.environ).code == 0
    assert (tmp_path / "tickets").read_bytes().count(b"\n") == 3
