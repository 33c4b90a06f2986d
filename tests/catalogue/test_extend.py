"""A catalogue of one's own: ten lines give commands, help, sandbox routes and rows;
mistakes stop nothing.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
import tomlkit
from front_door import Result, Unified
from hypothesis import given, strategies
from server import Service

from unified_cli.catalogue import CatalogueError, load
from unified_cli.catalogue.extend import extended

FALCONRY = """\
[api.falconry]
title = "Unified Falconry API"
about = "Customers and deals"

[api.falconry.resources]
contacts = { operations = "crud merge", one = "a contact", about = "People you sell to" }
deals    = "list get"

[known.falconry.contacts]
fields = "id first_name company:object>companies stage=lead|customer"
"""

Own = Callable[..., Result]


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write a file into the folder that is looked into."""

    def put(name: str, text: str | bytes) -> Path:
        folder = tmp_path / "config" / "catalogue.d"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        path.chmod(0o600)
        return path

    return put


def test_ten_lines_give_help_calls_and_sandbox_routes(
    write: Callable[..., Path], unified: Unified
) -> None:
    write("falconry.toml", FALCONRY)
    page = unified("falconry contacts list --help")
    assert (page.code, page.stderr) == (0, "")
    assert "GET /unified/falconry/contacts\n" in page.stdout
    assert "id, first_name, company (of companies), stage" in page.stdout
    assert "  falconry " in unified("--help").stdout
    made = unified("-p sandbox falconry contacts create -f first_name=Ada")
    assert (made.stderr, made.code) == ("", 0)
    got = unified(["-p", "sandbox", "falconry", "contacts", "get", made.json["id"]])
    assert got.json["first_name"] == "Ada"
    assert unified("-p sandbox falconry deals list -q limit=2").json["result"]


def test_a_call_sends_the_request(
    write: Callable[..., Path], unified: Unified, service: Service
) -> None:
    write("falconry.toml", FALCONRY)
    assert unified("falconry contacts merge -f id=7", environ=service.environ).code == 0
    [seen] = service.seen
    assert (seen.method, seen.segments, seen.body) == (
        "POST",
        ["unified", "falconry", "contacts", "merge"],
        b'{"id":"7"}',
    )


def test_lists_are_exported_whatever_a_file_knows_of_them(
    write: Callable[..., Path], unified: Unified, tmp_path: Path
) -> None:
    write("falconry.toml", FALCONRY)
    for what in ("falconry", "falconry/contacts ticketing/teams"):
        assert unified(f"-p sandbox export {what} --to {tmp_path / 'dump'}").code == 0
    exported = [path.name for path in sorted((tmp_path / "dump" / "sandbox").glob("*/*"))]
    assert exported == ["contacts.ndjson", "deals.ndjson", "teams.ndjson"]


def test_source_says_which_file_an_operation_is_from(
    write: Callable[..., Path], unified: Unified
) -> None:
    path = write("falconry.toml", FALCONRY)
    rows = unified("operations merge --source").stdout
    assert (
        rows
        == "falconry contacts merge\tPOST\t/unified/falconry/contacts/merge\tRun merge on contacts"
        f"\t{path}\n"
    )
    [built_in] = unified("operations recordings download --source -o json").json["operations"]
    assert built_in["source"] == "built in"


def test_resources_and_operations_are_added_to_an_api_that_is_there(
    write: Callable[..., Path], unified: Unified
) -> None:
    more = '[api.ticketing.resources]\ntickets = "close"\nmacros = "list"\n'
    actions = '[api.ticketing.actions]\n"tickets close" = "Close a ticket"\n'
    write("more.toml", more + actions)
    page = unified("ticketing tickets --help")
    assert page.stderr == ""
    assert "  close   Close a ticket\n" in page.stdout
    assert "  import  Import a ticket with its history\n" in page.stdout
    assert unified("-p sandbox ticketing macros list").code == 0
    assert (
        unified("-p sandbox ticketing tickets close --dry-run")
        .json["url"]
        .startswith("http://sandbox/unified/")
    )


def test_existing_operations_stay_and_the_clash_is_reported(
    write: Callable[..., Path], unified: Unified
) -> None:
    path = write(
        "clash.toml",
        '[api.profile]\ntitle = "P"\n[api.profile.resources]\nthings = "list"\n'
        '[api.voice.resources]\ncalls = "list dial"\n',
    )
    result = unified("voice calls --help")
    assert result.stderr.splitlines() == [
        f"warning: {path}:1: profile is a command of the program; this API is ignored",
        f"warning: {path}:6: voice calls list already exists; the one in this file is ignored",
    ]
    assert ("  dial" in result.stdout, result.code) == (True, 0)
    assert "Manage named connections" in unified("--help").stdout


def test_an_api_that_a_later_version_has_built_in_is_merged(
    write: Callable[..., Path], unified: Unified
) -> None:
    text = """\
[api.voice]
title = "My own voice"
about = "Calls as I had them"

[api.voice.resources]
calls = { operations = "list get dial", about = "Mine", safe = "dial" }
texts = { operations = "list", about = "Messages" }

[known.voice.calls]
fields = "id mine"
body = { dial = "number!" }

[known.voice.texts]
fields = "id body"
"""
    path = write("voice.toml", text)
    result = unified("voice calls --help")
    assert result.code == 0
    said = "voice title, voice about, voice calls list already exist"
    assert result.stderr == f"warning: {path}:6: {said}; those in this file are ignored\n"
    assert "mine" not in result.stdout
    assert "  dial " in result.stdout
    assert "Call an operation of the Unified Voice API." in unified("voice --help").stdout
    assert "number (required)" in unified("voice calls dial --help").stdout
    assert "id, body" in unified("voice texts list --help").stdout
    found = unified("operations voice --source -o json").json["operations"]
    sources = {f"{one['resource']} {one['operation']}": one["source"] for one in found}
    assert sources["calls list"] == "built in"
    assert sources["calls dial"] == sources["calls get"] == sources["texts list"] == str(path)
    # Then it goes as it came.
    assert unified("operations remove voice").code == 0
    assert unified("voice calls --help").stderr == ""


def test_the_first_of_two_files_with_a_name_counts(
    write: Callable[..., Path], unified: Unified
) -> None:
    first = write("a.toml", FALCONRY)
    second = write("b.toml", '[api.falconry.resources]\ndeals = "list win"\n')
    result = unified("operations falconry deals --source")
    assert [line.split("\t")[4] for line in result.stdout.splitlines()] == [
        str(first),
        str(first),
        str(second),
    ]
    assert (
        result.stderr
        == f"warning: {second}:2: falconry deals list already exists; the one in this file is"
        " ignored\n"
    )


NAME = "must be at most 64 lower-case letters, digits, dashes and underscores"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[api.hris]\ntitle = "H\n', "2: Illegal character '\\n' (at line 2, column 11)"),
        (
            '[api.hris]\ntitle = "H"\n[api.hris.resources]\npeople = "list Get"\n',
            f"4: hris.people: 'Get' {NAME}",
        ),
        (
            '[api.hris]\ntitle = "H"\n\n[api.hris.resources]\n"https://evil.example" = "list"\n',
            f"5: hris.https://evil.example: 'https://evil.example' {NAME}",
        ),
        (
            '[api.hris]\ntitle = "H"\n[api.hris.resources]\npeople = "list .."\n',
            f"4: hris.people: '..' {NAME}",
        ),
        (
            (
                '[api.hris]\ntitle = "H"\nbase_url ='
                ' "https://evil.example"\n[api.hris.resources]\npeople = "list"\n'
            ),
            "3: hris: unknown key 'base_url' (known: about, actions, resources, title)",
        ),
        (
            (
                '[service]\nprefix = "/evil"\n[api.hris]\ntitle = "H"\n[api.hris.resources]\npeople'
                ' = "list"\n'
            ),
            "1: the file: unknown key 'service' (known: api, known)",
        ),
        (
            (
                '[api.hris]\ntitle = "H"\n[api.hris.resources]\n'
                'people = { operations = "list", safe = "merge" }\n'
            ),
            "4: hris.people: 'safe' names no operation 'merge'",
        ),
        (
            (
                '[api.hris]\ntitle = "H"\n[api.hris.resources]\npeople ='
                ' "list"\n[known.hris.dogs]\nfields = "id"\n'
            ),
            "5: known.hris.dogs: the file has no such resource",
        ),
        (
            (
                '[api.hris]\ntitle = "H"\n[api.hris.resources]\npeople ='
                ' "list"\n[known.hris.people]\nfields = "a:b:c"\n'
            ),
            "6: known.hris.people: not a field: 'a:b:c'",
        ),
        ("api = 7\n", "1: the file: 'api' must be a non-empty table"),
        ("[api]\nhris = 7\n", "2: hris: 'hris' must be a non-empty table"),
        (b"[api.hris]\ntitle = '\xff'\n", "2: not UTF-8"),
        (f"[api.hris]\ntitle = {'9' * 5000}\n", " a number is larger than TOML allows (64 bits)"),
        (f"[api.hris]\ntitle = {'[' * 5000}\n", " nested too deeply for a catalogue"),
    ],
)
def test_a_broken_file_is_reported_by_line_and_leaves_the_rest(
    text: str | bytes, said: str, write: Callable[..., Path], unified: Unified
) -> None:
    broken = write("broken.toml", text)
    write("falconry.toml", FALCONRY)
    result = unified("falconry deals list --help")
    assert result.stderr == f"warning: {broken}:{said}\n"
    assert (result.code, "GET /unified/falconry/deals" in result.stdout) == (0, True)
    assert unified("hris --help").code == 2


@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_a_file_that_others_can_write_is_passed_over(
    mode: int, write: Callable[..., Path], unified: Unified
) -> None:
    path = write("falconry.toml", FALCONRY)
    path.chmod(mode)
    result = unified("falconry --help")
    assert (
        f"warning: others can write {path}, so it is ignored (chmod go-w {path})\n" in result.stderr
    )
    assert result.code == 2


def test_a_folder_that_others_can_write_is_passed_over(
    write: Callable[..., Path], unified: Unified
) -> None:
    folder = write("falconry.toml", FALCONRY).parent
    folder.chmod(0o777)
    result = unified("--help")
    assert (
        result.stderr
        == f"warning: others can write {folder}, so it is ignored (chmod go-w {folder})\n"
    )
    assert (result.code, "falconry" in result.stdout) == (0, False)


def test_only_that_folder_is_looked_into(
    unified: Unified, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in (tmp_path, tmp_path / "work", tmp_path / "data", tmp_path / "other"):
        (place / "catalogue.d").mkdir(parents=True)
        (place / "catalogue.d" / "falconry.toml").write_text(FALCONRY)
        (place / "falconry.toml").write_text(FALCONRY)
    monkeypatch.chdir(tmp_path / "work")
    environ = {"UNIFIED_CONFIG": str(tmp_path / "other" / "config.toml")}
    result = unified("falconry --help", environ=environ)
    assert (result.code, result.stdout) == (2, "")


def test_text_from_a_file_is_not_markup_in_help(
    write: Callable[..., Path], unified: Unified
) -> None:
    write(
        "falconry.toml",
        FALCONRY.replace("People you sell to", r"\u001b]0;x\u0007[bold]you[/bold] \u202eevil"),
    )
    for tty in (False, True):
        page = unified("falconry --help", tty=tty, environ={"NO_COLOR": "1"}).stdout
        assert r"\x1b]0;x\x07[bold]you[/bold] \u202eevil" in page
        assert not {"\x1b", "\x07", "\u202e"} & set(page)


def test_a_fifo_blocks_no_command(write: Callable[..., Path], unified: Unified) -> None:
    folder = write("falconry.toml", FALCONRY).parent
    os.mkfifo(folder / "pipe.toml", 0o600)
    result = unified("falconry --help")
    assert (result.stderr, result.code) == (
        f"warning: cannot read {folder / 'pipe.toml'}: not a regular file\n",
        0,
    )


_WORDS = strategies.sampled_from(
    [
        "api",
        "known",
        "falconry",
        "voice",
        "calls",
        "title",
        "about",
        "resources",
        "actions",
        "operations",
        "one",
        "fields",
    ]
)
_LEAVES = strategies.sampled_from(
    ["list", "crud send", "id name:number", "", 7, True, 1.5, ["list"], [{"a": "b"}]]
)
_TABLES = strategies.recursive(
    _LEAVES, lambda inner: strategies.dictionaries(_WORDS, inner, max_size=4), max_leaves=12
)


@given(strategies.dictionaries(strategies.sampled_from(["api", "known"]), _TABLES, min_size=1))
def test_any_toml_is_taken_or_refused_with_its_place(data: dict[str, object]) -> None:
    catalogue = load()
    grown, said = catalogue, "own.toml:"
    try:
        grown, _ = extended(catalogue, tomlkit.dumps(data), "own.toml", ["profile"])
    except CatalogueError as error:
        said = str(error)
    assert said.startswith("own.toml:")
    assert {one.command for one in catalogue} <= {one.command for one in grown}


def test_a_folder_that_cannot_be_read_stops_nothing(unified: Unified, tmp_path: Path) -> None:
    nowhere = tmp_path / ("x" * 300)
    result = unified("operations voice calls list", folders={"config": nowhere, "data": tmp_path})
    assert result.stdout == "voice calls list\tGET\t/unified/voice/calls\tList calls\n"
    assert result.stderr == f"warning: cannot read {nowhere / 'catalogue.d'}: File name too long\n"
    (tmp_path / "file").touch()
    result = unified(
        "operations voice calls list", folders={"config": tmp_path / "file", "data": tmp_path}
    )
    assert (result.code, result.stderr) == (0, "")
