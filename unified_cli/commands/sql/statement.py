"""A statement, checked before anything is read: it only reads, and from these tables.

DuckDB's own parser gives its tree, of which only known parts are allowed: an unknown
part could write, reach a file or hide a table.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

import duckdb

from unified_cli.catalogue import Catalogue, Operation, plain
from unified_cli.errors import UsageError
from unified_cli.values import Json, JsonObject

Table = tuple[str, str]
"""The name of a table: the API and the resource, with underscores."""

_LONGEST = 1_000_000
_NODES = {"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"}
_REFERENCES = {"BASE_TABLE", "SUBQUERY", "JOIN", "TABLE_FUNCTION", "EXPRESSION_LIST"}
_REFERENCES |= {"EMPTY", "EMPTY_FROM", "PIVOT", "SHOW_REF"}
# About 90 others read files, settings or memory, write logs, or hide a table or a whole
# statement in an argument.
_TABLE_FUNCTIONS = {"generate_series", "json_each", "json_tree", "range", "repeat", "unnest"}
_REFUSED = {"create_sort_key", "current_setting", "currval", "getenv", "getvariable", "nextval"}
_REFUSED |= {"setseed", "write_log", "json_deserialize_sql", "json_serialize_plan"}
_REFUSED |= {"json_serialize_sql", "parse_duckdb_log_message"}
_DEEP = "the statement is nested too deep"
_PLACE = re.compile(r"LINE \d+: ")
_ALL_COLUMNS = {"PIVOT", "POSITIONAL_REFERENCE", "SHOW_REF", "STAR"}
_ALONE = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
    "threads": "1",
    "lock_configuration": "true",
}


@dataclass(slots=True)
class Plan:
    """The tables of a statement, and the names in it that may be those of columns, in
    small letters; with `every` all columns are used.
    """

    tables: dict[Table, Operation] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    every: bool = False


def plan(text: str, catalogue: Catalogue) -> Plan:
    """Return what a statement reads. Raises UsageError for one that is wrong, or does
    anything but read.
    """
    if len(text) > _LONGEST:
        raise UsageError(f"the statement is longer than {_LONGEST:,} characters")
    if "\0" in text:
        raise UsageError("the statement has a NUL")
    lists = {(plain(one.api), plain(one.resource)): one for one in catalogue if one.name == "list"}
    with duckdb.connect(":memory:", config=_ALONE) as parser:
        try:
            _check_kind([found.type.name for found in parser.extract_statements(text)])
        except duckdb.Error as error:
            if "max_expression_depth" in str(error):
                raise UsageError(_DEEP) from None
            raise refusal(error, _dashed(text, lists)) from None
        try:
            row = parser.execute("SELECT json_serialize_sql(?)", [text]).fetchone()
            answer = json.loads(row[0] if row else "")
        except (duckdb.Error, RecursionError):
            raise UsageError(_DEEP) from None
        if answer["error"] or len(answer["statements"]) != 1:
            raise UsageError(str(answer.get("error_message", "this is not one statement")))
        nodes = [*_nodes(answer["statements"][0])]
        found = _TreeCheck(nodes, lists).plan()
        _check_functions(parser, nodes)
    return found


def refusal(error: duckdb.Error, hint: str | None = None) -> UsageError:
    """Return the error for what DuckDB says of a statement, with the place in it."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    at = next((at for at, line in enumerate(lines[:-1]) if _PLACE.match(line)), None)
    caret = None
    if at is not None and (found := _PLACE.match(lines[at])):
        caret = lines[at][found.end() :], max(0, lines[at + 1].find("^") - found.end())
    meant = next((line for line in lines if line.startswith("Did you mean")), None)
    return UsageError(lines[0], hint=hint or meant, caret=caret)


def near(word: str, words: Iterable[str]) -> str | None:
    """Return the closest of some words, if one is close."""
    found = get_close_matches(word.lower(), [*words], 1)
    return found[0] if found else None


def _dashed(text: str, lists: Mapping[Table, Operation]) -> str | None:
    """Return the spelling of an API whose dash the parser reads as a minus."""
    for api in sorted({table[0] for table in lists if "_" in table[0]}):
        dashed = api.replace("_", "-")
        if re.search(rf"\b{dashed}\s*\.", text, re.IGNORECASE):
            return f"write {api} for {dashed}, with underscores for dashes"
    return None


def _check_kind(kinds: list[str]) -> None:
    if len(kinds) != 1:
        many = f"{len(kinds)} statements are given" if kinds else "the statement is empty"
        raise UsageError(many, hint="give one")
    if kinds[0] == "MULTI":
        raise UsageError("PIVOT needs its values", hint="PIVOT … ON column IN ('a', 'b') …")
    if kinds[0] == "EXPLAIN":
        raise UsageError("EXPLAIN is the option --explain", hint="leave the word out")
    if kinds[0] != "SELECT":
        raise UsageError(
            f"{kinds[0].replace('_', ' ')} does more than read",
            hint="SELECT, FROM, WITH, VALUES, DESCRIBE, SUMMARIZE, PIVOT and UNPIVOT read",
        )


def _check_functions(parser: duckdb.DuckDBPyConnection, nodes: Iterable[JsonObject]) -> None:
    """Raise UsageError for a function that DuckDB does not have."""
    called = (node for node in nodes if node.get("type") == "FUNCTION" and not node.get("schema"))
    for name in sorted({node["function_name"] for node in called}):
        try:
            parser.execute(f"EXPLAIN SELECT {quoted(name)}(NULL)")
        except duckdb.Error as error:
            # Others are there, and take other arguments.
            if isinstance(error, duckdb.CatalogException) and "does not exist" in str(error):
                hint = refusal(error).hint
                raise UsageError(f"no function {name}()", hint=hint) from None


def quoted(name: str) -> str:
    """Return a name as SQL has it, whatever it holds."""
    return '"' + name.replace('"', '""') + '"'


def _nodes(tree: Json) -> Iterator[JsonObject]:
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            yield node
            stack.extend(node.values())
        elif isinstance(node, list):
            stack.extend(node)


class _TreeCheck:
    """Checks the tree of a statement, part by part."""

    def __init__(self, nodes: Sequence[JsonObject], lists: Mapping[Table, Operation]) -> None:
        self._nodes = nodes
        self._lists = lists
        self._plan = Plan()
        self._aliases: set[str] = set()
        self._withs: set[str] = set()
        for node in nodes:
            for entry in (node.get("cte_map") or {}).get("map", []):
                self._withs.add(entry["key"].lower())
            if node.get("cte_name"):
                self._withs.add(node["cte_name"].lower())

    def plan(self) -> Plan:
        """Return what the statement reads. Raises UsageError."""
        for node in self._nodes:
            kind = node.get("type")
            if isinstance(kind, str):
                self._check_allowed(kind, node)
                self._note_columns(kind, node)
                if kind == "BASE_TABLE":
                    self._note_table(node)
        plan = self._plan
        plan.every |= bool(plan.names & self._aliases) and self._has_whole_row()
        plan.tables = dict(sorted(plan.tables.items()))
        return plan

    def _check_allowed(self, kind: str, node: JsonObject) -> None:
        if kind.endswith("_NODE") and kind not in _NODES:
            does = kind.removesuffix("_QUERY_NODE")
            raise UsageError(f"the statement has a {does}", hint="it may only read")
        if "class" not in node and "query_location" in node and kind not in _REFERENCES:
            raise UsageError(f"the statement has a {kind}", hint="it may only read")
        if kind == "SHOW_REF" and not node.get("query"):
            raise UsageError(
                "SHOW has no tables here",
                hint="unified operations lists them; DESCRIBE api.resource",
            )
        if node.get("class") == "PARAMETER" or kind == "VALUE_PARAMETER":
            raise UsageError("a parameter (?, $1, $name) has no value here")
        if kind == "TABLE_FUNCTION":
            name = node["function"]["function_name"].lower()
            if name not in _TABLE_FUNCTIONS:
                allowed = ", ".join(sorted(_TABLE_FUNCTIONS))
                raise UsageError(
                    f"{name}() is not allowed after FROM", hint=f"these are: {allowed}"
                )
        if kind == "FUNCTION" and node.get("function_name", "").lower() in _REFUSED:
            raise UsageError(f"the function {node['function_name']}() is not allowed")

    def _note_columns(self, kind: str, node: JsonObject) -> None:
        plan = self._plan
        if kind in _ALL_COLUMNS or (kind == "BASE_TABLE" and node.get("column_name_alias")):
            plan.every = True
        if kind == "STAR":
            plan.names.update(name.lower() for name in node.get("exclude_list", ()))
        if kind == "JOIN":
            plan.every = plan.every or node.get("ref_type") in {"NATURAL", "POSITIONAL"}
            plan.names.update(name.lower() for name in node.get("using_columns", ()))
        if kind == "COLUMN_REF":
            plan.names.update(name.lower() for name in node["column_names"])
        if kind in {"BASE_TABLE", "SUBQUERY"} and node.get("alias"):
            self._aliases.add(node["alias"].lower())

    def _has_whole_row(self) -> bool:
        """Return whether a table's name is used for its rows: `SELECT t FROM x t`."""
        return any(
            node["column_names"][-1].lower() in self._aliases
            for node in self._nodes
            if node.get("type") == "COLUMN_REF"
        )

    def _note_table(self, node: JsonObject) -> None:
        path = [part for part in node["qualified_name"]["path"] if part]
        shown = ".".join(path)
        if node.get("at_clause"):
            raise UsageError(f"{shown}: AT, a past state, is not offered")
        if len(path) == 1 and path[0].lower() in self._withs:
            return
        if len(path) != 2:
            raise UsageError(f"{shown}: a table is api.resource", hint=self._meant(path[-1]))
        table = path[0].lower(), path[1].lower()
        if table not in self._lists:
            raise self._unknown(shown, table)
        self._plan.tables[table] = self._lists[table]
        self._aliases.add(table[1])

    def _meant(self, resource: str) -> str:
        found = [
            f"{api}.{one}" for api, one in sorted(self._lists) if one == plain(resource.lower())
        ]
        return f"did you mean {' or '.join(found[:5])}?" if found else "as in ticketing.tickets"

    def _unknown(self, shown: str, table: Table) -> UsageError:
        """Return the error for a table that no API has."""
        # An alias is no help: DuckDB takes `t.items` for a table of a schema t.
        spelled = plain(table[0]), plain(table[1])
        apis = {api for api, _ in self._lists}
        if spelled in self._lists:
            hint = f"write {'.'.join(spelled)}, with underscores for dashes"
        elif spelled[0] in apis:
            close = near(spelled[1], [one for api, one in self._lists if api == spelled[0]])
            hint = (
                f"did you mean {spelled[0]}.{close}?" if close else "unified operations lists them"
            )
            return UsageError(f"{shown}: {spelled[0]} has no list {table[1]}", hint=hint)
        elif close := near(spelled[0], apis):
            hint = f"did you mean {close}.{spelled[1]}?"
        else:
            hint = f"for the items of a list: unnest({shown}::JSON[])"
        return UsageError(f"{shown}: no API is called {table[0]}", hint=hint)
