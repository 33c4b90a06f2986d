"""The line that adds a missing package reaches the program's environment."""

import sys
from pathlib import Path

import pytest

from unified_cli import installation


@pytest.mark.parametrize(
    ("file", "pip", "line"),
    [
        ("pipx_metadata.json", True, "pipx inject unified-api-cli 'mcp>=2' pyarrow"),
        (
            "uv-receipt.toml",
            False,
            "uv pip install --python '@ABC/bin/python' 'mcp>=2' pyarrow",
        ),
        (
            "uv-receipt.toml",
            True,
            "uv pip install --python '@ABC/bin/python' 'mcp>=2' pyarrow",
        ),
        ("", True, "'@ABC/bin/python' -m pip install 'mcp>=2' pyarrow"),
        ("", False, "uv pip install --python '@ABC/bin/python' 'mcp>=2' pyarrow"),
    ],
)
def test_the_line_is_for_how_the_program_was_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, pip: bool, line: str
) -> None:
    prefix = tmp_path / "a b"
    prefix.mkdir()
    if file:
        (prefix / file).touch()
    monkeypatch.setattr(sys, "prefix", str(prefix))
    monkeypatch.setattr(sys, "executable", f"{prefix}/bin/python")
    monkeypatch.setattr(installation, "find_spec", lambda _: object() if pip else None)
    assert installation.command_to_add("mcp>=2", "pyarrow") == line.replace("@ABC", str(prefix))
