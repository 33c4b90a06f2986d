"""`unified runs list` and `show`: list the runs, and show each call of a run with its
outcome.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from itertools import chain, islice

import msgspec

from unified_cli.cli.command import CommandContext
from unified_cli.cli.result_table import TerminalTable, show
from unified_cli.commands.runs.command import ListRunsOptions, ShowRunOptions
from unified_cli.errors import UnifiedError
from unified_cli.hints import quoted
from unified_cli.json_text.members import Record
from unified_cli.json_text.record_label import LABEL
from unified_cli.masking import NO_TEXT, masked
from unified_cli.output import formats, printer, screen, stdout
from unified_cli.output.formats import Format
from unified_cli.output.screen import Bar, Cell, Column, Look, Word
from unified_cli.output.terminal import TerminalText
from unified_cli.plural import ago, counted
from unified_cli.runtime import Runtime
from unified_cli.values import JsonObject
from unified_cli.writes import listed_runs, noted_calls, run_state, state_words
from unified_cli.writes.entry import OUTCOMES, RunKind
from unified_cli.writes.noted_calls import NotedCall
from unified_cli.writes.registry import RunHeader, RunRegistry
from unified_cli.writes.run import StoredRun
from unified_cli.writes.run_state import KnownRun
from unified_cli.writes.summary import Causes

VERSION = 1
_HEADS = ("id", "started", "command", "done", "failed", "in doubt", "not tried", "state")
_SCREEN_HEADS = ("id", "began", Column("command", cut=True), "done", "of", "state")
_LOOKS = (Look.GOOD, Look.BAD, Look.DOUBT, Look.OPEN)
_STATES = {
    state_words.DONE: Look.GOOD,
    state_words.RUNNING: Look.OPEN,
    state_words.INTERRUPTED: Look.DOUBT,
    state_words.IN_DOUBT: Look.DOUBT,
}
_COLUMNS = (LABEL, "outcome", "status", "id", "reason", "idempotency_key")
_OF_LINES = (LABEL, "line", "outcome", "status", "id", "reason", "idempotency_key")
_OF_LISTS = (LABEL, "list", "outcome", "records", "file", "reason")
_AT_ONCE = 500
_MOST_NAMED = 20
_BAR = 30
_WIDE = 100
"""The smallest width of a screen on which bars have their full length."""


def show_all(context: CommandContext, options: ListRunsOptions) -> None:
    """List the runs."""
    runtime = context.runtime
    listed = listed_runs.list_runs(runtime, context.catalogue)
    found = [(run, run.row()) for run in listed]
    if not found:
        runtime.stderr.note("no runs")
    counts = [name.replace("-", "_") for name in run_state.COUNTED]
    rows = [
        (
            run.id,
            str(row["started"] or ""),
            run.command,
            *("" if row[name] is None else str(row[name]) for name in counts),
            run.state,
        )
        for run, row in found
    ]
    table = TerminalTable(_SCREEN_HEADS, [_screen_row(runtime, run) for run, _ in found])
    value = {"version": VERSION, "runs": [row for _, row in found]}
    show(runtime, options.output, _HEADS, rows, value, on_terminal=table)


def _screen_row(runtime: Runtime, run: KnownRun) -> list[Cell]:
    counts = [run.counts[name] if run.counts else 0 for name in run_state.COUNTED]
    return [
        masked(run.id),
        masked(ago(runtime.wall() - run.began_at)) if run.header else NO_TEXT,
        masked(run.command),
        Bar([*zip(counts, _LOOKS, strict=True)], 10 if runtime.width >= _WIDE else 4),
        NO_TEXT if run.counts is None else masked(f"{counts[0]}/{sum(counts)}"),
        Word(masked(run.state), _STATES.get(run.state, Look.BAD)),
    ]


def show_one(context: CommandContext, options: ShowRunOptions) -> None:
    """Show a run. Raises StateError if it cannot be read."""
    runtime = context.runtime
    form = formats.of_command(options.output, formats.RESULTS, terminal=runtime.stdout_is_terminal)
    wanted = options.run or listed_runs.LAST
    if wanted == listed_runs.LAST:
        found = listed_runs.list_runs(runtime)
        wanted = listed_runs.choose_run(runtime, "show", lambda _: True, found=found)
    registry = RunRegistry(runtime)
    with StoredRun.open_to_read(registry, wanted) as stored:
        header = stored.header
        known = run_state.load(runtime, registry, wanted, context.catalogue)
        began = datetime.fromtimestamp(header.at, UTC).isoformat(timespec="seconds")
        selection = "".join(f" -p {pattern}" for pattern in header.selection)
        runtime.stderr.note(
            f"run {wanted}: {header.command}{selection}, begun {began}, {known.state}"
        )
        if form is formats.TABLE and runtime.stdout_is_terminal and not header.path:
            stdout.show(runtime, [_bar_and_causes(runtime, stored)])
        else:
            _print(context, form, _columns(stored), _records_of_any_kind(context, stored))
        known.show_doubts(runtime)
        if known.reason:
            runtime.stderr.note(known.reason)
        for command in (known.next_after("show") or "").splitlines():
            runtime.stderr.note(f"next: {command}")


def _columns(stored: StoredRun) -> tuple[str, ...]:
    if not stored.header.path:
        return _COLUMNS
    return _OF_LISTS if stored.kind is RunKind.EXPORT else _OF_LINES


def _print(
    context: CommandContext, form: Format, columns: tuple[str, ...], records: Iterator[Record]
) -> None:
    runtime, service = context.runtime, context.catalogue.service
    style = printer.style_for(runtime, form, service.items, service.cursor)
    shown = columns if form.columns else ()
    made = printer.Printer(
        runtime,
        style._replace(columns=shown, first=shown or columns[:1], listing=False),
        strict=False,
    )
    while page := [*islice(records, _AT_ONCE)]:
        made.page(page, one_line=True)
    made.end()


def _records_of_any_kind(context: CommandContext, stored: StoredRun) -> Iterator[Record]:
    if stored.kind is RunKind.EXPORT:
        yield from _list_outcomes(context.runtime, stored.header)
        return
    with _noted(context, stored) as calls:
        for call in calls:
            yield _outcome(call)


@contextmanager
def _noted(context: CommandContext, stored: StoredRun) -> Iterator[Iterator[NotedCall]]:
    """Yield the calls of a run.

    If the input file of an import or a plan has changed or is missing, yields the calls
    in the run's journal.
    """
    header = stored.header
    with ExitStack() as stack:
        try:
            calls = stack.enter_context(noted_calls.opened(context.catalogue, stored))
            first = [*islice(calls, 1)]
        except UnifiedError as error:
            if not header.path:
                raise
            context.runtime.stderr.note(
                f"only the calls that were started are shown: {error.reason}"
            )
            first, calls = [], noted_calls.of_journals(header, run_state.open_journals(header))
        yield chain(first, calls)


def _outcome(one: NotedCall) -> Record:
    call, sent, last = one.call, one.sent, one.last
    facts: JsonObject = {
        LABEL: call.profile,
        **({"journal": one.path} if one.path else {}),
        **({"line": call.line} if call.line else {}),
        "outcome": OUTCOMES[one.state],
        "status": (last and last.status) or None,
        # Prefer the requested id, because the response may contain a different id.
        "id": call.id or (last and last.id) or None,
        "reason": (last and last.reason) or None,
        "idempotency_key": one.key or None,
        "sent": _time(sent.t) if sent else None,
        "account_id": call.account or None,
        "base_url": call.base_url or None,
        "operation": call.operation,
    }
    return Record(msgspec.json.encode(facts))


def _list_outcomes(runtime: Runtime, header: RunHeader) -> Iterator[Record]:
    manifest = run_state.manifest_of(runtime, header)
    if manifest is None:
        runtime.stderr.note(
            f"to see the contents of the export: unified export --verify {quoted(header.path)}"
        )
        return
    for entry in manifest.entries.values():
        outcome = "done" if entry.complete else "failed" if entry.why else "not-tried"
        facts: JsonObject = {
            LABEL: entry.profile,
            "list": f"{entry.api}/{entry.resource}",
            "outcome": outcome if entry.offered else "left-out",
            "records": entry.records,
            "file": entry.file,
            "reason": entry.why,
        }
        yield Record(msgspec.json.encode(facts))


def _time(wall: float) -> str:
    return datetime.fromtimestamp(wall, UTC).isoformat(timespec="seconds")


def _bar_and_causes(runtime: Runtime, stored: StoredRun) -> TerminalText:
    causes, counts = Causes(stored, _MOST_NAMED), stored.journal.outcomes()
    for number in stored.journal.numbers():
        causes.add(number, stored.journal.state(number))
    numbers = [counts[name] for name in run_state.COUNTED]
    text = ", ".join(
        f"{counts[name]} {name.replace('-', ' ')}"
        for name in dict.fromkeys(OUTCOMES.values())
        if counts[name]
    )
    things = [
        screen.line(runtime, Bar([*zip(numbers, _LOOKS, strict=True)], _BAR), masked(f"  {text}"))
    ]
    unit = stored.kind.unit
    for cause, group in causes.groups():
        look = dict(zip(run_state.COUNTED, _LOOKS, strict=True)).get(cause.outcome, Look.OPEN)
        head = Word(masked(cause.outcome.replace("-", " ")), look)
        things += [
            screen.line(runtime),
            screen.line(runtime, head, masked(f": {counted(group.count, unit)}")),
        ]
        things += [
            screen.paragraph(runtime, masked(text)) for text in (group.reason, group.named) if text
        ]
    return screen.render(runtime, *things)
