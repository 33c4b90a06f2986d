"""Check a statement before any list is read.

It may only read, and only from known tables. DuckDB's own parser returns its syntax
tree. Only known parts are allowed, because an unknown part could write, read a file, or
hide a table.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches

import duckdb

from unified_cli.catalogue import Catalogue, Operation, plain
from unified_cli.cli import named_resource
from unified_cli.commands.sql import advice
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
_PLACE = re.compile(r"^(LINE \d+: )(.*)\n( *)\^", re.MULTILINE)
_ALL_COLUMNS = {"PIVOT", "POSITIONAL_REFERENCE", "SHOW_REF", "STAR"}
_READING = "SELECT, FROM, WITH, VALUES, DESCRIBE, SUMMARIZE, PIVOT and UNPIVOT read"
_LISTED = "unified operations lists the tables, and DESCRIBE api.resource the columns"
_KINDS = {
    "MULTI": ("PIVOT needs its values", "PIVOT … ON column IN ('a', 'b') …"),
    "EXPLAIN": ("EXPLAIN is the option --explain", "leave the word out"),
}


@dataclass(slots=True)
class Plan:
    """A statement with its tables. `names` are the names, in lower case, that may be
    columns. `every` means that the statement uses all columns.
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
    operations = [operation for operation in catalogue if operation.name == "list"]
    lists = {(plain(listed.api), plain(listed.resource)): listed for listed in operations}
    parts = [*_nodes(_tree(parser, text, lists))]
    for part in parts:
        _check(part["type"], part)
    _check_functions(parser, parts)
    result = Plan(text)
    aliased = (node for node in parts if node["type"] in {"BASE_TABLE", "SUBQUERY"})
    aliases = {node["alias"].lower() for node in aliased}
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
    hint = hint or advice.on_error(text)
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
        raise refusal(error, next(right, None) or advice.on_syntax(text, str(error))) from None
    if len(kinds) != 1:
        many = f"{len(kinds)} statements are given" if kinds else "the statement is empty"
        raise UsageError(many, hint="give one statement")
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
        raise UsageError(f"the statement has a {kind}", hint="a statement may only read")
    if kind == "SHOW_REF" and not node.get("query"):
        raise UsageError("SHOW cannot list the tables", hint=_LISTED)
    if node.get("class") == "PARAMETER" or kind == "VALUE_PARAMETER":
        raise UsageError("a parameter (?, $1, $name) has no value here")
    if kind == "TABLE_FUNCTION":
        name = node["function"]["function_name"].lower()
        if name not in _TABLE_FUNCTIONS:
            allowed = f"allowed are {', '.join(sorted(_TABLE_FUNCTIONS))}"
            raise UsageError(f"{name}() is not allowed after FROM", hint=allowed)
    if kind == "FUNCTION" and node["function_name"].lower() in _REFUSED:
        raise UsageError(f"the function {node['function_name']}() is not allowed")


def _check_functions(parser: duckdb.DuckDBPyConnection, nodes: Iterable[JsonObject]) -> None:
    for name in sorted({node["function_name"] for node in nodes if node["type"] == "FUNCTION"}):
        try:
            parser.execute(f"EXPLAIN SELECT {quoted(name)}(NULL)")
        except duckdb.Error as error:
            # Any other error means that the function exists, but with other parameters.
            if isinstance(error, duckdb.CatalogException) and "does not exist" in str(error):
                # DuckDB suggests functions even if their names are not close.
                close = get_close_matches(name.lower(), _MEANT.findall(str(error)), 1, advice.CLOSE)
                hint = f"did you mean {close[0]}()?" if close else "the dialect is DuckDB's"
                raise UsageError(f"no function {name}()", hint=hint) from None


def _note_columns(kind: str, node: JsonObject, plan: Plan, aliases: set[str]) -> None:
    names = [*node.get("exclude_list", ()), *node.get("using_columns", ())]
    if kind == "COLUMN_REF":
        names += node["column_names"]
        # The name of a table in place of a column means all its columns.
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
        # DuckDB reads `t.items` as a table of a schema t.
        hint = f"for the items of a list: unnest({shown}::JSON[])"
    elif len(path) != 2 and not meant:
        hint = "as in ticketing.tickets"
    reason = "no API has this list" if len(path) == 2 else "a table is api.resource"
    return UsageError(f"{shown}: {reason}", hint=hint)
