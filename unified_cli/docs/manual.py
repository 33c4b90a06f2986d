"""The manual page, in the man macros that every man program reads."""

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from unified_cli import __version__
from unified_cli.catalogue import Catalogue
from unified_cli.cli.examples import example
from unified_cli.cli.flags import Flag
from unified_cli.config.keys import KEYS
from unified_cli.docs.command_index import CommandEntry, options
from unified_cli.errors import ExitCode

_STARTS_REQUEST = re.compile(r"^([.'])", re.MULTILINE)
_WIDEST = 78


def page(catalogue: Catalogue, there: Sequence[CommandEntry]) -> str:
    """The whole page."""
    built_in = [(name, about) for name, about in there[0].words if name not in catalogue.apis]
    first = next(iter(catalogue))
    lines = [
        '.\\" Made from the code by python -m unified_cli.docs --write; do not edit.',
        f'.TH UNIFIED 1 "" "unified {__version__}" "User Commands"',
        ".SH NAME",
        _text("unified - ask one connection, or many, of a family of unified HTTP APIs"),
        ".SH SYNOPSIS",
        f".B unified\n{_text('API RESOURCE OPERATION [ID] [options]')}",
        ".br",
        f".B unified\n{_text('COMMAND [options]')}",
        ".SH DESCRIPTION",
        _text(
            "Every operation of the APIs is a command. Results go to standard output as they were served, everything"
            " else to standard error. Options may stand anywhere after the operation; -p, -o and -v also right after"
            " unified. Each level tells more with --help."
        ),
        ".SH EXAMPLE",
        f".EX\n{_text(example(first))}\n.EE",
        ".SH APIS",
        *_rows((api.name, api.about) for api in catalogue.apis.values()),
        ".SH COMMANDS",
        *_rows(built_in),
        ".SH OPTIONS",
        *_options(options(there)),
        ".SH OPERATIONS",
        *_operations(catalogue),
        ".SH ENVIRONMENT",
        *_rows((key.variable, key.about) for key in KEYS.values() if key.env),
        ".SH FILES",
        *_rows([("~/.config/unified/config.toml", "the configuration: defaults at the top, then the profiles")]),
        *_rows([("~/.config/unified/catalogue.d/*.toml", "APIs and operations of your own")]),
        ".SH CONFIGURATION",
        *_rows((key.name, key.about) for key in KEYS.values() if key.at),
        ".SH EXIT STATUS",
        *_rows((str(int(code)), code.meaning) for code in ExitCode),
    ]
    return "\n".join(lines) + "\n"


def _options(flags: Iterable[tuple[Flag, Sequence[str]]]) -> Iterator[str]:
    group = ""
    for flag, homes in flags:
        if flag.group != group:
            group = flag.group
            yield f".SS {group}"
        names = ", ".join(f"\\fB{_text(spelling)}\\fR" for spelling in flag.spellings)
        yield f".TP\n{names}" + (f" \\fI{_text(flag.metavar)}\\fR" if flag.metavar else "")
        choices = f": {', '.join(flag.choices)}" if len(flag.choices) > 1 else ""
        yield _text(flag.about + choices + (f" ({', '.join(homes)})" if homes else ""))


def _operations(catalogue: Catalogue) -> Iterator[str]:
    for api in catalogue.apis.values():
        yield f".SS {_text(api.name)}"
        yield from _rows((name, " ".join(resource.operations)) for name, resource in api.resources.items())


def _rows(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    for left, right in rows:
        yield f".TP\n\\fB{_text(left)}\\fR\n{_text(right)}"


def _text(text: str) -> str:
    """The text as the macros need it: backslashes, dashes and tildes as they are, no line that is a request."""
    plain = text.replace("\\", "\\e").replace("-", "\\-").replace("~", "\\(ti").replace("^", "\\(ha")
    plain = plain.replace("…", "...").replace("'", "\\(aq").replace("`", "\\(ga")
    lines = textwrap.wrap(plain, _WIDEST, break_long_words=False, break_on_hyphens=False)
    return _STARTS_REQUEST.sub(r"\\&\1", "\n".join(lines))
