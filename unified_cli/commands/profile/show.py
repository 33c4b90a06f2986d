"""`unified profile list`, `path`, `show` and `test`: show profiles, their settings, and
the health of each connection.
"""

import os
import re
from collections.abc import Iterable, Mapping, Sequence

from unified_cli import hints, text_width
from unified_cli.call import connection_probe
from unified_cli.call.connection_probe import Probe, ProbeResult
from unified_cli.catalogue import Operation
from unified_cli.cli.command import CommandContext
from unified_cli.cli.result_table import TerminalTable, show
from unified_cli.commands.profile.options import (
    CheckOptions,
    ListProfilesOptions,
    PathOptions,
    ShowOptions,
)
from unified_cli.config import connection_facts, file, resolution
from unified_cli.config.connection_facts import ConnectionFact
from unified_cli.config.file import Config
from unified_cli.config.keys import KEYS, Overrides
from unified_cli.config.profiles import select, tags_of
from unified_cli.errors import ConfigError, UnifiedError, UsageError
from unified_cli.fleet.conclude import Ending, conclude
from unified_cli.fleet.tokens import Tokens
from unified_cli.masking import masked
from unified_cli.output import formats, junit, stdout
from unified_cli.output.junit import JUnitCase, JUnitSuite
from unified_cli.output.terminal import total_width
from unified_cli.plural import ago, counted
from unified_cli.runtime import Runtime
from unified_cli.values import JsonObject

VERSION = 1
_READY = "ready"
_ACCOUNT = "account id"
# A profile without an account can only be used by `connections`, `doctor` and `logs`.
_LISTS = "lists connections"
# These words must not suggest that the connection was tested.
_MEANT = {"sandbox": "needs no token"}
_HEADS = ("name", "default", "account id", "tags", "token", "state", "connection")
# The columns to hide on a narrow terminal, in this order.
_LEAST_NEEDED = ("token", "seen", "account id")
_HEADER = re.compile(
    rb"^[ \t]*\[[ \t]*profiles?[ \t]*\.[ \t]*[\"']?([A-Za-z0-9._-]+)[\"']?[ \t]*\]", re.MULTILINE
)


def print_path(context: CommandContext, _: PathOptions) -> None:
    """Print the path of the config file.

    Raises ConfigError if there is no home directory.
    """
    runtime = context.runtime
    path = file.locate(runtime)
    if path is None:
        raise ConfigError("no home directory for the config file", hint=hints.SET_HOME)

    stdout.write(runtime, [os.fsencode(path) + b"\n"])


def list_all(context: CommandContext, options: ListProfilesOptions) -> None:
    """List the profiles."""
    runtime = context.runtime
    try:
        config = file.read(runtime)
    except ConfigError:
        _list_names(runtime, options.output)
        raise
    patterns = (*options.profile, *options.patterns)
    names = select(config, patterns, for_calls=False) if patterns else [*config.profiles]
    # Copy the environment, because each access to a variable decodes it again.
    runtime = runtime._replace(environ={**runtime.environ})
    found = [_profile_as_json(config, name, runtime) for name in names]
    if not found:
        runtime.stderr.note(
            "no profiles yet (unified profile add NAME; to try things out: unified -p sandbox …)"
        )
    default = config.top.get("profile")
    _print(runtime, options.output, default if isinstance(default, str) else None, found)


def _print(
    runtime: Runtime, output: str | None, default: object, found: Iterable[JsonObject]
) -> None:
    found = [*found]
    rows: list[tuple[str, ...]] = [
        (
            profile["name"],
            "*" if profile["name"] == default else "",
            profile["account_id"] or "",
            ",".join(profile["tags"]),
            profile["token"] or "",
            profile["state"],
            fact.in_words if (fact := _known(profile)) else "",
        )
        for profile in found
    ]
    # Show the last column only if it has a value.
    some = any(row[-1] for row in rows)
    heads, rows = (_HEADS, rows) if some else (_HEADS[:-1], [row[:-1] for row in rows])
    value = {"version": VERSION, "default": default, "profiles": found}
    table, hidden = _terminal_table(runtime, default, found)
    show(runtime, output, heads, rows, value, on_terminal=table)
    form = formats.of_command(output, formats.TABLES, terminal=runtime.stdout_is_terminal)
    if hidden and form is formats.TABLE and runtime.stdout_is_terminal:
        runtime.stderr.note(f"not shown: {', '.join(hidden)} (-o json has all columns)")


def _terminal_table(
    runtime: Runtime, default: object, found: Sequence[JsonObject]
) -> tuple[TerminalTable, Sequence[str]]:
    """Return the table, and the columns that are left out to save room."""
    facts = [_known(profile) for profile in found]
    cells = {
        "name": [profile["name"] for profile in found],
        "default": ["*" if profile["name"] == default else "" for profile in found],
        "account id": [profile["account_id"] or "" for profile in found],
        "tags": [",".join(profile["tags"]) for profile in found],
        "token": [profile["token"] or "" for profile in found],
        # Only here: programs that read a pipe need the original words.
        "state": [
            _MEANT.get(profile["token"], "has a token")
            if profile["state"] == _READY
            else profile["state"]
            for profile in found
        ],
        "connection": [fact.name if fact else "" for fact in facts],
        "seen": [ago(fact.age) if fact and fact.name else "" for fact in facts],
    }
    columns = {head: column for head, column in cells.items() if head == "name" or any(column)}
    choices = (_LEAST_NEEDED[:number] for number in range(len(_LEAST_NEEDED)))
    hidden = next(
        (hidden for hidden in choices if _room(columns, hidden) <= runtime.width), _LEAST_NEEDED
    )
    heads = [head for head in columns if head not in hidden]
    rows = zip(*(map(masked, columns[head]) for head in heads), strict=True)
    return TerminalTable(heads, [*rows]), [head for head in columns if head in hidden]


def _room(columns: Mapping[str, Sequence[str]], hidden: Sequence[str]) -> int:
    """Return the width of the columns that are not hidden. A long state is wrapped."""
    shown = {head: (head, *cells) for head, cells in columns.items() if head not in hidden}
    widths = {head: max(map(text_width.width, cells)) for head, cells in shown.items()}
    most = {"state": len(_LISTS)}
    return total_width([min(size, most.get(head, size)) for head, size in widths.items()])


def _known(profile: JsonObject) -> ConnectionFact | None:
    known = profile["connection"]
    return ConnectionFact(**known) if known else None


def _profile_as_json(config: Config, name: str, runtime: Runtime) -> JsonObject:
    # Scripts depend on the names.
    table = resolution.SANDBOX_PROFILE if name == file.RESERVED else config.profiles[name]
    account = table.get("account_id")
    one = {
        "name": name,
        "account_id": account if isinstance(account, str) else None,
        "tags": tags_of(table.get("tags")),
    }
    try:
        found = resolution.resolve(Overrides(name), runtime, config)
    except UnifiedError as error:
        return {
            **one,
            "base_url": None,
            "token": None,
            "read_only": None,
            "state": f"broken: {error.message}",
            "connection": None,
        }
    missing = [
        what
        for what, value in (
            ("base URL", found.address),
            (_ACCOUNT, found.account_id),
            ("token", found.token),
        )
        if value is None
    ]
    if missing == [_ACCOUNT]:
        state = _LISTS
    else:
        state = (
            f"no {', no '.join(missing)}" if missing else "read-only" if found.read_only else _READY
        )
    known = connection_facts.recall(runtime, found)
    return {
        **one,
        "account_id": found.account_id,
        "base_url": str(found.address) if found.address else None,
        "token": found.token.kind if found.token else None,
        "read_only": found.read_only,
        "state": state,
        "connection": known._replace(age=round(known.age))._asdict() if known else None,
    }


def _list_names(runtime: Runtime, output: str | None) -> None:
    path = file.locate(runtime)
    try:
        found = file.content(path) if path else None
    except ConfigError:
        return
    names = [match[1].decode("ascii") for match in _HEADER.finditer(found[0])] if found else []
    blank: JsonObject = {
        "account_id": None,
        "base_url": None,
        "tags": [],
        "token": None,
        "read_only": None,
        "connection": None,
    }
    described = [{"name": name, **blank, "state": "unknown"} for name in dict.fromkeys(names)]
    if described:
        _print(runtime, output, None, described)


def show_one(context: CommandContext, options: ShowOptions) -> None:
    """Show a profile. Raises UsageError for several."""
    runtime = context.runtime
    names = (options.name,) if options.name else options.profile
    if len(names) > 1:
        raise UsageError(
            "only one profile can be shown at a time (unified profile list shows several)"
        )
    found = resolution.resolve(Overrides(names[0] if names else None), runtime, file.read(runtime))
    shown = [*found.explain()]
    heads = ["key", "value", "source"]
    rows = [[setting["key"], _text(setting["value"]), setting["source"]] for setting in shown]
    table = None
    if options.explain:
        heads.append("instead of")
        for row, one in zip(rows, shown, strict=True):
            row.append(
                "; ".join(f"{_text(lost['value'])} ({lost['source']})" for lost in one["overrode"])
            )
        # On a terminal, both sources are in one column, which may wrap.
        cells = [
            [key, value, f"{source}, instead of {lost}" if lost else source]
            for key, value, source, lost in rows
        ]
        table = TerminalTable(heads[:-1], [[masked(cell) for cell in row] for row in cells])
    else:
        shown = [
            {key: value for key, value in setting.items() if key != "overrode"} for setting in shown
        ]
    value = {"version": VERSION, "profile": found.profile, "values": shown}
    show(runtime, options.output, heads, rows, value, apart=2, on_terminal=table)


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ",".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def check(context: CommandContext, options: CheckOptions) -> None:
    """Test connections. Raises the worst of their errors."""
    operation = connection_probe.operation(context.catalogue, options.with_)
    config = file.read(context.runtime)
    patterns = (*options.profile, *options.patterns)
    names = select(config, patterns) if patterns else [None]
    overrides = Overrides(
        timeout=options.timeout, retries=options.retries, ca_bundle=options.ca_bundle
    )
    tokens = Tokens(context.runtime)
    probe = Probe(context.runtime, context.catalogue, config, operation, overrides, tokens)
    verdicts = probe.run(names)
    rows = [
        (
            _name(verdict),
            verdict.word,
            f"{verdict.seconds * 1000:.0f} ms",
            verdict.error.message if verdict.error else verdict.sentence,
        )
        for verdict in verdicts
    ]
    value = {"version": VERSION, "profiles": [_verdict_as_json(verdict) for verdict in verdicts]}
    if options.output == formats.JUNIT.name:
        stdout.write(context.runtime, junit.document(_test_suites(verdicts, operation)))
    else:
        heads = ("profile", "verdict", "after", "message")
        show(context.runtime, options.output, heads, rows, value, apart=3)
    if not all(isinstance(verdict.error, ConfigError) for verdict in verdicts):
        probe.note_states()
    first, default = (
        verdicts[0],
        config.top.get("profile") or context.runtime.environ.get(KEYS["profile"].variable),
    )
    if not (patterns or default) and config.profiles and isinstance(first.error, ConfigError):
        first.error.add_hint(f"-p '*' tests all {counted(len(config.profiles), 'profile')}")
    conclude(
        Ending(
            "connection",
            len(verdicts),
            {_name(verdict): verdict.error for verdict in verdicts if verdict.error},
        )
    )


def _test_suites(verdicts: Sequence[ProbeResult], operation: Operation | None) -> list[JUnitSuite]:
    classname, name = ("profile", "test")
    if operation is not None:
        classname, name = f"{operation.api}.{operation.resource}", operation.name
    return [
        junit.suite(
            _name(verdict),
            [
                JUnitCase(
                    classname,
                    name,
                    "error" if verdict.error else "passed",
                    verdict.error.message if verdict.error else "",
                    verdict.error.one_line if verdict.error else "",
                    verdict.seconds,
                )
            ],
            several=len(verdicts) > 1,
        )
        for verdict in verdicts
    ]


def _verdict_as_json(result: ProbeResult) -> JsonObject:
    # Scripts depend on the names.
    return {
        "profile": result.profile,
        "verdict": result.word,
        "message": result.sentence or None,
        "milliseconds": round(result.seconds * 1000),
        "error": result.error.facts() if result.error else None,
    }


def _name(result: ProbeResult) -> str:
    return result.profile or "(no profile)"
