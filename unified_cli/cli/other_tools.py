"""Recognise the options of other tools (gh, aws, gcloud, kubectl, curl, httpie and jq),
and suggest what to type instead.

Used only if a command line could not be parsed.
"""

import json
import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from unified_cli.cli import advice_tables
from unified_cli.hints import quoted, selecting
from unified_cli.output import formats

_PLACE = re.compile(r"\{(.+?)\}")
_AWS_FILTER = re.compile(r"Name=([^,=]+),Values=([^,=]+)")
_SORTS = ("--sort", "--sort-by", "--order-by")
_SORT_KEY = re.compile(r"[-+]?([A-Za-z_][\w.]*)(?:[: ,](asc|desc))?", re.IGNORECASE)
_SEARCHES = ("--search", "-S", "--grep", "--keyword", "--match", "--contains")
_GROUPINGS = ("--group-by", "--groupby", "--group")
FILTERS = ("--filter", "--filters", "--where", "--select")
_CONDITION = re.compile(r"\.?(\w[\w.]*)\s*==?\s*[\"']?([^\"'=|]+?)[\"']?\s*", re.ASCII)
_LITERAL = re.compile(r"true|false|null|-?\d+(\.\d+)?", re.ASCII)
_JQ = re.compile(r"\.\w.*|select\(.*|.*==.*", re.DOTALL)


class OwnSpelling(NamedTuple):
    """The text to type instead. `{NAME}` represents the value.

    With an `option`, the advice is only for commands that have it.
    """

    option: str
    text: str

    def in_words(self, value: str = "") -> str:
        """Return the text with the value, or without a value with the placeholder's
        name.
        """
        return _PLACE.sub(lambda place: quoted(value) if value else place[1], self.text)


class _Advice(NamedTuple):
    typed: Collection[str]
    value: str
    """A regular expression for the whole value."""
    own: OwnSpelling


def _as_select(program: str) -> str:
    return program if program.startswith("select(") else f"select({program})"


def _conditions(value: str) -> Sequence[OwnSpelling]:
    """Return our options for a condition such as `status == active`."""
    found = [OwnSpelling("--all", selecting(_as_select(value)))]
    found = found if _JQ.fullmatch(value) else []
    if not (pair := _CONDITION.fullmatch(value)):
        return (OwnSpelling("--where", "--where {JQ}"), *found)
    name, wanted = pair.groups()
    literal = wanted if _LITERAL.fullmatch(wanted) else f'"{wanted}"'
    where = OwnSpelling("--where", f"--where {quoted(f'.{name} == {literal}')}")
    if value == f"{name}={wanted}" or value.startswith("."):
        return (where, *found)
    # Also show the query parameter for a condition with `==` or with spaces.
    return (where, OwnSpelling("--query", f"-q {quoted(f'{name}={wanted}')} filters"))


def _groups(name: str) -> OwnSpelling:
    program = f".result | group_by(.{name}) | map([.[0].{name}, length])"
    return OwnSpelling("--all", f"--all --jq {quoted(program)}")


def _search(value: str) -> OwnSpelling:
    text = json.dumps(value, ensure_ascii=False)
    return OwnSpelling("--all", selecting(f'select(tojson | test({text}; "i"))'))


def _sort_query(key: str, direction: str) -> OwnSpelling:
    return OwnSpelling("--query", f"-q {quoted(f'sort_by[{key}]={direction}')}")


def _sorted_by(option: str, value: str) -> Iterator[OwnSpelling]:
    if option == "--order" and value.lower() in {"asc", "desc"}:
        yield _sort_query("created_at", value.lower())
    if option in _SORTS and (key := _SORT_KEY.fullmatch(value)):
        falls = value.startswith("-") or (key[2] or "").lower() == "desc"
        yield _sort_query(key[1], "desc" if falls else "asc")


def _by_value(option: str, value: str) -> Iterator[OwnSpelling]:
    """Yield our options for an option whose value decides what to type."""
    yield from _sorted_by(option, value)
    if option in FILTERS:
        yield from _conditions(value)
    if filtered := _AWS_FILTER.fullmatch(value):
        yield OwnSpelling("--query", f"-q {quoted('='.join(filtered.groups()))} filters")
    if option in _SEARCHES and value:
        yield _search(value)
    if option in _GROUPINGS and value:
        yield _groups(value)


@cache
def _advice() -> Sequence[_Advice]:
    table = advice_tables.read("other_tools")
    found = [(one["typed"], one["value"], one["has"], one["hint"]) for one in table["with_value"]]
    found += [
        (typed, ".*", f"--{option}", hint)
        for option, hints in table["with_option"].items()
        for typed, hint in hints.items()
    ]
    found += [(typed, ".*", "", hint) for typed, hint in table["always"].items()]
    names = ", ".join(formats.names(formats.RESULTS))
    return [
        _Advice(typed.split(), value, OwnSpelling(option, hint.replace("FORMATS", names)))
        for typed, value, option, hint in found
    ]


def own_spellings(option: str, value: str = "") -> Sequence[OwnSpelling]:
    """Return our options for another tool's option with this value.

    If a command has several of them, the first one fits best.
    """
    listed = [
        one.own
        for one in _advice()
        if option in one.typed and re.fullmatch(one.value, value, re.DOTALL)
    ]
    return [*_by_value(option, value), *listed]


def own_option(word: str) -> OwnSpelling | None:
    """Return the option that a command has instead of this argument, or None."""
    found = advice_tables.read("other_tools")["argument"].get(word)
    return OwnSpelling(found["has"], found["hint"]) if found else None
