"""The house: arrows between modules go down only, and each library has its rooms."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import unified_cli

ROOT = Path(unified_cli.__file__).parent
MODULES = sorted(ROOT.rglob("*.py"))

# From the bottom up; a module may import from rows above its own, and from its own package.
LAYERS = [
    ["unified_cli"],
    ["errors", "talk", "catalogue", "surrogates"],
    ["runtime", "signals"],
    ["config"],
    ["output", "wire", "sandbox"],
    ["bulk"],
    ["commands"],
    ["reference", "main"],
    ["__main__"],
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}

ROOMS = {
    "typer": ["commands"],
    "click": [],
    "httpx": ["wire", "sandbox/transport.py", "runtime.py"],
    "httpcore": ["wire/sockets.py"],
    "rich": ["output"],
    "platformdirs": ["runtime.py"],
    "tomlkit": ["config"],
    "filelock": ["config", "sandbox"],
    "keyring": ["config"],
    "jq": ["output", "bulk", "commands"],
    "yaml": ["output"],
    "waitress": ["sandbox"],
    "sqlite3": ["sandbox"],
    "subprocess": ["config/helper.py"],
}


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are written out"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def package(name: str) -> str:
    parts = name.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in LEVEL else "unified_cli"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_imports_only_from_below(path: Path) -> None:
    inside = path.relative_to(ROOT)
    own = package(f"unified_cli.{inside.parts[0].removesuffix('.py')}")
    for name in imports(path):
        if name.startswith("unified_cli"):
            other = package(name)
            assert other == own or LEVEL[other] < LEVEL[own], f"{inside} imports {name}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_library_is_used_in_its_own_rooms(path: Path) -> None:
    inside = path.relative_to(ROOT).as_posix()
    for name in imports(path):
        rooms = ROOMS.get(name.partition(".")[0])
        assert rooms is None or any(inside.startswith(room) for room in rooms), f"{inside} imports {name}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_room_is_small_and_says_what_it_is_for(path: Path) -> None:
    text = path.read_text("utf-8")
    docstring = ast.get_docstring(ast.parse(text))
    assert docstring, f"{path} has no docstring"
    assert len(text.splitlines()) <= 300 or "lines" in docstring, f"{path} is too long, and gives no reason"


@pytest.mark.parametrize("word", [r"print\(", r"os\.environ", r"time\.sleep", r"sys\.exit", r"sys\.std"])
def test_the_world_is_met_in_the_runtime_only(word: str) -> None:
    # The sandbox is a world of its own, which is handed a clock where it matters.
    allowed = {"runtime.py", "__main__.py", "sandbox/app.py"}
    pattern = re.compile(rf"(?<![\w.]){word}")
    found = {path.relative_to(ROOT).as_posix() for path in MODULES if pattern.search(path.read_text("utf-8"))}
    assert found <= allowed
