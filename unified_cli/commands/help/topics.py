"""The topics of `unified help`: the texts of the TOML files, with tables generated from the code."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from unified_cli.catalogue import Api
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.command_stub import EXAMPLES
from unified_cli.cli.flags import BODY, CONNECTION, OUTPUT, QUERY, Flag
from unified_cli.cli.help_page import CodeBlock, HelpPage, Rows
from unified_cli.cli.options import operation_flags
from unified_cli.config.keys import KEYS, Key
from unified_cli.docs.command_index import command_entries, options
from unified_cli.errors import ExitCode
from unified_cli.json_text.values import TomlTable
from unified_cli.output import FORMATS
from unified_cli.sandbox.fault_plan import FAULT_WORDS

_FILES = ("topics.toml", "checks.toml", "sandbox.toml", "engines.toml")
Section = tuple[str, Rows | str]


@dataclass(frozen=True, slots=True)
class HelpTopic:
    """A help page that is about no single command, and a line on what it is about."""

    name: str
    about: str
    also: Sequence[str]
    """Other words for what it is about."""
    _data: TomlTable

    def page(self, context: CommandContext) -> HelpPage:
        """The page; that of the options looks at every command of the program."""
        data = self._data
        generated = _TABLES.get(self.name, _no_tables)(context)
        tables = [*generated, *((head, [*rows.items()]) for head, rows in data.get("tables", {}).items())]
        notes = data.get("notes", {}).items()
        code = [(head, CodeBlock(text)) for head, text in data.get("code", {}).items()]
        examples = EXAMPLES, "\n".join(data["examples"])
        return HelpPage(None, data["text"].split("\n\n"), [*tables, *notes, *code, examples])


def topics() -> Mapping[str, HelpTopic]:
    """The topics by their names."""
    folder = files("unified_cli.commands.help")
    texts = [folder.joinpath(name).read_text("utf-8") for name in _FILES]
    tables = [pair for text in texts for pair in tomllib.loads(text).items()]
    return {name: HelpTopic(name, data["about"], data.get("also", "").split(), data) for name, data in tables}


def _no_tables(_: CommandContext) -> list[Section]:
    return []


def _every_option(context: CommandContext) -> list[Section]:
    """The options of all commands by their groups; those of built-in commands name them."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for flag, commands in options(command_entries(context.program(context.catalogue))):
        spelled, about = _row(flag)
        choices = f": {', '.join(flag.choices)}" if len(flag.choices) > 1 else ""
        only = f" ({', '.join(commands)})" if commands else ""
        groups.setdefault(f"{flag.group} options", []).append((spelled, about + choices + only))
    return [*groups.items()]


def _operations(api: Api) -> Rows:
    return [(name, ", ".join(resource.operations)) for name, resource in api.resources.items()]


_TABLES: Mapping[str, Callable[[CommandContext], list[Section]]] = {
    "exit-codes": lambda _: [("Exit codes", [(str(int(code)), code.meaning) for code in ExitCode])],
    "output": lambda _: [("Formats", ", ".join(FORMATS)), _options(OUTPUT)],
    "query": lambda _: [_options(QUERY), _options(BODY)],
    "config": lambda _: [
        ("At the top or in a profile", _keys(lambda key: key.at == "tp")),
        ("At the top only", _keys(lambda key: key.at == "t")),
        ("In a profile only", _keys(lambda key: key.at == "p")),
    ],
    "environment": lambda _: [
        ("Variables", [(key.variable, _about(key)) for key in KEYS.values() if key.env]),
        (
            "Also read",
            [("NO_COLOR, CLICOLOR=0", "never use colours"), ("FORCE_COLOR, CLICOLOR_FORCE", "always use colours")],
        ),
    ],
    "options": _every_option,
    "operations": lambda context: [
        (f"{api.name} ({api.about})", _operations(api)) for api in context.catalogue.apis.values()
    ],
    "profiles": lambda _: [_options(CONNECTION)],
    "sandbox": lambda _: [
        ("Faults (--faults)", [(one.spelling, f"{one.about}: {one.example}") for one in FAULT_WORDS])
    ],
}


def _options(group: str) -> Section:
    return f"{group} options", [_row(flag) for flag in operation_flags() if flag.group == group]


def _row(flag: Flag) -> tuple[str, str]:
    return f"{', '.join(flag.spellings)} {flag.metavar}".rstrip(), flag.about


def _keys(wanted: Callable[[Key], bool]) -> Rows:
    return [(key.name, _about(key)) for key in KEYS.values() if wanted(key)]


def _about(key: Key) -> str:
    if key.default in (None, False):
        return key.about
    default = f"{key.default:g}" if isinstance(key.default, float) else key.default
    return f"{key.about} ({default})"
