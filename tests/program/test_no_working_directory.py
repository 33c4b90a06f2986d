"""In a working directory that was removed, whatever names a file there says so: no
option, argument or variable that takes a path ends as a bug.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from shutil import rmtree

import pytest
from entries import ENTRIES
from front_door import Result, Unified
from installed import needs_extra
from pages import serve, tickets
from record_files import TWO, ndjson
from server import Reply, Seen, Service

from unified_cli.cli.command_index import CommandEntry
from unified_cli.cli.flags import Flag

Config = Callable[[str], Path]
Run = Callable[..., Result]
PATHS = {"file", "folder", "@file", "field@file"}
URL = "https://127.0.0.1:9"
CONFIG = f"""{TWO}
[profiles.acme]
base_url = "{URL}"
account_id = "1"
retries = 0
"""
TOKEN = {"UNIFIED_BASE_URL": URL, "UNIFIED_TOKEN": "t-0123456789"}
LIST = "ticketing tickets list"
NEEDS_REPORT = needs_extra("report", "jinja2")
DIFF = "--from old --to new"
# The words that a command needs beside the tried option; HERE is an existing folder.
NEEDS = {
    "request": "request POST /unified/ticketing/tags -f name=x --yes",
    "export": "export ticketing/tags --to HERE/dump",
    "import": "import ticketing/tags HERE/in.ndjson --yes",
    "diff": f"diff ticketing/tags {DIFF}",
    "plan": f"plan ticketing/tags {DIFF}",
    "apply": "apply HERE/p.plan --yes",
    "schema": "schema ticketing/tags",
    "report": "report --to HERE/r.html",
    "profile add": "profile add more --account-id 2",
    "profile import": "profile import",
    "runs resume": "runs resume 20260101-abcd",
    "runs retry": "runs retry 20260101-abcd",
}
# The words that an option needs, and those it conflicts with.
BESIDE = {
    "--har": "--bundle HERE/b.zip",
    "--junit": "--expect true",
    "--upload": "-f name=x",
    "--data": "",
    "--field": "",
}
INSTEAD = {
    "export --to": "export ticketing/tags",
    "export --verify": "export",
    "diff --from": "diff ticketing/tags --to new",
    "diff --to": "diff ticketing/tags --from old",
    "plan --from": "plan ticketing/tags --to new",
    "plan --to": "plan ticketing/tags --from old",
    "report --to": "report",
    "report --junit": "report --to HERE/r.html",
    "schema --junit": "schema ticketing/tags --against known",
}


def _line(entry: CommandEntry, flag: Flag) -> str:
    """A command line that would work, but for the option that is tried."""
    path, name = " ".join(entry.path), flag.spellings[-1]
    line = INSTEAD.get(f"{path} {name}")
    if line is None:
        line = NEEDS.get(path, path)
        if len(entry.path) == 3:
            body = any(one.spellings[-1] == "--data" for one in entry.flags)
            usual = "-q id=attachments-1" if path.endswith("download") else "-f name=x --yes"
            of_id = " x" if entry.takes and not path.endswith("download") else ""
            line += f"{of_id} {BESIDE.get(name, usual if body else '')}"
    if any(one.spellings[-1] == "--profile" for one in entry.flags):
        line = f"-p {'acme' if name in {'--token-file', '--ca-bundle'} else 'new'} {line}"
    value = {"@file": "@gone.x", "field@file": "a=@gone.x"}.get(flag.takes, "gone.x")
    return f"{line} {name} {value}"


def _cases() -> Iterator[str]:
    """One of each kind of command, with each of the options that take a path."""
    kinds: dict[object, CommandEntry] = {}
    for entry in ENTRIES:
        if not entry.words:
            of_operation = (tuple(entry.flags), tuple(entry.takes))
            kinds.setdefault(of_operation if len(entry.path) == 3 else entry.path, entry)
    for entry in kinds.values():
        for flag in entry.flags:
            if flag.takes in PATHS:
                yield _line(entry, flag)


@pytest.fixture
def gone(unified: Unified, config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in a folder that was removed."""
    config(CONFIG)
    side = ndjson(tmp_path / "in.ndjson", {"id": "1", "name": "a"})
    plan = unified(f"plan ticketing/tags --from {side} --to new --same-ids")
    (tmp_path / "p.plan").write_bytes(plan.raw)
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()

    def run(command: str, environ: Mapping[str, str] = {}) -> Result:
        return unified(command.replace("HERE", str(tmp_path)), environ=environ)

    return run


@pytest.mark.parametrize("command", [*_cases()])
def test_no_option_ends_as_a_bug(command: str, gone: Run) -> None:
    result = gone(command, TOKEN if "-p acme" in command else {})
    assert "a bug" not in result.stderr
    assert result.code not in {0, 1}, result.stderr


@pytest.mark.parametrize(
    "command",
    [
        "-p new import ticketing/tags i.ndjson",
        "-p new import ticketing/tags HERE/in.ndjson --report r",
        "-p new ticketing tags create -d @b.json",
        "-p new ticketing tags create -F x=@b.json",
        "-p new ticketing tags create -F x=@base64:b.bin",
        "-p new ticketing tags create --upload a.png",
        "-p new ticketing tags create -d @a.png --content-type image/png",
        "-p new ticketing tags create -f name=x --out o.json",
        "-p new ticketing tags list --replay r.har",
        "-p new ticketing tags list --record r.har",
        "-p new ticketing tags list --out o.json",
        "-p new ticketing tags list --all -o csv --out o.csv",
        "-p new ticketing tags list --expect true --junit j.xml",
        "-p new apply a.plan --yes",
        "-p new apply HERE/p.plan --yes --ids ids",
        "-p old export ticketing/tags --to dump",
        "export --verify dump",
        "-p old ticketing attachments download -q id=attachments-1 --out d/",
        "-p old ticketing attachments download -q id=attachments-1 --out f.bin",
        "-p old ticketing attachments download --from f --out HERE/d",
        "profile import f.json",
        "profile add q --account-id 1 --token-file t",
        "profile set acme token_file=t",
        "profile set acme ca_bundle=x.pem",
        "-p old schema ticketing/tags --against known --junit j.xml",
        "diff ticketing/tags --from old --to new --ids ids",
        "plan ticketing/tags --from old --to new --ids ids",
        pytest.param("report --to r.html -p old", marks=NEEDS_REPORT),
        pytest.param("report --to HERE/r.html -p old --export dump", marks=NEEDS_REPORT),
        "doctor --bundle b.zip",
        "doctor --bundle HERE/b.zip --har r.har",
        "sandbox serve --state s.db",
        "sandbox serve --ready-file r",
        "sandbox serve --token-file t",
        f"-p acme {LIST} --token-file t",
        f"-p acme {LIST} --ca-bundle x.pem",
        f"-p acme {LIST} (UNIFIED_CA_BUNDLE=x.pem)",
        f"-p acme {LIST} (SSL_CERT_FILE=x.pem)",
        f"-p old {LIST} (UNIFIED_CONFIG=c.toml)",
        "profile add q --account-id 1 (UNIFIED_CONFIG=c.toml)",
    ],
)
def test_the_end_says_that_the_working_directory_is_gone(command: str, gone: Run) -> None:
    words, _, variable = command.partition(" (")
    name, _, value = variable.rstrip(")").partition("=")
    result = gone(words, TOKEN | ({name: value} if name else {}))
    assert result.code == 11, result.stderr
    assert "the working directory" in result.stderr
    assert "cd to another" in result.stderr


@pytest.mark.parametrize("key", ["token_file", "ca_bundle"])
def test_a_relative_path_in_the_config_is_looked_for_there(
    key: str, gone: Run, config: Config
) -> None:
    config(f'{CONFIG}{key} = "gone.x"\n')
    result = gone(f"-p acme {LIST}", {} if key == "token_file" else TOKEN)
    assert (result.code, "the working directory was removed" in result.stderr) == (11, True)


def test_an_export_reports_that_its_folder_was_removed(
    unified: Unified,
    config: Config,
    service: Service,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    config(f'base_url = "{service.url}"\n[profiles.acme]\naccount_id = "1"\n')
    serve(service, [tickets(2), tickets(2, 2)])
    reply = service.reply

    def removing(seen: Seen) -> Reply:
        rmtree(folder, ignore_errors=True)
        return reply(seen)

    service.reply = removing
    result = unified(
        "-p acme export ticketing/tickets --to dump --retries 0",
        environ={
            "UNIFIED_BASE_URL": service.url,
            "UNIFIED_TOKEN": service.environ["UNIFIED_TOKEN"],
        },
    )
    assert result.code == 11, result.stderr
    assert "the working directory was removed: cd to another" in result.stderr


def test_commands_without_a_file_name_work(gone: Run, tmp_path: Path) -> None:
    assert gone("-p old ticketing tags list").code == 0
    assert gone("diff ticketing/tags --from old --to old").code == 0
    assert gone("-p old export ticketing/tags --to HERE/dump").code == 0
    assert gone("profile add more --account-id 2").code == 0
    assert (tmp_path / "dump" / "old" / "ticketing" / "tags.ndjson").is_file()
