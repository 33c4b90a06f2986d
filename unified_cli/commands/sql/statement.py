"""Check a statement before any list is read.

It may only read, and only from known tables. DuckDB's own parser returns its syntax
tree. Only known parts are allowed, because an unknown part could write, read a file, or
hide a table.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

import duckdb

from unified_cli.catalogue import Catalogue, Operation, plain
from unified_cli.cli import named_resource
from unified_cli.errors import UsageError
from unified_cli.values import Json, JsonObject

Table = tuple[str, str]
"""The name of a table: the API and the resource, with underscores."""

_NODES = {"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"}
_REFERENCES = {"BASE_TABLE", "SUBQUERY", "JOIN", "TABLE_FUNCTION", "EXPRESSION_LIST"}
_REFERENCES |= {"EMPTY", "EMPTY_FROM", "PIVOT", "SHOW_REF"}
# The only table functions that are allowed. About 90 others read files, settings or
# memory, write logs, or hide a table or a whole statement in an argument.
_TABLE_FUNCTIONS = {"generate_series", "json_each", "json_tree", "range", "repeat", "unnest"}
_REFUSED = {"create_sort_key", "current_setting", "currval", "getenv", "getvariable", "nextval"}
_REFUSED |= {"setseed", "write_log", "json_deserialize_sql", "json_serialize_plan"}
_REFUSED |= {"json_serialize_sql", "parse_duckdb_log_message"}
_DEEP = "the statement is nested too deep"
_MEANT = re.compile('^Did you mean "(.*)"', re.MULTILINE)
_CLOSE = 0.75
_NEAR = re.compile(r'at or near "(.+)"')
_KEYWORDS = (
    "select",
    "from",
    "where",
    "group",
    "order",
    "having",
    "limit",
    "offset",
    "join",
    "desc",
)
_PLACE = re.compile(r"^(LINE \d+: )(.*)\n( *)\^", re.MULTILINE)
_ALL_COLUMNS = {"PIVOT", "POSITIONAL_REFERENCE", "SHOW_REF", "STAR"}
_READING = "SELECT, FROM, WITH, VALUES, DESCRIBE, SUMMARIZE, PIVOT and UNPIVOT read"
_LISTED = "unified operations lists the tables, DESCRIBE api.resource the columns"
# Mistakes of users of other programs, and what to type instead.
_HABITS = (
    (r"\A\s*(\S+\.sql)\s*\Z", r"did you mean @\1?"),
    (r"\A\s*([.\\]|help\b|show\b)", _LISTED),
    (r"\A\s*select\s+top\s+(\d+)", r"LIMIT \1 at the end"),
    (r"\blimit\s+(\d+)\s*,\s*(\d+)", r"LIMIT \2 OFFSET \1"),
    (r"\bgroup\s+by\b.*\bwhere\b", "WHERE comes before GROUP BY, HAVING after it"),
    (r"\b(order|group)\s+(?!by\b)(\w+)", r"\1 by \2"),
    (r"\A\s*\w+\s*\Z", "a statement is like FROM ticketing.tickets"),
    (r"\border\s+by\b.*\b(where|group\s+by)\b", r"\1 comes before ORDER BY"),
    (
        r"\A(?:[^']*'[^']*')*[^']*'[^']*\Z",
        "a text ends with a quote; one in it is doubled: 'O''Brien'",
    ),
    (r'\A\s*"(.*)"\s*\Z', "leave the double quotes out"),
    (r"\A(?!.*\bfrom\b).*?\b([a-z]\w*\.[a-z]\w*)", r"FROM comes before \1"),
)
_NESTED = "an object or a list is JSON; column->>'name' is a text in it, column::JSON[] a list"
# Parts of DuckDB's errors, each with what to do.
_ERRORS = (
    (r"\A\s*.*JSON", _NESTED),
    (r"casting from source column (.+)", r"\1 is a text; compare it with a text in single quotes"),
    (r"TIMESTAMP.* and type INTEGER", "a date has single quotes: '2026-01-31'"),
    (r"timestamp field|date field", "a date is '2026-01-31', a time '2026-01-31 08:00'"),
    (_MEANT.pattern, r"did you mean \1?"),
    (r'Candidate tables: "(\w+)"', r"did you mean \1?"),
)
_KINDS = {
    "MULTI": ("PIVOT needs its values", "PIVOT … ON column IN ('a', 'b') …"),
    "EXPLAIN": ("EXPLAIN is the option --explain", "leave the word out"),
}


@dataclass(slots=True)
class Plan:
    """A statement with its tables. `names` are the names that may be columns, in lower
    case. `every` means that all columns are used.
    """

    text: str
    tables: dict[Table, Operation] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    every: bool = False


def plan(text: str, catalogue: Catalogue, parser: duckdb.DuckDBPyConnection) -> Plan:
    """Check a statement, and return it with its tables and columns.

    `parser` is a database that only parses it. Raises UsageError if the statement is
    invalid or does more than read.
    """
    if "\0" in text:
        raise UsageError("the statement has a NUL")
    lists = {
        (plain(operation.api), plain(operation.resource)): operation
        for operation in catalogue
        if operation.name == "list"
    }
    parts = [*_nodes(_tree(parser, text, lists))]
    for part in parts:
        _check(part["type"], part)
    _check_functions(parser, parts)
    result = Plan(text)
    aliases = {
        node["alias"].lower() for node in parts if node["type"] in {"BASE_TABLE", "SUBQUERY"}
    }
    maps = (node["cte_map"]["map"] for node in parts if node.get("cte_map"))
    withs = {entry["key"].lower() for cte_map in maps for entry in cte_map}
    for relation in (node for node in parts if node["type"] == "BASE_TABLE"):
        path = [*filter(None, relation["qualified_name"]["path"])]
        table = path[0].lower(), path[-1].lower()
        if len(path) == 1 and table[0] in withs:
            continue
        if len(path) != 2 or table not in lists:
            raise _unknown(path, catalogue, aliases)
        result.tables[table] = lists[table]
    aliases |= {resource for _, resource in result.tables}
    for part in parts:
        _note_columns(part["type"], part, result, aliases)
    result.tables = dict(sorted(result.tables.items()))
    return result


def refusal(error: duckdb.Error, hint: str | None = None) -> UsageError:
    """Return DuckDB's error about a statement as UsageError, with the position."""
    text = str(error)
    place = _PLACE.search(text)
    caret = (place[2], max(0, len(place[3]) - len(place[1]))) if place else None
    hint = hint or _first(_ERRORS, text)
    return UsageError(text.lstrip().splitlines()[0], hint=hint, caret=caret)


def quoted(name: str) -> str:
    """Return a name quoted for SQL."""
    return '"' + name.replace('"', '""') + '"'


def _tree(parser: duckdb.DuckDBPyConnection, text: str, lists: Iterable[Table]) -> JsonObject:
    try:
        kinds = [result.type.name for result in parser.extract_statements(text)]
    except duckdb.Error as error:
        if "max_expression_depth" in str(error):
            raise UsageError(_DEEP) from None
        # The parser reads a dash as a minus, and a slash as a division.
        typed = text.lower()
        meant = plain(typed).replace("/", ".")
        names = map(".".join, lists)
        right = (f"write {name}" for name in names if name in meant and name not in typed)
        hint = next(right, None) or _misspelt(text, str(error)) or _first(_HABITS, text)
        raise refusal(error, hint or _open_bracket(text)) from None
    if len(kinds) != 1:
        many = f"{len(kinds)} statements are given" if kinds else "the statement is empty"
        raise UsageError(many, hint="give one")
    if kinds != ["SELECT"]:
        more = f"{kinds[0].replace('_', ' ')} does more than read"
        reason, hint = _KINDS.get(kinds[0], (more, _READING))
        raise UsageError(reason, hint=hint)
    try:
        [(tree,)] = parser.execute("SELECT json_serialize_sql(?)", [text]).fetchall()
        answer: JsonObject = json.loads(tree)
    except (duckdb.Error, RecursionError):
        raise UsageError(_DEEP) from None
    if answer["error"]:
        raise UsageError(str(answer["error_message"]))
    result: JsonObject
    [result] = answer["statements"]
    return result


def _misspelt(text: str, error: str) -> str | None:
    """Return the keyword that a word before the place of a syntax error is close to."""
    place = _NEAR.search(error)
    at = text.rfind(place[1]) + len(place[1]) if place else 0
    for word in reversed(re.findall(r"(?<!\.)\b[a-z]{3,}\b(?!\.)", text[:at].lower())[-3:]):
        if word not in _KEYWORDS and (near := get_close_matches(word, _KEYWORDS, 1, _CLOSE)):
            return f"did you mean {near[0].upper()}?"
    return None


def _open_bracket(text: str) -> str | None:
    missing = text.count("(") - text.count(")")
    return f"a {'closing' if missing > 0 else 'opening'} bracket is missing" if missing else None


def _first(hints: Sequence[tuple[str, str]], text: str) -> str | None:
    """Return the first hint whose pattern the text has."""
    for pattern, hint in hints:
        if match := re.search(pattern, text, re.IGNORECASE | re.MULTILINE):
            return match.expand(hint)
    return None


def _nodes(tree: Json) -> Iterator[JsonObject]:
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            if isinstance(node.get("type"), str):
                yield node
            stack.extend(node.values())
        elif isinstance(node, list):
            stack.extend(node)


def _check(kind: str, node: JsonObject) -> None:
    unknown = kind.endswith("_NODE") and kind not in _NODES
    if "class" not in node and "query_location" in node:
        unknown |= kind not in _REFERENCES
    if unknown:
        kind = kind.removesuffix("_QUERY_NODE")
        raise UsageError(f"the statement has a {kind}", hint="it may only read")
    if kind == "SHOW_REF" and not node.get("query"):
        raise UsageError("SHOW has no tables here", hint=_LISTED)
    if node.get("class") == "PARAMETER" or kind == "VALUE_PARAMETER":
        raise UsageError("a parameter (?, $1, $name) has no value here")
    if kind == "TABLE_FUNCTION":
        name = node["function"]["function_name"].lower()
        if name not in _TABLE_FUNCTIONS:
            allowed = f"these are: {', '.join(sorted(_TABLE_FUNCTIONS))}"
            raise UsageError(f"{name}() is not allowed after FROM", hint=allowed)
    if kind == "FUNCTION" and node["function_name"].lower() in _REFUSED:
        raise UsageError(f"the function {node['function_name']}() is not allowed")


def _check_functions(parser: duckdb.DuckDBPyConnection, nodes: Iterable[JsonObject]) -> None:
    for name in sorted({node["function_name"] for node in nodes if node["type"] == "FUNCTION"}):
        try:
            parser.execute(f"EXPLAIN SELECT {quoted(name)}(NULL)")
        except duckdb.Error as error:
            # Any other error means that the function exists, but has other parameters.
            if isinstance(error, duckdb.CatalogException) and "does not exist" in str(error):
                # DuckDB suggests functions even if their names are not close.
                close = get_close_matches(name.lower(), _MEANT.findall(str(error)), 1, _CLOSE)
                hint = f"did you mean {close[0]}()?" if close else "the dialect is DuckDB's"
                raise UsageError(f"no function {name}()", hint=hint) from None


def _note_columns(kind: str, node: JsonObject, plan: Plan, aliases: set[str]) -> None:
    names = [*node.get("exclude_list", ()), *node.get("using_columns", ())]
    if kind == "COLUMN_REF":
        names += node["column_names"]
        # The name of a table in place of a column means the whole row.
        plan.every |= names[-1].lower() in aliases
    plan.names.update(map(str.lower, names))
    plan.every |= kind in _ALL_COLUMNS or node.get("ref_type") in {"NATURAL", "POSITIONAL"}
    plan.every |= kind == "BASE_TABLE" and bool(node.get("column_name_alias"))


def _unknown(path: list[str], catalogue: Catalogue, aliases: set[str]) -> UsageError:
    shown = ".".join(path)
    if "/" in shown:
        hint = "unified sql --from DIR reads an export: FROM ticketing.tickets"
        raise UsageError(f"{shown}: a table is api.resource", hint=hint)
    meant = named_resource.suggest(catalogue, shown) or named_resource.suggest(catalogue, path[-1])
    hint = plain(meant.replace("/", ".")) if meant else "unified operations lists them"
    if path[0].lower() in aliases:
        # DuckDB takes `t.items` for a table of a schema t.
        hint = f"for the items of a list: unnest({shown}::JSON[])"
    elif len(path) != 2 and not meant:
        hint = "as in ticketing.tickets"
    reason = "no API has this list" if len(path) == 2 else "a table is api.resource"
    return UsageError(f"{shown}: {reason}", hint=hint)
