"""The manual page: every man program renders it without warnings, and it is
complete.
"""

import subprocess

import pytest
from entries import ENTRIES
from installed import skip_without

from unified_cli.catalogue import load
from unified_cli.cli.command_index import all_flags
from unified_cli.docs.documents import MANUAL, ROOT
from unified_cli.errors import ExitCode

PAGE = ROOT / MANUAL
READERS = {
    "man": ["man", "--warnings=w", "--local-file", "-Tutf8", f"./{PAGE.name}"],
    "groff": ["groff", "-man", "-ww", "-Kutf8", "-Tutf8", str(PAGE)],
}


@pytest.mark.parametrize("reader", READERS)
def test_it_renders_without_warnings(reader: str) -> None:
    skip_without(reader)
    environ = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "MANWIDTH": "80"}
    done = subprocess.run(
        READERS[reader],
        cwd=PAGE.parent,
        env=environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.stderr, done.returncode) == ("", 0)
    assert "call one connection, or many, of a family of unified HTTP APIs" in " ".join(
        done.stdout.split()
    )


def test_it_holds_every_option_command_code_and_operation() -> None:
    text = PAGE.read_text("utf-8").replace("\\-", "-")
    catalogue = load()
    for spelling in all_flags(ENTRIES):
        assert f"\\fB{spelling}\\fR" in text
    for name, _ in ENTRIES[0].words:
        assert f"\\fB{name}\\fR" in text
    for code in ExitCode:
        assert f"\\fB{int(code)}\\fR\n" in text
    for operation in catalogue:
        assert f"\\fB{operation.resource}\\fR\n" in text


def test_no_line_is_a_request_by_accident() -> None:
    known = {".TH", ".SH", ".SS", ".TP", ".B", ".br", ".EX", ".EE"}
    lines = PAGE.read_text("utf-8").splitlines()
    assert {line.split()[0] for line in lines if line.startswith((".", "'"))} - {'.\\"'} <= known
