"""The conditions of speed, pinned where it can be without a clock: modules imported,
writes made, memory held.
"""

import io
import json
import os
import subprocess
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx
import peak_memory
import pytest
from front_door import ROOT, Unified

from unified_cli.exported.manifest import Manifest, ManifestEntry

PAGE_SERVER = ROOT / "tests" / "benchmarks" / "page_server.py"

# The program with its real entry; when it leaves, it writes down what was imported
# since the interpreter had started. Where click is installed, httpx imports it with
# rich and pygments for a command line of its own. Its users have no click from this
# program; the tests of the extras have it from schemathesis, so here it is not to be
# found.
_RUN = """
import os, sys
class NoClick:
    def find_spec(name, path, target=None):
        if name == "click":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, NoClick)
before, leave = {*sys.modules}, os._exit
def end(code):
    with open(os.environ["MODULES"], "w") as file:
        there = {name for name, one in sys.modules.items() if getattr(one, "__spec__", None)}
        file.write("\\n".join(there - before))
    leave(code)
os._exit = end
from unified_cli.__main__ import run
run()
"""

# The same, but when it leaves it imports what others may need in the same process, such
# as a backend of keyring.
_IMPORT_AFTERWARDS = """
import os
leave = os._exit
def end(code):
    import anyio, certifi, httpx, requests
    assert os.path.getsize(certifi.where())
    leave(code)
os._exit = end
from unified_cli.__main__ import run
run()
"""


def names(text: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(text.split())


HELP = names("annotated_doc platformdirs shellingham typer typing_extensions")
HELP_STDLIB = names("""
    ast bisect bz2 collections contextlib copy copyreg dataclasses datetime difflib dis
    encodings enum errno fcntl fnmatch functools gc gettext glob grp heapq importlib inspect
    ipaddress itertools json keyword linecache locale lzma math ntpath opcode operator pathlib
    platform pwd random re reprlib select selectors shutil signal string subprocess tempfile
    textwrap threading token tokenize tomllib traceback types typing urllib uuid warnings
    weakref zlib
    base64 binascii resource shlex struct termios
""")
# httpx is its requests and responses here: what it sends them with, httpcore with h11
# and anyio, is not imported.
CALL = HELP | names("certifi httptools httpx idna msgspec")
CALL_STDLIB = HELP_STDLIB | names("""
    array atexit calendar decimal email hashlib http logging mimetypes numbers quopri
    socket ssl stringprep unicodedata
""")
PAGES_STDLIB = CALL_STDLIB | names("queue")
# The first call makes the store, one process at a time.
SANDBOX = CALL | {"filelock"}
SANDBOX_STDLIB = CALL_STDLIB | names("hmac html secrets sqlite3")
# Our own rooms that a call has and help does not, and the other way round.
NOT_IN_HELP = names("""
    call.single call.builder cli.other_tools cli.usage_errors commands.operation.mode fleet http
""")
NOT_IN_CALL = names("""
    call.uploading cli.help_page cli.operation_pages cli.other_tools cli.prompt cli.usage_errors
    commands.help config.connection_facts exported output.screen sandbox writes
""")
MOST_MODULES = 100
"""As many of our own modules has a plain list off a terminal."""


@contextmanager
def pages() -> Iterator[dict[str, Any]]:
    """The service of the benchmarks: its ports, and the file of its authority."""
    with subprocess.Popen(
        [sys.executable, str(PAGE_SERVER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        assert server.stdout
        assert server.stdin
        try:
            yield json.loads(server.stdout.readline())
        finally:
            server.stdin.close()


def connection(number: int, url: str) -> dict[str, str]:
    """An environment whose connection holds that many pages."""
    return {
        "UNIFIED_BASE_URL": url,
        "UNIFIED_TOKEN": "t-0123456789",
        "UNIFIED_ACCOUNT_ID": f"pages-{number}-0",
    }


def run(program: str, command: str, folder: Path, **environ: str) -> None:
    """Run a command by one of the programs above."""
    own = {"HOME": str(folder), "PATH": os.defpath, "PYTHONPATH": str(ROOT)}
    argv = [sys.executable, "-c", program, *command.split()]
    subprocess.run(argv, check=True, capture_output=True, timeout=60, env={**own, **environ})


def imported(command: str, folder: Path, **environ: str) -> set[str]:
    """The modules that a command imports."""
    listed = folder / "modules"
    run(_RUN, command, folder, MODULES=str(listed), **environ)
    return {*listed.read_text().split()}


def tops(modules: set[str]) -> tuple[set[str], set[str]]:
    """Their packages: others' and the standard library's; private modules of the latter
    do not count.
    """
    found = {name.partition(".")[0] for name in modules} - {"unified_cli"}
    stdlib = {name for name in found if name in sys.stdlib_module_names}
    return found - stdlib, {name for name in stdlib if not name.startswith("_")}


def test_the_version_imports_nothing(tmp_path: Path) -> None:
    found = imported("--version", tmp_path)
    assert found == {"unified_cli", "unified_cli.__main__", "gc"}


@pytest.mark.parametrize("command", ["--help", "ticketing --help", "ticketing tickets list --help"])
def test_help_on_a_pipe_imports_only_what_it_needs(command: str, tmp_path: Path) -> None:
    others, stdlib = tops(imported(command, tmp_path))
    assert sorted(others - HELP) == []
    assert sorted(stdlib - HELP_STDLIB) == []


def test_help_and_a_call_enter_no_room_that_only_the_other_needs(tmp_path: Path) -> None:
    assert [
        name for name in NOT_IN_HELP | NOT_IN_CALL if find_spec(f"unified_cli.{name}") is None
    ] == []
    found = imported("ticketing tickets list --help", tmp_path)
    assert sorted(found & {f"unified_cli.{name}" for name in NOT_IN_HELP}) == []
    with pages() as service:
        found = imported(
            "ticketing tickets list",
            tmp_path,
            **connection(1, f"http://127.0.0.1:{service['http']}"),
        )
    assert sorted(found & {f"unified_cli.{name}" for name in NOT_IN_CALL}) == []
    assert len([name for name in found if name.startswith("unified_cli")]) <= MOST_MODULES


def test_a_call_to_the_sandbox_imports_only_what_it_needs(tmp_path: Path) -> None:
    others, stdlib = tops(imported("-p sandbox ticketing tickets list", tmp_path))
    assert sorted(others - SANDBOX) == []
    assert sorted(stdlib - SANDBOX_STDLIB) == []


@pytest.mark.parametrize(
    ("command", "packages", "standard"),
    [
        ("ticketing tickets list", CALL, CALL_STDLIB),
        ("ticketing tickets list --all -o ndjson", CALL, PAGES_STDLIB),
    ],
)
def test_a_call_over_tls_imports_only_what_it_needs(
    command: str, packages: frozenset[str], standard: frozenset[str], tmp_path: Path
) -> None:
    with pages() as service:
        environ = connection(3, f"https://127.0.0.1:{service['https']}")
        found = imported(command, tmp_path, **environ, UNIFIED_CA_BUNDLE=service["authority"])
    others, stdlib = tops(found)
    assert sorted(others - packages) == []
    assert sorted(stdlib - standard) == []
    assert not any(name.startswith("unified_cli.sandbox.application") for name in found)


@pytest.mark.parametrize(
    ("options", "is_imported"),
    [
        ("", False),
        ("--pretty", False),
        ("--all", False),
        ("-o ndjson", False),
        ("-o csv", False),
        ("--color never", False),
        ("--color always", True),
    ],
)
def test_rich_is_imported_off_a_terminal_for_colours_alone(
    options: str, is_imported: bool, tmp_path: Path
) -> None:
    with pages() as service:
        environ = connection(1, f"http://127.0.0.1:{service['http']}")
        found = imported(f"ticketing tickets list {options}", tmp_path, **environ)
    assert ("rich" in found) is is_imported


@pytest.mark.parametrize("command", ["--help", "ticketing tickets list"])
def test_every_library_can_be_imported_in_a_process_that_ran_a_command(
    command: str, tmp_path: Path
) -> None:
    with pages() as service:
        run(
            _IMPORT_AFTERWARDS,
            command,
            tmp_path,
            **connection(1, f"http://127.0.0.1:{service['http']}"),
        )


def test_nothing_is_sent_from_within_typer(unified: Unified) -> None:
    # At the bottom of its stack, imports and pages would cross the end of a piece of
    # CPython's own again and again.
    stacks = []

    def answer(_request: httpx.Request) -> httpx.Response:
        stacks.append([frame.filename for frame in traceback.extract_stack()])
        return httpx.Response(200, stream=httpx.ByteStream(b'{"result": [], "next_cursor": null}'))

    environ = connection(1, "https://api.example.com")
    for command in (
        "ticketing tickets list",
        "ticketing tickets list --all",
        "request GET /unified/ticketing/tickets",
    ):
        assert (
            unified(command, environ=environ, transport=lambda: httpx.MockTransport(answer)).code
            == 0
        )
    assert len(stacks) == 3
    assert not any(f"{os.sep}typer{os.sep}" in name for names in stacks for name in names)


class _Counting(io.RawIOBase):
    """A stream that counts how often it is written to."""

    def __init__(self) -> None:
        self.writes = 0
        self.lines = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.writes += 1
        self.lines += bytes(data).count(b"\n")
        return len(data)


def test_a_page_is_one_write(unified: Unified) -> None:
    raw = _Counting()
    with pages() as service:
        environ = connection(1000, f"http://127.0.0.1:{service['http']}")
        stdout = io.BufferedWriter(raw)
        done = unified(
            "ticketing tickets list --all -o ndjson --rate 0", environ=environ, stdout=stdout
        )
    assert (done.code, done.stderr) == (0, "complete: 100000 records in 1000 pages\n")
    assert (raw.writes, raw.lines) == (1000, 100_000)


def test_a_thousand_pages_take_the_memory_of_ten(tmp_path: Path) -> None:
    def peak(number: int, url: str) -> float:
        own = {"HOME": str(tmp_path), "PYTHONPATH": str(ROOT), "UNIFIED_RATE": "0"}
        words = ["ticketing", "tickets", "list", "--all", "-o", "ndjson", "--quiet"]
        measured = peak_memory.of(words, env={**own, **connection(number, url)})
        assert measured.code == 0
        return measured.mebibytes

    with pages() as service:
        url = f"http://127.0.0.1:{service['http']}"
        assert peak(1000, url) < 1.2 * peak(10, url)


def test_a_manifest_is_encoded_without_python_code_for_each_value() -> None:
    entry = ManifestEntry(
        "", "acme", "acct-1", "https://api.example.com", "ats", "jobs", options={"format": "ndjson"}
    )
    files = [f"acme/ats/jobs.{number}.ndjson" for number in range(200)]
    manifest = Manifest(
        "manifest.json", "", entries={name: replace(entry, file=name) for name in files}
    )
    calls = []
    sys.setprofile(
        lambda _frame, event, _argument: calls.append(event) if event == "call" else None
    )
    try:
        text = manifest.text()
    finally:
        sys.setprofile(None)
    assert len(calls) < 2 * len(files)
    assert json.dumps(json.loads(text), indent=1).encode() + b"\n" == text
