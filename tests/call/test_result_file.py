"""The file of `--out`: any result in any format, whole, and decided before anything is
sent.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from front_door import Unified
from pages import serve, served, tickets
from server import Reply, Seen, Service

from unified_cli.output import formats

LIST = "ticketing tickets list"
CREATE = "ticketing tickets create -f name=A"
RECORD = b'{"id": "1", "name": "A", "price": 1.10}'
SHAPED = {
    "-o ndjson": RECORD + b"\n",
    "-o csv": b"id,name,price\n1,A,1.10\n",
    "-o csv --columns name --bom": b"\xef\xbb\xbfname\nA\n",
    "-o tsv --csv-safe": b"id\tname\tprice\n1\tA\t1.10\n",
    "-o ids": b"1\n",
    "-o yaml": b"id: '1'\nname: A\nprice: 1.10\n",
    "-o table": b"id     1\nname   A\nprice  1.10\n",
    "-o markdown --columns id,name": b"| id  | name |\n| --- | ---- |\n| 1   | A    |\n",
    "--columns id": b'{"id":"1"}\n',
    "--jq .name": b"A\n",
    "-o raw": RECORD,
    "": RECORD + b"\n",
}
OPERATIONS = {
    "get": "ticketing tickets get 1",
    "create": CREATE,
    "update": "ticketing tickets update 1 -f name=A",
    "delete": "ticketing tickets delete 1 --yes",
    "action": "user-directory users suspend -f user_id=1",
    "request": "request POST /any -f name=A",
}


@pytest.mark.parametrize("more", SHAPED)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_one_result_goes_to_the_file_in_any_shape(
    operation: str, more: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    service.reply = lambda _: served(RECORD)
    file = tmp_path / "file"
    result = unified(f"{OPERATIONS[operation]} {more} --out {file}", environ=service.environ)
    assert (result.code, result.stdout, len(service.seen)) == (0, "", 1)
    # A get that is not reshaped is kept as it comes.
    expected = SHAPED[more].rstrip() if (operation, more) == ("get", "") else SHAPED[more]
    assert file.read_bytes() == expected


@pytest.mark.parametrize("form", formats.names(formats.RESULTS))
@pytest.mark.parametrize("where", ["flag", "environment"])
def test_a_page_goes_to_the_file_as_it_would_be_printed(
    form: str, where: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    serve(service, [tickets(3), tickets(1, 3)])
    how = f"-o {form}" if where == "flag" else ""
    environ = service.environ | ({} if how else {"UNIFIED_OUTPUT": form})
    printed = unified(f"{LIST} {how}", environ=environ)
    result = unified(f"{LIST} {how} --out {tmp_path / 'file'}", environ=environ)
    assert (result.code, result.stdout) == (0, "")
    assert (tmp_path / "file").read_bytes() == printed.raw
    assert "there are more records: --all, or --cursor c1" in result.stderr
    assert f"wrote {len(printed.raw)} bytes to {tmp_path / 'file'}" in result.stderr


@pytest.mark.parametrize("operation", ["list", "create"])
@pytest.mark.parametrize("more", ["-o csv", "-o json", "-o json --jq ."])
@pytest.mark.parametrize(
    ("out", "code", "said"),
    [
        ("there", 11, "there exists (--force overwrites it)"),
        ("no/such/file", 11, "there is no folder no/such (mkdir -p no/such)"),
        ("folder", 2, "folder is a folder; name a file in it"),
        ("folder/", 2, "folder/ is a folder; name a file in it"),
    ],
)
def test_an_unwritable_place_is_reported_before_sending(
    operation: str,
    more: str,
    out: str,
    code: int,
    said: str,
    unified: Unified,
    service: Service,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("there").write_text("old")
    Path("folder").mkdir()
    command = f"{LIST if operation == 'list' else CREATE} {more} --out {out}"
    result = unified([*command.split(), "--no-input"], environ=service.environ)
    assert (result.code, service.seen, said in result.stderr) == (code, [], True), result
    assert (Path("there").read_text(), [*Path("folder").iterdir()]) == ("old", [])


REFUSED = [
    (f"{CREATE} --columns ,", "--columns needs names"),
    (f"{CREATE} -o raw --jq .id", "-o raw prints one response unchanged"),
    (f"{LIST} -o ids --columns name", "-o ids has no columns"),
    ("ticketing tickets update - -o raw", "-o raw prints one response unchanged"),
    ("ticketing attachments download -q file_url=a --jq .", "a file is saved unchanged"),
    ("ticketing attachments download -q file_url=a -o csv", "a file is saved unchanged"),
    ("ticketing attachments download -q file_url=a -p x -p y", "from one connection"),
    (f"{LIST} --all -o yaml --jq . --out file", "--jq would need the whole result"),
    (f"{LIST} --describe --out file", "--describe cannot be used with --jq, --columns and --out"),
    (f"{LIST} --describe -o ids", "this command does not support -o ids"),
    (f"{CREATE} --skeleton --out file", "--skeleton cannot be used with --jq, --columns and --out"),
    (f"{LIST} --follow --out file", "--out cannot be used with --follow"),
    (f"{LIST} --all --dedupe id -o ndjson --out /dev/null", "need --all and --out FILE"),
]


@pytest.mark.parametrize(("command", "said"), REFUSED)
def test_conflicting_options_are_refused_before_sending(
    command: str,
    said: str,
    unified: Unified,
    service: Service,
    config: Callable[[str], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    config('[profiles.x]\naccount_id = "x"\n[profiles.y]\naccount_id = "y"\n')
    result = unified(command, environ=service.environ, stdin=b'{"id": "1", "name": "a"}\n')
    assert (result.code, service.seen, result.stdout) == (2, [], "")
    assert said in result.stderr
    assert sorted(one.name for one in tmp_path.iterdir()) == ["config"]


def test_a_tokens_own_account_is_not_requested_for_a_refused_command(
    unified: Unified, service: Service
) -> None:
    environ = service.environ | {"UNIFIED_ACCOUNT_ID": "me"}
    assert unified(f"{LIST} --all -o raw", environ=environ).code == 2
    assert service.seen == []


def test_a_file_created_by_others_is_kept_and_the_write_reported_as_done(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    file = tmp_path / "file"

    def reply(_: Seen) -> Reply:
        file.write_text("of somebody else")
        return served(RECORD, 201)

    service.reply = reply
    result = unified(f"{CREATE} -o csv --out {file}", environ=service.environ)
    assert (result.code, file.read_text(), len(service.seen)) == (11, "of somebody else", 1)
    assert f"{file} exists; POST /unified/ticketing/tickets was done" in result.stderr
    assert "--idempotency-key" in result.stderr
    assert [one.name for one in tmp_path.glob(".*")] == []


def test_a_full_disk_after_a_write_says_that_it_was_done(
    unified: Unified, service: Service
) -> None:
    service.reply = lambda _: served(RECORD, 201)
    result = unified(f"{CREATE} -o ndjson --out /dev/full", environ=service.environ)
    assert (result.code, len(service.seen)) == (11, 1)
    assert "cannot write to /dev/full: No space left on device; POST " in result.stderr


@pytest.mark.parametrize("command", [f"{LIST} -o csv", f"{CREATE} -o csv"])
def test_an_error_leaves_no_part_of_the_file(
    command: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    service.reply = lambda _: served({"error": "no"}, 400)
    out = tmp_path / "out"
    out.mkdir()
    result = unified(f"{command} --out {out / 'file'}", environ=service.environ)
    assert (result.code, [*out.iterdir()]) == (4, [])


def test_a_partial_result_is_written_and_reported_as_incomplete(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    serve(service, [[{"id": "1"}, {"name": "without"}]])
    result = unified(f"{LIST} -o ids --out {tmp_path / 'file'}", environ=service.environ)
    assert (result.code, (tmp_path / "file").read_text()) == (9, "1\n")


def test_a_file_has_no_colours_and_a_table_is_not_cut(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    serve(service, [[{"id": "1", "name": "x" * 200}]])
    for form in ("json", "table"):
        command = f"{LIST} -o {form} --color always --force --out {tmp_path / 'file'}"
        result = unified(command, environ=service.environ, tty=True, columns=40)
        data = (tmp_path / "file").read_bytes()
        assert (result.code, result.stdout, b"\x1b" in data) == (0, "", False)
        assert b"x" * 200 in data


def test_force_replaces_an_existing_file(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    service.reply = lambda _: served(RECORD, 201)
    file = tmp_path / "file"
    file.write_text("old" * 100)
    result = unified(f"{CREATE} -o yaml --out {file} --force", environ=service.environ)
    assert (result.code, yaml.safe_load(file.read_text())["name"]) == (0, "A")


@pytest.mark.parametrize(
    "command", [f"{LIST} -p x -p y", "ticketing tickets get -", f"{LIST} --expect true"]
)
def test_a_dash_is_standard_output_in_every_mode(
    command: str, unified: Unified, service: Service, config: Callable[[str], Path]
) -> None:
    address = f'base_url = "{service.url}"\ntoken = "t-0123456789"\n'
    config(f'{address}[profiles.x]\naccount_id = "x"\n[profiles.y]\naccount_id = "y"\n')
    service.reply = lambda _: served({"result": [json.loads(RECORD)], "next_cursor": None})
    plain, dash = (
        unified(f"-p x {command} -o ndjson {more}", stdin=b"1\n") for more in ("", "--out -")
    )
    assert (plain.code, dash.code, sorted(dash.stdout)) == (0, 0, sorted(plain.stdout))
