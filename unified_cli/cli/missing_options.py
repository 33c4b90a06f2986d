"""Suggest what to type instead of an option that only other commands have.

Used only if a command line could not be parsed.
"""

import re
from typing import Any

from unified_cli.cli import advice_tables, argument_errors, known_fields
from unified_cli.cli.choices import meant_value
from unified_cli.hints import quoted
from unified_cli.output import formats
from unified_cli.values import JsonObject

_FILES = {"-o", "--output", "--out", "--output-file", "--to"}
_FORMATS = {"--format", "--json", "--csv", "--yaml", "--output-format", "--out-format"}
_PLACE = re.compile(r"\{(\w+)\}")


def _table() -> JsonObject:
    return advice_tables.read("missing_options")


def of_command(context: Any, option: str, value: str) -> str | None:
    """Return the advice for an option that this command lacks on purpose, or None."""
    path = context.command_path if context else ""
    for command, advice in _table()["command"].items():
        for options, hint in advice.items():
            if f" {command} " in f"{path} " and option in options.split():
                return str(hint).format(path=path, value=quoted(value) if value else "VALUE")
    return None


def without_option(context: Any, option: str, value: str) -> str | None:
    """Return what to type instead of an option that a built-in command lacks, or
    None.
    """
    if not context or hasattr(context.command, "list_commands"):
        return None
    path, spellings = context.command_path, {*argument_errors.spellings_of(context, "-")}
    if option in _FILES and path in _table()["prints"]:
        return f"> {quoted(value or 'FILE')}"
    if len(path.split()) > known_fields.OPERATION_WORDS:
        return None
    for one in _table()["option"]:
        has, lacks = one.get("has", "").split(), one.get("lacks", "").split()
        fits = spellings >= {*has} and spellings.isdisjoint(lacks)
        prints_list = path in _table()["lists"] or not one.get("lists")
        if option in one["typed"].split() and fits and prints_list:
            return _PLACE.sub(lambda place: quoted(value) if value else place[1], one["hint"])
    return None


def output_format(context: Any, option: str, value: str) -> str | None:
    """Return the option `-o` of a command for another spelling of it, or None.

    Suggests the format that was probably meant, or lists all formats of the command.
    """
    if hasattr(context.command, "list_commands"):
        is_early = option == "--json" and context.parent is None
        return "-o json" if is_early else None
    flags = context.command.page().flags
    flag = next((one for one in flags if "--output" in one.spellings), None)
    has_body = "-d" in argument_errors.spellings_of(context, "-")
    if option not in _FORMATS or flag is None or (option == "--json" and (has_body or value)):
        return None
    named = value if option.endswith("format") else option.removeprefix("--")
    if named in flag.choices:
        return f"-o {named}"
    if flag.choices == formats.names(formats.REPORTS):
        return "--to FILE.html writes the page, -o json prints what it shows"
    meant = meant_value(named, flag.choices) if named else None
    return f"-o {meant}" if meant else f"-o FORMAT: {', '.join(flag.choices)}"
