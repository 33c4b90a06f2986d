"""The topics of `unified help`: the texts of the TOML files, with tables generated from the code."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from unified_cli.cli.flags import BODY, CONNECTION, OUTPUT, QUERY, Flag
from unified_cli.cli.help_page import EXAMPLES, CodeBlock, HelpPage, Rows
from unified_cli.cli.options import FLAGS
from unified_cli.config.keys import KEYS, Key
from unified_cli.errors import ExitCode
from unified_cli.json_text.values import TomlTable
from unified_cli.output import FORMATS
from unified_cli.sandbox.fault_words import FAULT_WORDS

_FILES = ("topics.toml", "sandbox_topic.toml")
Section = tuple[str, Rows | str]


@dataclass(frozen=True, slots=True)
class HelpTopic:
    """A help page that is about no single command, and a line on what it is about."""

    about: str
    page: HelpPage
    also: Sequence[str]
    """Other words for what it is about."""


def topics() -> Mapping[str, HelpTopic]:
    """The topics by their names."""
    folder = files("unified_cli.commands")
    texts = [folder.joinpath(name).read_text("utf-8") for name in _FILES]
    tables = [pair for text in texts for pair in tomllib.loads(text).items()]
    return {name: HelpTopic(data["about"], _page(name, data), data.get("also", "").split()) for name, data in tables}


def _page(name: str, data: TomlTable) -> HelpPage:
    tables = [*_TABLES.get(name, list)(), *((head, [*rows.items()]) for head, rows in data.get("tables", {}).items())]
    notes = data.get("notes", {}).items()
    code = [(head, CodeBlock(text)) for head, text in data.get("code", {}).items()]
    return HelpPage(None, data["text"].split("\n\n"), [*tables, *notes, *code, (EXAMPLES, "\n".join(data["examples"]))])


_TABLES: Mapping[str, Callable[[], list[Section]]] = {
    "exit-codes": lambda: [("Exit codes", [(str(int(code)), code.meaning) for code in ExitCode])],
    "output": lambda: [("Formats", ", ".join(FORMATS)), _options(OUTPUT)],
    "query": lambda: [_options(QUERY), _options(BODY)],
    "config": lambda: [
        ("At the top or in a profile", _keys(lambda key: key.at == "tp")),
        ("At the top only", _keys(lambda key: key.at == "t")),
        ("In a profile only", _keys(lambda key: key.at == "p")),
    ],
    "environment": lambda: [
        ("Variables", [(key.variable, _about(key)) for key in KEYS.values() if key.env]),
        (
            "Also read",
            [("NO_COLOR, CLICOLOR=0", "never use colours"), ("FORCE_COLOR, CLICOLOR_FORCE", "always use colours")],
        ),
    ],
    "profiles": lambda: [_options(CONNECTION)],
    "sandbox": lambda: [("Faults (--faults)", [(one.spelling, f"{one.about}: {one.example}") for one in FAULT_WORDS])],
}


def _options(group: str) -> Section:
    return f"{group} options", [_row(flag) for flag in FLAGS if flag.group == group]


def _row(flag: Flag) -> tuple[str, str]:
    return f"{', '.join(flag.spellings)} {flag.metavar}".rstrip(), flag.about


def _keys(wanted: Callable[[Key], bool]) -> Rows:
    return [(key.name, _about(key)) for key in KEYS.values() if wanted(key)]


def _about(key: Key) -> str:
    if key.default in (None, False):
        return key.about
    default = f"{key.default:g}" if isinstance(key.default, float) else key.default
    return f"{key.about} ({default})"
