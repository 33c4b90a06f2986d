"""`unified diff`: profiles, exports and files, and leftovers."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from front_door import Process, Unified
from record_files import TWO, ids_header, ndjson
from screen import drawn
from server import Reply, Seen, Service


def changes(text: str) -> list[tuple[str, list[Any], list[str]]]:
    """Of each line of the result: what it says, the key, the paths."""
    rows = map(json.loads, text.splitlines())
    return [
        (row["change"], row["key"], [one["path"] for one in row["differences"]]) for row in rows
    ]


def test_each_kind_of_difference_is_printed(unified: Unified, tmp_path: Path) -> None:
    one = ndjson(
        tmp_path / "a",
        {"id": 1, "n": "x"},
        {"id": 2, "n": "y"},
        '{"id":3,"n":1.10,"t":[1]}',
        {"id": 4},
    )
    other = ndjson(
        tmp_path / "b",
        {"id": 2, "n": "y"},
        '{"id":3,"n":1.1,"t":[2]}',
        {"id": 4, "m": 5},
        {"id": 9},
    )
    result = unified(f"diff ticketing/tags --from {one} --to {other}")
    assert result.stdout.splitlines() == [
        '{"change":"only from","key":[1],"from_ids":[1],"to_ids":[],"differences":[]}',
        '{"change":"different","key":[3],"from_ids":[3],"to_ids":[3],"differences":[{"path":"t[0]","from":1,"to":2}]}',
        '{"change":"different","key":[4],"from_ids":[4],"to_ids":[4],"differences":[{"path":"m","to":5}]}',
        '{"change":"only to","key":[9],"from_ids":[],"to_ids":[9],"differences":[]}',
    ]
    said = (
        f"error: {one} and {other} differ: 1 only in {one}, 1 only in {other}, 2 different, 1 the"
        " same\n"
    )
    assert (result.stderr, result.code) == (said, 14)


def test_nothing_differs(unified: Unified, tmp_path: Path) -> None:
    one = ndjson(tmp_path / "a", {"id": 1, "n": None}, {"id": 2})
    other = ndjson(tmp_path / "b", {"id": 2}, {"id": 1})
    result = unified(f"diff ticketing/tags --from {one} --to {other}")
    assert (result.stdout, result.stderr, result.code) == (
        "",
        "no difference: 2 records on both sides\n",
        0,
    )
    empty = ndjson(tmp_path / "c")
    assert unified(f"diff ticketing/tags --from {empty} --to {empty}").code == 0


def test_an_export_in_shards_is_a_side(unified: Unified, tmp_path: Path) -> None:
    for part in ("1/2", "2/2"):
        what = (
            f"export ticketing/tags ticketing/contacts -p sandbox --to {tmp_path}/dump --shard"
            f" {part}"
        )
        assert unified(what).code == 0
    for one in ("ticketing/tags", "ticketing/contacts"):
        result = unified(f"diff {one} --from {tmp_path}/dump --to sandbox")
        assert (result.stdout, result.code) == ("", 0), result.stderr
        assert unified(f"diff {one} --from sandbox --to {tmp_path}/dump/sandbox").code == 0


ID = "62f44730-dd91-461e-bd6a-aedd9e0ad{:03}"
TIMES = (
    "    - created_at: 2025-01-01T00:00:{:02}Z",
    "    + created_at: 2026-01-01T00:00:{:02}Z",
)
NOTES = [
    "    - note: …or of this: Grace Hopper, by the sea",
    "    + note: …or of this: Ada Lovelace, by the sea",
]


@pytest.mark.parametrize("columns", [80, 120])
def test_a_terminal_shows_how_many_differ_in_what_and_the_first_of_them(
    tmp_path: Path, columns: int
) -> None:
    def record(at: int, year: int) -> dict[str, Any]:
        return {"id": ID.format(at), "created_at": f"{year}-01-01T00:00:{at:02}Z"}

    said = "A word of the author of this: {}, by the sea"
    note, other_note = (
        {"id": "n" * 30, "note": said.format(name)} for name in ("Grace Hopper", "Ada Lovelace")
    )
    mine = [{"id": at} for at in range(20)]
    ndjson(
        tmp_path / "a",
        *(record(at, 2025) for at in range(60)),
        {"id": "t", "t": [1, {"a": 2}]},
        note,
        *mine,
    )
    ndjson(
        tmp_path / "b",
        *(record(at, 2026) for at in range(60)),
        {"id": "t", "t": [3, {}]},
        other_note,
        {"id": "\u4e2d\u6587" * 30},
        {"name": "x"},
    )
    shown = drawn(
        tmp_path, ["diff", "ticketing/tags", "--all-fields", "--from", "a", "--to", "b"], columns
    )
    first = [
        line
        for at in range(3)
        for line in (f"  {ID.format(at)}", *(one.format(at) for one in TIMES))
    ]
    wide = (columns - 2) // 2
    assert shown[: shown.index("-o ndjson shows all differences in full")] == [
        "1 without the key",
        "  record 64 of b",
        "60 differ in created_at",
        *first,
        "  and 57 more",
        "1 differs in t[], t[].a",
        "  t  - t[0]: 1",
        "     + t[0]: 3",
        "     - t[1].a: 2",
        "     + t[1].a: (nothing)",
        "1 differs in note",
        f"  {'n' * 30}",
        *NOTES,
        "20 only in a",
        "  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 8 more",
        "1 only in b",
        *(
            f"  {text}"
            for text in (("\u4e2d\u6587" * 30)[:wide], ("\u4e2d\u6587" * 30)[wide:])
            if text
        ),
    ]


def test_a_table_off_a_terminal_names_keys_and_paths(unified: Unified, tmp_path: Path) -> None:
    one = ndjson(tmp_path / "a", {"id": "a", "n": "x", "m": 1}, {"id": "b\u202e"})
    other = ndjson(tmp_path / "b", {"id": "a", "n": "y", "m": 2})
    command = f"diff ticketing/tags --from {one} --to {other} -o table"
    result = unified(command)
    assert (
        result.stdout
        == "CHANGE     KEY      PATHS\ndifferent  a        n, m\nonly from  b\\u202e\n"
    )
    assert result.code == 14
    shown = unified(
        command, environ={"NO_COLOR": "1"}, tty=True, columns=200, encoding="ascii"
    ).stdout
    assert (
        shown == "1 differs in n, m\n  a  - n: x\n     + n: y\n     - m: 1\n     + m: 2\n"
        f"1 only in {one}\n  b\\u202e\n"
    )


def test_one_document_says_what_was_compared(unified: Unified, tmp_path: Path) -> None:
    one = ndjson(tmp_path / "a", {"id": 1})
    result = unified(
        f"diff ticketing/tags --from {one} --to sandbox -o json", stderr_is_terminal=True
    )
    told = result.json
    assert told["from"]["kind"] == "file"
    assert {name: told["to"][name] for name in ("kind", "name", "account", "records")} == {
        "kind": "profile",
        "name": "sandbox",
        "account": "full",
        "records": len(told["differences"]) - 1,
    }
    assert (told["same"], told["differences"][0]["change"], result.code) == (0, "only from", 14)


def test_unmatched_records_are_reported_and_not_guessed(unified: Unified, tmp_path: Path) -> None:
    one = ndjson(
        tmp_path / "a", {"id": 1, "e": "x"}, {"id": 2, "e": "x"}, {"id": 3}, {"id": 4, "e": "y"}
    )
    other = ndjson(tmp_path / "b", {"id": 5, "e": "x"}, {"id": 6, "e": None}, {"id": 7, "e": "y"})
    result = unified(f"diff ticketing/tags --from {one} --to {other} --key e --ignore id")
    assert [json.loads(line) for line in result.stdout.splitlines()] == [
        unmatched("no key", [3], [3], [], [3], []),
        unmatched("no key", [6], [], [6], [], [2]),
        unmatched("same key", ["x"], [1, 2], [5], [1, 2], [1]),
    ]
    assert (
        result.stderr
        == "error: not everything could be compared: 2 without the key, 1 key shared by several"
        " records, 1"
        " the same (a --key other than e may tell these records apart)\n"
    )
    assert result.code == 9


def unmatched(change: str, key: list[Any], *ids_and_records: list[Any]) -> dict[str, Any]:
    names = ("from_ids", "to_ids", "from_records", "to_records")
    return {
        "change": change,
        "key": key,
        **dict(zip(names, ids_and_records, strict=True)),
        "differences": [],
    }


def test_records_without_an_id_can_be_found(unified: Unified, tmp_path: Path) -> None:
    one = ndjson(
        tmp_path / "a",
        {"n": "left out"},
        {"id": "1"},
        {"n": "x"},
        {"n": "y"},
        {"id": {}},
        {"id": {"a": None}},
    )
    other = ndjson(
        tmp_path / "b", {"id": []}, {"id": "1"}, {"id": "2", "n": "x"}, {"id": "2", "n": "y"}
    )
    argv = [
        "diff",
        "ticketing/tags",
        "--from",
        one,
        "--to",
        other,
        "--map",
        'select(.n != "left out")',
    ]
    result = unified(argv)
    assert [json.loads(line) for line in result.stdout.splitlines()] == [
        unmatched("no key", [None], [None], [], [3], []),
        unmatched("no key", [None], [None], [], [4], []),
        unmatched("no key", [{}], [{}], [], [5], []),
        unmatched("no key", [{"a": None}], [{"a": None}], [], [6], []),
        unmatched("no key", [[]], [], [[]], [], [1]),
        unmatched("same key", ["2"], [], ["2", "2"], [], [3, 4]),
    ]
    assert result.code == 9
    result = unified([*argv, "-o", "table"])
    assert result.stdout == (
        "CHANGE    KEY         PATHS\n"
        f"no key                record 3 of {one}\n"
        f"no key                record 4 of {one}\n"
        f"no key    {{}}          record 5 of {one}\n"
        f'no key    {{"a":null}}  record 6 of {one}\n'
        f"no key    []          record 1 of {other}\n"
        f"same key  2           record 3 of {other}, record 4 of {other}\n"
    )


def test_keys_are_paths_and_programs_and_may_be_several(unified: Unified, tmp_path: Path) -> None:
    one = ndjson(
        tmp_path / "a",
        {"n": 1, "e": [{"m": "A@x"}], "o": {"k": 1}},
        {"n": 2, "e": [{"m": "A@x"}], "o": {"k": 2}},
    )
    other = ndjson(
        tmp_path / "b",
        {"n": 1, "e": [{"m": "a@X"}], "o": {"k": 1.0}},
        {"n": 3, "e": [], "o": {"k": 2}},
    )
    argv = [
        "diff",
        "ticketing/tags",
        "--from",
        one,
        "--to",
        other,
        "--key",
        ".e[0].m | ascii_downcase",
        "--key",
        "o.k",
    ]
    result = unified(argv)
    assert changes(result.stdout) == [
        ("no key", [None], []),
        ("different", ["a@x", 1], ["e[0].m"]),
        ("only from", ["a@x", 2], []),
    ]
    assert unified([*argv[:6], "--key", ".e["]).stderr.startswith("error: --key: syntax error")


def test_a_program_reshapes_the_records_of_one_side(unified: Unified, tmp_path: Path) -> None:
    one = ndjson(
        tmp_path / "a", {"id": 1, "title": "x"}, {"id": 2, "title": "y"}, {"id": 3, "skip": True}
    )
    other = ndjson(tmp_path / "b", {"id": 1, "name": "x"}, {"id": 2, "name": "z"})
    program = "select(.skip | not) | {id, name: .title}"
    result = unified(["diff", "ticketing/tags", "--from", one, "--to", other, "--map", program])
    assert changes(result.stdout) == [("different", [2], ["name"])]
    assert result.stderr.splitlines()[0] == f"--map left out 1 record of {one}"
    for bad, said in [
        (".title.x", "--map fails on record 1: "),
        (".,.", "--map returns 2 records for record 1, but must return one or none"),
        ('import "x" as x; .', "--map: no import directive is allowed"),
    ]:
        result = unified(["diff", "ticketing/tags", "--from", one, "--to", other, "--map", bad])
        assert (result.stdout, result.stderr.startswith(f"error: {said}"), result.code) == (
            "",
            True,
            2,
        )


def test_an_export_is_compared_with_the_connection_it_is_of(
    unified: Unified, config: Callable[[str], Path], tmp_path: Path
) -> None:
    config(TWO)
    dump = tmp_path / "dump"
    assert unified(f"-p old -p new export ticketing/tags ticketing/users --to {dump}").code == 0
    result = unified(f"diff ticketing/tags --from {dump} --to old")
    assert (result.code, result.stderr) == (
        2,
        (
            f"error: {dump} holds ticketing/tags of several profiles (name the folder of one"
            f" profile: {dump}/new, {dump}/old)\n"
        ),
    )
    assert unified(f"diff ticketing/tags --from {dump}/old --to old").code == 0
    assert unified(f"diff ticketing/tags --from {dump}/old --to new").code == 14
    result = unified(f"diff ticketing/teams --from {dump}/old --to new")
    again = f"unified export ticketing/teams -p old -p new --to {dump}"
    assert (result.code, result.stderr) == (
        2,
        f"error: no ticketing/teams in {dump}/old\n  {again}\n",
    )
    (dump / "old" / "ticketing" / "tags.ndjson").write_text("{}\n")
    result = unified(f"diff ticketing/tags --from {dump}/old --to new")
    assert (result.code, "is not the file that was exported" in result.stderr) == (12, True)


def test_an_export_in_several_parts_gives_the_newest_state_of_each_record(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    def page(*records: Any) -> Reply:
        return Reply(body=json.dumps({"result": records, "next_cursor": None}).encode())

    first = [
        {"id": number, "n": "old", "updated_at": f"2026-01-0{number}T00:00:00Z"}
        for number in (1, 2, 3)
    ]
    changed = {"id": 2, "n": "new", "updated_at": "2026-01-05T00:00:00Z"}
    dump = f"{tmp_path}/dump"
    for records in (first, [changed, {**changed, "id": 4}]):
        service.reply = lambda _, records=records: page(*records)
        assert (
            unified(
                f"export ticketing/tags --to {dump} --incremental", environ=service.environ
            ).code
            == 0
        )
    now = ndjson(tmp_path / "now", first[0], first[2], changed, {**changed, "id": 4})
    result = unified(f"diff ticketing/tags --from {dump} --to {now}")
    assert (result.stderr, result.code) == ("no difference: 4 records on both sides\n", 0)


def test_ids_of_one_side_are_read_as_those_of_the_other(unified: Unified, tmp_path: Path) -> None:
    one = ndjson(tmp_path / "a", {"id": "c1", "account_id": "a1"}, {"id": 2, "account_id": "a1"})
    other = ndjson(tmp_path / "b", {"id": "n1", "account_id": 7}, {"id": "n2", "account_id": 8})
    pairs = [
        ("contacts", "c1", "n1"),
        ("contacts", "2", "n2"),
        ("accounts", "a1", 7),
        ("tags", "a1", "t1"),
    ]
    header = ids_header(None, None)
    ids = ndjson(
        tmp_path / "ids",
        header,
        *({"resource": f"ticketing/{name}", "from": a, "to": b} for name, a, b in pairs),
    )
    argv = f"diff ticketing/contacts --from {one} --to {other} --ids"
    assert changes(unified(f"{argv} {ids}").stdout) == [("different", ["n2"], ["account_id"])]
    none = unified(f"{argv} {tmp_path}/none")
    assert (len(changes(none.stdout)), none.stderr.splitlines()[0]) == (
        4,
        f"{tmp_path}/none does not exist, so the ids of the first side are not replaced",
    )
    twice = ndjson(
        tmp_path / "twice", *({"resource": "ticketing/tags", "from": "a", "to": to} for to in "xxy")
    )
    result = unified(f"{argv} {twice}")
    assert (result.code, result.stderr) == (
        12,
        f"error: {twice}, line 3: ticketing/tags a has two new ids\n",
    )
    result = unified(f"{argv} {one}")
    assert (
        result.code,
        result.stderr.startswith(f"error: {one}, line 1 is not a pair of ids"),
    ) == (
        12,
        True,
    )


def test_a_name_that_may_be_several_things_is_refused(
    unified: Unified, config: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config(TWO)
    monkeypatch.chdir(tmp_path)
    ndjson(tmp_path / "new", {"id": 1})
    result = unified("diff ticketing/tags --from new --to new")
    hint = "write profile:new for the profile, or ./new for the path"
    assert (result.code, result.stderr) == (
        2,
        f"error: --from new is a profile and a file or folder here ({hint})\n",
    )
    result = unified("diff ticketing/tags --from ./new --to profile:new")
    assert changes(result.stdout) == [("only from", [1], [])]


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (
            "ticketing/tags --to sandbox",
            2,
            "--from is missing (--from SIDE: the name of a profile, export folder or NDJSON file)",
        ),
        (
            "ticketing/tags --from sandbox",
            2,
            "--to is missing (--to SIDE: the name of a profile, export folder or NDJSON file)",
        ),
        (
            "ticketing/tags --from nobody --to sandbox",
            2,
            "--from nobody is not a profile, folder or file (unified profile list)",
        ),
        (
            "ticketing/tags --from . --to sandbox",
            12,
            (
                ". holds no manifest.json, so it is not an export"
                " (name the folder that export --to wrote)"
            ),
        ),
        ("ticketing/tags --from /dev/null --to sandbox", 2, "/dev/null is not a regular file"),
    ],
)
def test_sides_that_cannot_be_compared_are_refused(
    options: str,
    code: int,
    said: str,
    unified: Unified,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    result = unified(f"diff {options}")
    assert (result.stdout, result.stderr, result.code) == ("", f"error: {said}\n", code)


@pytest.mark.parametrize("form", ["csv", "json"])
def test_an_export_in_another_format_says_which_are_read(
    form: str, unified: Unified, tmp_path: Path
) -> None:
    dump = f"{tmp_path}/dump"
    assert unified(f"-p sandbox export ticketing/tags --to {dump} --format {form}").code == 0
    result = unified(f"diff ticketing/tags --from {dump} --to sandbox")
    said = (
        f"error: {dump} has ticketing/tags as {form}, but records can only be read from NDJSON,"
        " Parquet and Delta"
    )
    hint = "unified export ticketing/tags --to DIR --format ndjson, into another folder"
    assert (result.stderr, result.code) == (f"{said} ({hint})\n", 2)


@pytest.mark.parametrize(
    ("line", "said"),
    [("7", "is not a JSON object"), ("{", "is not JSON: "), ('{"a":NaN}', "is not JSON: ")],
)
def test_a_line_that_is_not_a_record_is_reported(
    line: str, said: str, unified: Unified, tmp_path: Path
) -> None:
    path = ndjson(tmp_path / "a", {"id": 1}, line)
    result = unified(f"diff ticketing/tags --from {path} --to sandbox")
    assert (result.stdout, result.code) == ("", 2)
    assert result.stderr.startswith(f"error: {path}, line 2 {said}")


def test_an_incomplete_page_cannot_be_a_side(
    unified: Unified, service: Service, config: Callable[[str], Path]
) -> None:
    config(
        f'[profiles.acme]\nbase_url = "{service.url}"\naccount_id = "a"\ntoken = "t-0123456789"\n'
    )
    service.reply = lambda _: Reply(
        body=b'{"result":[{"id":1}],"next_cursor":null,"is_partial_response":true}'
    )
    result = unified("diff ticketing/tags --from acme --to sandbox")
    assert (result.stdout, result.code) == ("", 9)
    assert (
        result.stderr.splitlines()[-1] == "error: acme: the provider left something out of page 1"
    )


def test_it_fails_as_a_full_disk_says(process: Process, tmp_path: Path) -> None:
    path = ndjson(tmp_path / "a", *({"id": number, "text": "x" * 1000} for number in range(2000)))
    command = ["diff", "ticketing/tags", "--from", path, "--to", path]
    result = process(
        command, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, 500_000))
    )
    assert (result.stdout, result.returncode) == (b"", 11)
    assert result.stderr.startswith(b"error: cannot write a temporary file in ")


def _stalling(service: Service) -> Callable[[Seen], Reply]:
    """A first page, and then nothing until the test is over."""

    def reply(seen: Seen) -> Reply:
        if ("next_cursor", "2") in seen.query:
            service.over.wait()
        return Reply(body=b'{"result":[{"id":1,"secret":"s3cret"}],"next_cursor":"2"}')

    return reply


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_behind_whatever_ends_it(
    number: int, service: Service, tmp_path: Path
) -> None:
    service.reply = _stalling(service)
    home = tmp_path / "home"
    config = home / "config.toml"
    home.mkdir()
    config.write_text(
        f'[profiles.acme]\nbase_url = "{service.url}"\naccount_id = "a"\ntoken = "t-0123456789"\n'
    )
    config.chmod(0o600)
    environ = {"HOME": str(home), "UNIFIED_CONFIG": str(config), "PATH": os.defpath}
    words = ["diff", "ticketing/tags", "--from", "acme", "--to", "sandbox"]
    with subprocess.Popen(
        [sys.executable, "-m", "unified_cli", *words], env=environ, stderr=subprocess.PIPE
    ) as running:
        while len(service.seen) < 2:
            time.sleep(0.01)
        running.send_signal(number)
        assert running.wait(60) in {130, 143, -9}
    folder = home / ".cache" / "unified" / "compare"
    assert (folder.stat().st_mode & 0o777, [*folder.iterdir()]) == (0o700, [])


def test_files_of_a_killed_process_are_removed(unified: Unified, tmp_path: Path) -> None:
    # Where the system cannot make a file without a name, it has one for a moment.
    folders = {"cache": tmp_path / "cache", "config": tmp_path / "config"}
    folder = tmp_path / "cache" / "compare"
    folder.mkdir(parents=True)
    for name, age in [("spool-old", 3600), ("spool-new", 0)]:
        (folder / name).write_text("{}")
        os.utime(folder / name, (time.time() - age,) * 2)
    path = ndjson(tmp_path / "a", {"id": 1})
    assert unified(f"diff ticketing/tags --from {path} --to {path}", folders=folders).code == 0
    assert [one.name for one in folder.iterdir()] == ["spool-new"]
