"""The end of a bug says where to report it, if the project has an address; the doctor
prints what a report needs.
"""

import json
import platform
import sys
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from front_door import ROOT, Unified

import unified_cli
from unified_cli.commands.doctor import versions
from unified_cli.errors import bug_message

ADDRESS = "https://code.example/unified"
LIST = "-p sandbox ticketing tickets list"


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr("unified_cli.commands.operation.mode.run", fail)


@pytest.mark.usefixtures("broken")
def test_the_end_of_a_bug_says_where_to_report_it(
    unified: Unified, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unified_cli, "REPOSITORY", ADDRESS)
    result = unified(LIST)
    assert result.code == 1
    assert result.stderr.endswith(
        f"(-vv shows the traceback; please report it at {ADDRESS}/issues, with what"
        " unified doctor prints)\n"
    )


@pytest.mark.usefixtures("broken")
def test_without_an_address_nothing_is_said_of_reports(
    unified: Unified, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unified_cli, "REPOSITORY", "")
    result = unified(LIST)
    assert result.code == 1
    assert result.stderr.endswith(" (-vv shows the traceback)\n")
    assert bug_message("a bug, sorry: E") == "a bug, sorry: E"
    assert "report" not in unified("help exit-codes").stdout


def test_the_package_has_the_same_address() -> None:
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"].get("urls", {})
    address = unified_cli.REPOSITORY
    assert urls == ({"Source": address, "Issues": f"{address}/issues"} if address else {})


def test_the_doctor_begins_with_what_a_report_needs(unified: Unified) -> None:
    program, packages, *_ = (line.split("\t") for line in unified("doctor").stdout.splitlines())
    release = f"unified {unified_cli.__version__}"
    assert program[:3] == ["ok", "program", release]
    assert program[3].startswith("installed by ")
    assert program[3].endswith(f"{platform.python_version()} on {platform.platform()}")
    assert packages[:3] == ["ok", "packages", ""]
    assert f"httpx {metadata.version('httpx')}" in packages[3]
    screen = unified("doctor", tty=True, columns=200, environ={"NO_COLOR": "1"}).stdout
    assert f"program {release}: {program[3]}\n" in screen


@pytest.mark.parametrize(
    ("files", "installer"),
    [
        ({"INSTALLER": "pip\n"}, "pip"),
        ({"INSTALLER": "uv\n"}, "uv"),
        (
            {"INSTALLER": "pip", "direct_url.json": '{"dir_info": {"editable": true}}'},
            "pip, editable",
        ),
        ({"INSTALLER": "pip", "direct_url.json": '{"dir_info": {}, "url": "file:///x"}'}, "pip"),
        ({"INSTALLER": "pip", "direct_url.json": "[]"}, "pip"),
        ({"INSTALLER": "pip", "direct_url.json": "{"}, "pip"),
        ({}, "an unknown installer"),
        ({"pipx_metadata.json": "{}", "INSTALLER": "pip"}, "pipx"),
        ({"uv-receipt.toml": "", "INSTALLER": "uv"}, "uv tool"),
    ],
)
def test_it_says_how_the_program_was_installed(
    files: dict[str, str], installer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(metadata, "distribution", lambda _: metadata.PathDistribution(tmp_path))
    assert versions.installed_by() == installer


def test_a_program_that_is_not_installed_runs_from_its_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(metadata, "distribution", missing)
    assert versions.installed_by() == "nothing: it runs from its source"
    assert json.loads(json.dumps(versions.versions()))["installed"] == versions.installed_by()
