"""Bytes that are not UTF-8, on the command line and in the environment: refused, or the
name of a file.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from entries import ENTRIES
from front_door import Process, Result, Unified
from server import Service

from unified_cli.cli.command_index import CommandEntry
from unified_cli.commands import COMMANDS as BUILT_IN
from unified_cli.config.keys import KEYS

# As Python hands on the byte 0xff of an argument or of a variable.
BYTE = "\udcff"
TEXTS = (BYTE, f"a={BYTE}", f"{BYTE}=a", f"tag:{BYTE}", f'{{"a":"{BYTE}"}}')
FILES = ("file", "folder", "@file", "field@file")
ARGUMENTS = {
    "request": ["POST", "/unified/voice/calls"],
    "export": ["voice/calls"],
    "import": ["ticketing/contacts", "in.csv"],
    "ticketing tickets update": ["1"],
    "ticketing tickets delete": ["1", "--yes"],
    "knowledge-base page-exports create": [],
    "ticketing attachments download": [],
    **{f"runs {name}": ["20261121-7f3a"] for name in ("show", "resume", "retry", "remove")},
    "profile add": ["new"],
    "profile import": ["in.csv"],
    "profile set": ["acme", "retries=1"],
    "diff": ["ticketing/tickets", "--from", "acme", "--to", "acme"],
    "plan": ["ticketing/tickets", "--from", "acme", "--to", "acme"],
    "apply": ["in.csv"],
    "schema": ["ticketing/tickets"],
    "sql": ["SELECT 1"],
    "operations add": ["crm"],
    "operations remove": ["crm"],
    **{
        f"profile {name}": ["acme"] for name in ("show", "use", "test", "login", "logout", "remove")
    },
}
COMMANDS = [
    entry
    for entry in ENTRIES
    if not entry.words
    and (
        entry.path[0] in BUILT_IN or " ".join(entry.path) in {*ARGUMENTS, "ticketing tickets list"}
    )
    and entry.path != ("sandbox", "serve")
]
CONFIG = '[profiles.acme]\naccount_id = "acct-1"\ntags = ["eu"]\n'


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, config: Callable[[str], Path]) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.csv").write_text("name,account_id\nAda,7\n")
    config(CONFIG)


@pytest.mark.usefixtures("there")
@pytest.mark.parametrize("entry", COMMANDS, ids=lambda entry: " ".join(entry.path))
def test_an_option_that_is_not_utf8_is_refused(
    entry: CommandEntry, unified: Unified, service: Service
) -> None:
    for flag in entry.flags:
        if not flag.takes_value or flag.takes in FILES:
            continue
        argv = [
            *entry.path,
            *ARGUMENTS.get(" ".join(entry.path), []),
            flag.spellings[-1],
            f"a={BYTE}",
        ]
        result = unified(argv, environ=service.environ)
        assert (result.code, result.stdout, service.seen) == (2, "", []), argv
        assert flag.spellings[-1] in result.stderr, argv


@pytest.mark.usefixtures("there")
@pytest.mark.parametrize("entry", COMMANDS, ids=lambda entry: " ".join(entry.path))
def test_an_argument_that_is_not_utf8_is_not_a_bug(
    entry: CommandEntry, unified: Unified, service: Service
) -> None:
    given = ARGUMENTS.get(" ".join(entry.path), [])
    for at in range(len(given) + 1):
        for text in TEXTS:
            argv = [*entry.path, *given[:at], text, *given[at + 1 :]]
            result = unified(argv, environ=service.environ)
            assert (result.code in {2, 3, 11}, service.seen) == (True, []), (argv, result)


@pytest.mark.usefixtures("there")
@pytest.mark.parametrize("variable", [key.variable for key in KEYS.values() if key.env])
@pytest.mark.parametrize(
    "command", ["voice calls list", "profile list", "profile show acme", "doctor", "export voice"]
)
def test_a_variable_that_is_not_utf8_is_not_a_bug(
    command: str, variable: str, unified: Unified, service: Service
) -> None:
    if variable == "UNIFIED_BASE_URL" and command == "doctor":
        return
    result = unified(command, environ={**service.environ, variable: BYTE})
    assert result.code in {0, 2, 3}, result
    assert service.seen == [] or result.code == 0


@pytest.mark.usefixtures("there")
@pytest.mark.parametrize(
    ("command", "content"),
    [
        (f"ticketing tickets create -F a=@in{BYTE}", b'{"a":"text"}'),
        (f"ticketing tickets create -F a=@base64:in{BYTE}", b'{"a":"dGV4dA=="}'),
        (f"ticketing tickets create -d @json{BYTE}", b"{}"),
    ],
)
def test_a_file_may_have_any_name(
    command: str, content: bytes, unified: Unified, service: Service, tmp_path: Path
) -> None:
    (tmp_path / f"in{BYTE}").write_text("text")
    (tmp_path / f"json{BYTE}").write_text("{}")
    assert unified(command.split(), environ=service.environ).code == 0
    assert [seen.body for seen in service.seen] == [content]
    result = unified(["voice", "calls", "list", "--out", f"out{BYTE}"], environ=service.environ)
    assert (result.code, (tmp_path / f"out{BYTE}").read_bytes()) == (0, b"{}\n")


@pytest.mark.usefixtures("there")
def test_a_file_of_any_name_is_named_with_its_own_bytes(unified: Unified) -> None:
    environ = {"UNIFIED_CA_BUNDLE": f"/ca{BYTE}"}
    rows = unified("profile show acme", environ=environ).raw.splitlines()
    assert any(row.startswith(b"ca_bundle\t/ca\xff\t") for row in rows)
    shown: Result = unified("profile show acme -o json", environ=environ)
    [bundle] = [
        one["value"] for one in json.loads(shown.raw)["values"] if one["key"] == "ca_bundle"
    ]
    assert os.fsencode(bundle) == b"/ca\xff"
    assert "/ca\\udcff" in unified("profile show acme", environ=environ, tty=True).stdout


def test_the_bytes_of_a_process_are_read_the_same_way(process: Process, tmp_path: Path) -> None:
    done = process(["ticketing", "tickets", "list", "-q", b"a=\xff"])
    assert (done.stdout, done.stderr, done.returncode) == (
        b"",
        b"error: --query is not UTF-8: a=\\udcff\n",
        2,
    )
    surroundings = ("HOME", "XDG_CONFIG_HOME", "HTTPS_PROXY", "TERM", "NO_PROXY", "LANG", "COLUMNS")
    done = process(
        "-p sandbox voice calls list -o ids --quiet",
        environ=dict.fromkeys(surroundings, os.fsencode(tmp_path) + b"/\xff"),
    )
    assert (done.returncode, done.stderr) == (0, b"")
    name = os.fsencode(tmp_path) + b"/caf\xe9.ndjson"
    Path(os.fsdecode(name)).write_text('{"name":"a"}\n')
    done = process(["-p", "sandbox", "-a", "empty", "import", "ticketing/tags", name])
    assert (done.returncode, Path(os.fsdecode(name + b".unified-done.ndjson")).exists()) == (
        0,
        True,
    ), done.stderr
