"""Render help pages as text that fits the terminal."""

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from unified_cli.catalogue import Operation
from unified_cli.cli.command import ABOUT, EXAMPLE, EXAMPLES, Command, CommandStub
from unified_cli.cli.flags import Flag, flags_of
from unified_cli.cli.option_parts import EarlyOptions
from unified_cli.masking import visible
from unified_cli.output import terminal
from unified_cli.runtime import Runtime

Rows = Sequence[tuple[str, str]]


class CodeBlock(str):
    """The content of a section that is printed unchanged."""

    __slots__ = ()


_SHELL_WORD = re.compile(r"(?:--?[\w-]+ (?!-))?(?:'[^']*'|[^'\s])+")
_FIRST_STEPS = """\
unified -p sandbox ticketing tickets list -o table
unified operations suspend user
unified profile add acme --base-url https://api.example.com \
-a 62f44730-dd91-461e-bd6a-aedd9e0ad79d"""
_CONNECTIONS = """\
A connection is one customer's account in some product; a profile names it. The profile sandbox
needs neither an account nor a network."""
_MORE = """\
Every level has --help. `unified help` lists topics, `unified doctor` finds problems. [alias] in
the config file names what you type often (unified help profiles)."""
_WIDEST = 100
_INDENT = 2
_HELP = "-h, --help"
_NEEDED = (EXAMPLE, EXAMPLES, "APIs", "Commands")
_TWO_COLUMNS = 80
_ROOT_OPTIONS = "Options: -p NAME, -o FORMAT, -v, --version, -h (this page), --help (everything)"
_SHORT, _SHORT_ROOT = 40, 24
"""The most rows of a short page, and of the short page of the program."""


class HelpPage(NamedTuple):
    """The content of a help page: `usage` follows the command. A section has rows or
    paragraphs under a heading.

    The section EXAMPLE has a command, and EXAMPLES has a command on each line. A topic
    has no `usage`. `rows` is the most rows of the short page. `extra` are options that
    are not flags. `brief` describes each command of the program in a few words.
    """

    usage: str | None
    paragraphs: Sequence[str]
    sections: Sequence[tuple[str, Rows | str]] = ()
    flags: Sequence[Flag] = ()
    operation: Operation | None = None
    extra: Rows = ()
    rows: int = _SHORT
    brief: Rows = ()


def for_root(entries: Mapping[str, CommandStub], aliases: Rows) -> HelpPage:
    """Return the page of the program, with the user's aliases."""
    names = {"APIs": [], "Commands": []}  # type: dict[str, list[tuple[str, str]]]
    for name, entry in entries.items():
        names[entry.section or "Commands"].append((name, entry.about))
    return HelpPage(
        "API RESOURCE OPERATION [options]",
        [
            "Call one connection or many of a family of unified HTTP APIs.",
            _CONNECTIONS,
        ],
        [
            (EXAMPLES, _FIRST_STEPS),
            *names.items(),
            *([("Aliases", aliases)] if aliases else []),
            ("More help", _MORE),
        ],
        flags_of(EarlyOptions),
        extra=[("    --version", "show the version")],
        rows=_SHORT_ROOT,
        brief=[(name, entry.brief) for name, entry in entries.items() if not entry.section],
    )


def for_group(about: str, an_example: str, entries: Mapping[str, CommandStub]) -> HelpPage:
    """Return the page of a built-in group of commands."""
    rows = [(name, entry.about) for name, entry in entries.items() if entry.about]
    return HelpPage("COMMAND [options]", [about], [(EXAMPLE, an_example), ("Commands", rows)])


def for_command(about: str, command: Command[Any]) -> HelpPage:
    """Return the page of a built-in command. `about` is its purpose."""
    heading = EXAMPLES if "\n" in command.examples else EXAMPLE
    examples = [(heading, command.examples)] if command.examples else []
    text = [paragraph.replace(ABOUT, about) for paragraph in command.text]
    rows = [(name, entry.about) for name, entry in command.commands.items()]
    below = [("Commands", rows)] if rows else []
    return HelpPage(command.usage, text, [*examples, *below, *command.sections])


def _lacking(operation: Operation, runtime: Runtime) -> Sequence[tuple[str, str]]:
    if not runtime.has_cached("capabilities"):
        return []
    from unified_cli.config import known_capabilities  # noqa: PLC0415  most pages name none

    lacking = known_capabilities.lacking_in_words(runtime, operation)
    return [("Not offered by", lacking)] if lacking else []


def render(page: HelpPage, command: str, runtime: Runtime, *, short: bool = False) -> str:
    """Return the page as text of at most 100 columns, coloured on a terminal.

    With `short`, return only the most important parts if the page does not fit the
    screen.
    """
    width = max(40, min(runtime.width, _WIDEST))
    found = _whole(page, command, runtime, width)
    if short and len(found) > page.rows:
        made = _short_first_page if page.brief and width >= _TWO_COLUMNS else _shortened
        found = made(page, command, width)
    # The user's catalogue may contain control characters.
    text = "\n".join(map(visible, found)) + "\n"
    return terminal.coloured_help(text) if runtime.has_colour() else text


def _whole(page: HelpPage, command: str, runtime: Runtime, width: int) -> list[str]:
    lines = _head(page, command, width, len(page.paragraphs))
    lacking = _lacking(page.operation, runtime) if page.operation else ()
    options = (
        [] if page.usage is None else _options(page.flags, [*page.extra, (_HELP, "show this page")])
    )
    for heading, content in (*page.sections, *lacking, *options):
        lines += ["", f"{heading}:", *_section(heading, content, width)]
    return lines


def _head(page: HelpPage, command: str, width: int, paragraphs: int) -> list[str]:
    lines = (
        [] if page.usage is None else [*_wrapped(f"Usage: {command} {page.usage}", width, 0, 4), ""]
    )
    for number, paragraph in enumerate(page.paragraphs[:paragraphs]):
        # Separate the paragraphs of a topic, but not the lines about a command.
        lines += [""] if number and page.usage is None else []
        lines += _wrapped(paragraph, width, 0, 0)
    return lines


def _short_first_page(page: HelpPage, command: str, width: int) -> list[str]:
    sections = dict(page.sections)
    half = (len(page.brief) + 1) // 2
    cells, others = _beside(page.brief[:half]), _beside(page.brief[half:])
    pairs = zip_longest(cells, others, fillvalue="")
    left = max(map(len, cells))
    examples = str(sections[EXAMPLES]).splitlines()[:1]
    apis = _section("APIs", _fewer("APIs", sections["APIs"]), width)
    return [
        *_head(page, command, width, 1),
        "",
        f"{EXAMPLE}:",
        *(f"  {line}" for line in examples),
        "",
        "APIs:",
        *apis,
        "",
        "Commands:",
        *(f"  {left_text:{left}}  {other}".rstrip() for left_text, other in pairs),
        _ROOT_OPTIONS,
    ]


def _beside(commands: Sequence[tuple[str, str]]) -> list[str]:
    size = max(len(name) for name, _ in commands)
    return [f"{name:{size}}  {brief}" for name, brief in commands]


def _shortened(page: HelpPage, command: str, width: int) -> list[str]:
    """Return the lines of the short help.

    It has the purpose, two examples, the commands and the main options, and other parts
    as far as they fit.
    """
    flags = [(_spelled(flag), _explained(flag)) for flag in page.flags if flag.common]
    end = [
        "",
        "Options:",
        *_rows([*flags, *page.extra, (_HELP, "show this page; --help shows everything")], width),
    ]
    lines = _head(page, command, width, 2 if page.operation else 1)
    room = page.rows - len(lines) - len(end)
    found: dict[str, list[str]] = {}
    # The fields of an operation are more useful than the notes on a command.
    wanted = [section for section in page.sections if page.operation or section[0] in _NEEDED]
    for heading, content in sorted(wanted, key=lambda section: section[0] not in _NEEDED):
        section = ["", f"{heading}:", *_section(heading, _fewer(heading, content), width)]
        if len(section) <= room:
            found[heading] = section
            room -= len(section)
    return [
        *lines,
        *(line for heading, _ in page.sections for line in found.get(heading, ())),
        *end,
    ]


def _fewer(heading: str, content: Rows | str) -> Rows | str:
    if isinstance(content, str):
        return "\n".join(content.splitlines()[:2]) if heading in (EXAMPLE, EXAMPLES) else content
    return ", ".join(name for name, _ in content) if heading in _NEEDED else content


def _section(heading: str, content: Rows | str, width: int) -> Iterable[str]:
    if isinstance(content, CodeBlock):
        return [f"{' ' * _INDENT}{line}".rstrip() for line in content.strip("\n").splitlines()]
    if not isinstance(content, str):
        return _rows(content, width)
    if heading in (EXAMPLE, EXAMPLES):
        return [line for text in content.splitlines() for line in _continued(text, width)]
    return _wrapped(content, width, _INDENT, _INDENT)


def _continued(line: str, width: int) -> Iterable[str]:
    at = " " * _INDENT
    for word in _SHELL_WORD.findall(line):
        if at.strip() and len(at) + len(word) + 3 > width:
            yield f"{at} \\"
            at = " " * (_INDENT + 4)
        at += word if not at.strip() else f" {word}"
    yield at


def _options(flags: Sequence[Flag], others: Rows) -> Iterable[tuple[str, Rows]]:
    groups: dict[str, list[tuple[str, str]]] = {}
    for flag in flags:
        groups.setdefault(f"{flag.group} options", []).append((_spelled(flag), _explained(flag)))
    last = next(reversed(groups), "Options")
    groups.setdefault(last, []).extend(others)
    return groups.items()


def _spelled(flag: Flag) -> str:
    short = flag.spellings[0] if len(flag.spellings) > 1 else "  "
    comma = ", " if len(flag.spellings) > 1 else "  "
    return f"{short}{comma}{flag.spellings[-1]}" + (f" {flag.metavar}" if flag.metavar else "")


def _explained(flag: Flag) -> str:
    return f"{flag.about}: {', '.join(flag.choices)}" if len(flag.choices) > 1 else flag.about


def _rows(rows: Rows, width: int) -> Iterable[str]:
    column = min(max(len(left) for left, _ in rows), width // 2) + _INDENT
    for left, right in rows:
        available = width - _INDENT - column
        text = textwrap.wrap(right, available, break_long_words=False, break_on_hyphens=False) or [
            ""
        ]
        head = f"{'':{_INDENT}}{left:{column}}"
        if len(left) + _INDENT > column:
            yield head.rstrip()
            head = " " * (_INDENT + column)
        yield (head + text[0]).rstrip()
        yield from (" " * (_INDENT + column) + line for line in text[1:])


def _wrapped(text: str, width: int, first: int, rest: int) -> list[str]:
    return textwrap.wrap(
        text,
        width,
        initial_indent=" " * first,
        subsequent_indent=" " * rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
