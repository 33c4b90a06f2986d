"""`unified help`: pages about topics, the help of any command, and first steps for
users without a configuration.
"""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from itertools import takewhile
from typing import Annotated, Any

from unified_cli.cli import aliases, tree, word_order
from unified_cli.cli.command import EXAMPLES, Command, CommandContext
from unified_cli.cli.command_index import command_entries, options
from unified_cli.cli.flags import BODY, CONNECTION, OUTPUT, QUERY, Argument, Flag, Options
from unified_cli.cli.help_page import CodeBlock, HelpPage, Rows, render
from unified_cli.cli.operation_options import operation_flags
from unified_cli.config import file
from unified_cli.config.keys import KEYS, Key
from unified_cli.errors import ExitCode, UsageError
from unified_cli.masking import visible
from unified_cli.output import formats, stdout, terminal
from unified_cli.runtime import Runtime
from unified_cli.sandbox.fault_plan import FAULT_WORDS

_FILES = ("topics.toml", "checks.toml", "sql.toml", "sandbox.toml", "engines.toml")
Section = tuple[str, Rows | str]


@dataclass(frozen=True, slots=True)
class HelpTopic:
    """A help page on a topic, not on a single command, with a line that summarizes
    it.
    """

    name: str
    about: str
    text: str
    examples: Sequence[str]
    also: str = ""
    """Other words for the topic."""
    tables: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    code: Mapping[str, str] = field(default_factory=dict)

    def page(self, context: CommandContext) -> HelpPage:
        """Return the page. The page of options needs all commands of the program."""
        generated = _TABLES[self.name](context) if self.name in _TABLES else ()
        tables = [*generated, *((head, [*rows.items()]) for head, rows in self.tables.items())]
        code = [(head, CodeBlock(text)) for head, text in self.code.items()]
        examples = EXAMPLES, "\n".join(self.examples)
        return HelpPage(
            None, self.text.split("\n\n"), [*tables, *self.notes.items(), *code, examples]
        )


@cache
def topics() -> Mapping[str, HelpTopic]:
    """Return the topics by their names."""
    folder = files("unified_cli.commands").joinpath("topics")
    texts = [folder.joinpath(name).read_text("utf-8") for name in _FILES]
    tables = [pair for text in texts for pair in tomllib.loads(text).items()]
    return {name: HelpTopic(name, **data) for name, data in tables}


def _options_of_all_commands(context: CommandContext) -> list[Section]:
    groups: dict[str, list[tuple[str, str]]] = {}
    for flag, commands in options(command_entries(context.program(context.catalogue))):
        spelled, about = _row(flag)
        choices = f": {', '.join(flag.choices)}" if len(flag.choices) > 1 else ""
        only = f" ({', '.join(commands)})" if commands else ""
        groups.setdefault(f"{flag.group} options", []).append((spelled, about + choices + only))
    return [*groups.items()]


_TABLES: Mapping[str, Callable[[CommandContext], list[Section]]] = {
    "exit-codes": lambda _: [("Exit codes", [(str(int(code)), code.meaning) for code in ExitCode])],
    "output": lambda _: [("Formats", ", ".join(formats.SETTINGS)), _options(OUTPUT)],
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
            [
                ("NO_COLOR, CLICOLOR=0", "never use colours"),
                ("FORCE_COLOR, CLICOLOR_FORCE", "always use colours"),
            ],
        ),
    ],
    "options": _options_of_all_commands,
    "operations": lambda context: [
        (
            f"{api.name} ({api.about})",
            [(name, ", ".join(resource.operations)) for name, resource in api.resources.items()],
        )
        for api in context.catalogue.apis.values()
    ],
    "profiles": lambda _: [_options(CONNECTION)],
    "sandbox": lambda _: [
        (
            "Faults (--faults)",
            [(word.spelling, f"{word.about}: {word.example}") for word in FAULT_WORDS],
        )
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


_AGENTS = "agents"
_MOST_NAMED = 3


@dataclass(frozen=True, kw_only=True)
class HelpOptions(Options):
    """The topic or command, and which part of its help to print."""

    words: Annotated[tuple[str, ...], Argument(metavar="[TOPIC|COMMAND]")] = ()
    skill: Annotated[
        bool, Flag(("--skill",), OUTPUT, "with agents: print a skill file for coding agents")
    ] = False


def _print_skill(runtime: Runtime, options: HelpOptions) -> None:
    if options.words != (_AGENTS,):
        raise UsageError(
            "--skill only works with the topic agents", hint=f"unified help {_AGENTS} --skill"
        )
    text = files("unified_cli.commands").joinpath("topics").joinpath("skill.md").read_text("utf-8")
    stdout.show(runtime, [terminal.lines_visible(text)])


def _help(context: CommandContext, options: HelpOptions) -> None:
    runtime, words = context.runtime, options.words
    if options.skill:
        _print_skill(runtime, options)
    elif not words:
        _show(
            runtime,
            HelpPage(HELP.usage, HELP.text, [(EXAMPLES, HELP.examples), *HELP.sections]),
            "unified help",
        )
    elif len(words) == 1 and words[0] in topics():
        _show(runtime, topics()[words[0]].page(context), "unified help")
    else:
        whole = context.program(context.catalogue)
        words = (
            _words_before_options(
                aliases.expand(words[:1], runtime, (*context.first_words, *topics()))
            )
            + words[1:]
        )
        if whole.get_command(None, words[0]) is None:
            if words[0] in topics():
                raise _no_page(words, 1)
            raise UsageError(
                f'unified help: no topic, API or command named "{visible(words[0])}"',
                hint=_suggest(whole, words),
            )
        depth = _depth(whole, words)
        if depth < len(words):
            raise _no_page(words, depth)
        tree.read(whole, [*words, "--help"], runtime)


def _words_before_options(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(takewhile(lambda word: not word.startswith("-"), words))


def _suggest(whole: Any, words: Sequence[str]) -> str:
    """Return a suggestion for a word that is not a topic, an API or a command."""
    if words[0].isdecimal() and int(words[0]) in {*ExitCode}:
        return "unified help exit-codes"
    names = words[0].split("/")
    if names[0] in whole.entries and _depth(whole, names) == len(names) > 1:
        return f"unified help {' '.join(names)}"
    close = [name for name, topic in topics().items() if words[0] in topic.also.split()]
    close = close or word_order.find_resources(whole.entries, words[0])
    close = close or get_close_matches(words[0], [*topics(), *whole.entries], 1)
    if close and " " in close[0]:
        return " or ".join(
            f"unified help {' '.join((word, *words[1:]))}" for word in close[:_MOST_NAMED]
        )
    return f'did you mean "{close[0]}"?' if close else "unified help lists the topics"


def _depth(command: Any, words: Sequence[str]) -> int:
    """Return how many of the words name the page.

    Words after a complete command do not count.
    """
    for at, word in enumerate(words):
        if isinstance(command, tree.CommandGroup):
            command = command.get_command(None, word)
        elif word in command.listed:
            command = command.listed[word].build()
        else:
            return at
        if command is None:
            break
    return len(words)


def _no_page(words: Sequence[str], depth: int) -> UsageError:
    here = f"unified help {' '.join(words[:depth])}"
    return UsageError(f'{here}: no page "{visible(words[depth])}" ({here})')


def _show(runtime: Runtime, page: HelpPage, command_path: str) -> None:
    stdout.show(runtime, [terminal.styled(render(page, command_path, runtime))])


def _first_words(context: CommandContext) -> Sequence[str]:
    return "|".join((*topics(), *context.first_words)), ""


HELP = Command(
    HelpOptions,
    _help,
    usage="[TOPIC|COMMAND]",
    text=("Show the help of a topic, of a command or of a level of commands.",),
    examples="unified help exit-codes\nunified help ticketing tickets create",
    sections=[("Topics", [(name, topic.about) for name, topic in topics().items()])],
    takes=_first_words,
)


_TEXT = """\
Try it, without an account:  unified -p sandbox ticketing tickets list -o table
Add your first connection:   unified profile add NAME
See all commands:            unified --help
"""


def first_steps_are_due(runtime: Runtime) -> bool:
    """Return whether nothing is configured yet, by a config file or a variable."""
    if any(runtime.environ.get(key.variable) for key in KEYS.values() if key.env):
        return False
    path = file.locate(runtime)
    return path is None or not path.exists()


def show_first_steps(runtime: Runtime) -> None:
    """Print the first commands to try, which `unified` without arguments shows."""
    stdout.show(runtime, [terminal.styled(_TEXT)])
