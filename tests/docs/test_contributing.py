"""The page for contributors: every file, folder and module that it names is there."""

import re

from front_door import ROOT

from unified_cli.docs.documents import CONTRIBUTING

TEXT = (ROOT / CONTRIBUTING).read_text("utf-8")
WORDS = sorted(set(re.findall(r"`([^`\n]+)`", TEXT)))
# Each command's folder has some of these; they are named without the folder.
IN_A_FOLDER_OF_A_COMMAND = {"command.py", "options.py", "run.py", "report.py"}


def test_every_file_and_folder_is_there() -> None:
    paths = {
        word.split(" ")[0]
        for word in WORDS
        if re.fullmatch(r"[\w./-]*[/.][\w./-]+", word.split(" ")[0])
    }
    named = {path for path in paths if "/" in path or re.search(r"\.(?:py|toml|yaml|md)$", path)}
    named -= IN_A_FOLDER_OF_A_COMMAND | {"unified_cli/commands/NAME"}
    assert len(named) > 30
    missing = [
        path
        for path in sorted(named)
        if not any((root / path).exists() for root in (ROOT, ROOT / "unified_cli"))
    ]
    assert missing == []


def test_every_function_in_the_table_is_in_its_module() -> None:
    table = TEXT[TEXT.index("| Question |") : TEXT.index("## One call")]
    named = re.findall(r"`(\w+)`(?: and `(\w+)`)? in `([\w/]+\.py)`", table)
    assert len(named) > 25
    missing = [
        f"{name} in {file}"
        for *names, file in named
        for name in filter(None, names)
        if not re.search(
            rf"(?:def|class) {name}\b", (ROOT / "unified_cli" / file).read_text("utf-8")
        )
    ]
    assert missing == []


def test_the_plain_names_are_those_of_the_folders() -> None:
    found = {path.name for path in (ROOT / "unified_cli" / "commands").glob("*/*.py")}
    assert found >= IN_A_FOLDER_OF_A_COMMAND


def test_every_module_on_the_way_of_a_call_is_there() -> None:
    steps = TEXT[TEXT.index("## One call") : TEXT.index("## Add something")]
    named = set(re.findall(r"`([a-z_]+(?:\.[a-z_]+)+)`", steps))
    assert len(named) > 15
    for name in sorted(named):
        *folder, last = name.split(".")
        module = (ROOT / "unified_cli").joinpath(*folder).with_suffix(".py")
        # A module, or a function of one.
        whole = (ROOT / "unified_cli").joinpath(*folder, f"{last}.py")
        assert whole.is_file() or f"def {last}(" in module.read_text("utf-8"), name


def test_every_package_is_described() -> None:
    packages = [path.parent.name for path in (ROOT / "unified_cli").glob("*/__init__.py")]
    assert [name for name in packages if f"`{name}`" not in TEXT] == []
