"""The architecture: imports go down only, and each library is used in its own
packages.
"""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

import unified_cli
from unified_cli.docs.documents import LAYERS, Layer

ROOT = Path(unified_cli.__file__).parent
MODULES = sorted(ROOT.rglob("*.py"))
TEXTS = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in MODULES}

LIBRARIES = {
    "typer": ["cli", "commands"],
    "click": [],
    "httpx": ["http", "sandbox/in_process.py", "runtime.py"],
    "httpcore": [],
    "httptools": ["http/transport/response_reader.py"],
    "certifi": ["http/transport/tls.py"],
    "truststore": ["http/transport/tls.py"],
    "rich": ["output", "text_width.py", "docs/terminal_picture.py"],
    "platformdirs": ["runtime.py"],
    "tomlkit": ["config"],
    "filelock": ["storage"],
    "mcp": ["commands/mcp"],
    "anyio": ["commands/mcp"],
    "obstore": ["storage/object_store.py"],
    "keyring": ["config/keyring.py"],
    "jq": ["output"],
    "yaml": ["output"],
    "waitress": ["sandbox"],
    "sqlite3": ["sandbox"],
    "subprocess": [
        "config/token_command.py",
        "config/other_program.py",
        "output/jq_process.py",
        "docs/terminal_picture.py",
        "output/pager.py",
    ],
}


def may_import(module: str, other: str) -> bool:
    """Whether a module may import the other one: from its own layer, or from a lower
    level.
    """
    one, two = layer_of(module), layer_of(other)
    return one is two or level_of(other) < level_of(module)


def layer_of(module: str) -> Layer | None:
    """The layer of a module, named relative to the package, such as `http.client`; None
    for the package itself.
    """
    found = [
        (len(name), layer)
        for layer in LAYERS
        for name in layer.packages
        if f"{module}.".startswith(f"{name}.")
    ]
    return max(found)[1] if found else None


def level_of(module: str) -> int:
    """The level of a module; 0 for the package itself."""
    layer = layer_of(module)
    return layer.level if layer else 0


@cache
def tree(path: str) -> ast.Module:
    return ast.parse(TEXTS[path])


@cache
def imports(path: str) -> list[str]:
    found: list[str] = []
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are written out"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


@cache
def module(path: str) -> str:
    """The name of a module within the package."""
    return path.removesuffix(".py").replace("/", ".").removesuffix("__init__").rstrip(".")


@cache
def target(name: str) -> str:
    """The module that an imported name is, or is in, as named from within the
    package.
    """
    inside = name.removeprefix("unified_cli").lstrip(".")
    path = ROOT / inside.replace(".", "/")
    return (
        inside if path.is_dir() or path.with_suffix(".py").is_file() else inside.rpartition(".")[0]
    )


def test_a_module_imports_only_from_below() -> None:
    wrong = [
        f"{path} imports {name}"
        for path in TEXTS
        for name in imports(path)
        if name.startswith("unified_cli") and not may_import(module(path), target(name))
    ]
    assert wrong == []


def command(name: str) -> str:
    """The command whose module that is; empty for one of the kernel."""
    words = name.split(".")
    return words[1] if words[0] == "commands" and len(words) > 1 else ""


def test_a_command_imports_no_other_command() -> None:
    wrong = [
        f"{path} imports {name}"
        for path in TEXTS
        for name in imports(path)
        if command(module(path)) and command(target(name)) not in ("", command(module(path)))
    ]
    assert wrong == []


def test_every_module_is_in_a_layer() -> None:
    inside = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in MODULES]
    assert [name for name in inside if name != "__init__" and level_of(name) == 0] == []


def test_the_name_of_a_class_is_unique() -> None:
    classes = Counter(
        node.name
        for path in TEXTS
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, count in classes.items() if count > 1] == []


def test_imports_have_no_cycle() -> None:
    imported: dict[str, set[str]] = {}
    for path in TEXTS:
        inside = module(path)
        imported[inside] = {
            target(name) for name in imports(path) if name.startswith("unified_cli")
        } - {inside}
    # A module that imports none of the others left cannot be in a cycle; what remains
    # in the end is.
    while leaves := [name for name, others in imported.items() if not others & imported.keys()]:
        for name in leaves:
            del imported[name]
    assert imported == {}


def test_a_library_is_used_in_its_own_packages() -> None:
    wrong = [
        f"{path} imports {name}"
        for path in TEXTS
        for name in imports(path)
        if not path.startswith(tuple(LIBRARIES.get(name.partition(".")[0], [""])))
    ]
    assert wrong == []


def test_a_module_and_its_functions_are_small_and_it_says_what_it_is_for() -> None:
    assert [path for path in TEXTS if not ast.get_docstring(tree(path))] == []
    assert [path for path, text in TEXTS.items() if len(text.splitlines()) > 400] == []
    functions = [
        (path, node)
        for path in TEXTS
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    assert [
        (path, one.name) for path, one in functions if (one.end_lineno or 0) - one.lineno >= 50
    ] == []


def test_sql_is_small() -> None:
    assert 0 < sum(lines_of_code(path) for path in TEXTS if path.startswith("commands/sql/")) <= 800


def lines_of_code(path: str) -> int:
    """The lines of a module without empty ones, comments and docstrings."""
    words = {
        line
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        for line in range(node.lineno, (node.end_lineno or 0) + 1)
    }
    lines = enumerate(map(str.strip, TEXTS[path].splitlines()), 1)
    return sum(1 for at, line in lines if line and line[0] != "#" and at not in words)


# Code that reaches into a library or the interpreter, and bags of options: each with
# the modules that cannot do without.
FORBIDDEN = {
    r"sys\.modules\[": set[str](),
    r"\._pool\b|_protected_args": set[str](),
    r"sched_setaffinity": set[str](),
    r"(?:[Mm]apping|dict)\[str, (?:Any|object)\]": set[str](),
    # Typer calls a function with what was typed; there it becomes an instance of the
    # options at once.
    r"\*\*\w+: (?:Any|object)|\*\*given": {"cli/flags.py"},
}


@pytest.mark.parametrize("word", FORBIDDEN)
def test_no_module_reaches_into_a_library_or_takes_untyped_options(word: str) -> None:
    found = {path for path, text in TEXTS.items() if re.search(word, text)}
    assert found == FORBIDDEN[word]


# The options that decide on the mode of an operation; built-in commands have options of
# these names with a meaning of their own.
MODES = {
    r"\.skeleton\b": "commands/operation/mode.py",
    r"\.(?:follow|given_any)\b": "commands/operation/mode.py",
    r"options\.shown\b": "commands/operation/mode.py",
    r"\.(?:dry_run|as_)\b": "cli/options.py",
}


@pytest.mark.parametrize("word", MODES)
def test_the_mode_of_an_operation_is_decided_in_one_place(word: str) -> None:
    about_operations = {
        path: text
        for path, text in TEXTS.items()
        if not path.startswith("commands/") or "/operation/" in path
    }
    assert {path for path, text in about_operations.items() if re.search(word, text)} == {
        MODES[word]
    }


@pytest.mark.parametrize(
    "word", [r"print\(", r"os\.environ", r"time\.sleep", r"sys\.exit", r"sys\.std"]
)
def test_only_the_runtime_uses_streams_and_the_clock(word: str) -> None:
    # The sandbox is a server of its own, which is given a clock where it matters; what
    # runs jq programs is a process.
    allowed = {"runtime.py", "__main__.py", "sandbox/application.py", "output/jq_worker.py"}
    pattern = re.compile(rf"(?<![\w.]){word}")
    found = {path for path, text in TEXTS.items() if pattern.search(text)}
    assert found <= allowed


@pytest.mark.parametrize(
    "word", [r"(?<!os_limits)\.absolute\(", r"\.resolve\(\)", r"cwd\(", "realpath", "abspath"]
)
def test_one_module_asks_for_the_working_directory(word: str) -> None:
    allowed = {"os_limits.py"}
    assert {path for path, text in TEXTS.items() if re.search(word, text)} <= allowed


@pytest.mark.parametrize(
    "word", ["fsync", r"os\.(?:replace|rename|link|ftruncate)", "hardlink_to", "O_EXCL"]
)
def test_only_storage_makes_things_durable(word: str) -> None:
    found = {path for path, text in TEXTS.items() if re.search(word, text)}
    assert {name for name in found if not name.startswith("storage/")} == set()
