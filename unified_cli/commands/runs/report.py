"""`unified runs list` and `show`: the runs, and what became of each call of one, read
from its journal in turn.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice

import msgspec

from unified_cli.cli.command import CommandContext
from unified_cli.cli.result_table import Drawn, show
from unified_cli.commands.runs.command import ListRunsOptions, ShowRunOptions
from unified_cli.json_text.members import Record
from unified_cli.json_text.record_label import LABEL
from unified_cli.masking import NO_TEXT, masked
from unified_cli.output import formats, printer, screen, stdout
from unified_cli.output.screen import Bar, Cell, Column, Look, Word
from unified_cli.output.terminal import TerminalText
from unified_cli.plural import ago, counted
from unified_cli.runtime import Runtime
from unified_cli.values import JsonObject
from unified_cli.writes import listed_runs
from unified_cli.writes.entry import OUTCOMES, EntryState
from unified_cli.writes.registry import RunRegistry
from unified_cli.writes.run import StoredRun
from unified_cli.writes.summary import UNSEEN, Causes

VERSION = 1
_HEADS = ("id", "started", "command", "done", "failed", "in doubt", "not tried", "state")
_SCREEN_HEADS = ("id", "began", Column("command", cut=True), "done", "of", "state")
_LOOKS = (Look.GOOD, Look.BAD, Look.DOUBT, Look.OPEN)
_STATES = {
    "done": Look.GOOD,
    "open": Look.DOUBT,
    "import": Look.OPEN,
    "export": Look.OPEN,
    "gone": Look.OPEN,
}
_COLUMNS = (LABEL, "outcome", "status", "id", "reason", "idempotency_key")
_AT_ONCE = 500
_MOST_NAMED = 20
_BAR = 30


def show_all(context: CommandContext, options: ListRunsOptions) -> None:
    """List the runs."""
    runtime = context.runtime
    found = listed_runs.newest(runtime)
    if not found:
        runtime.stderr.note("no runs")
    counts = [name.replace("-", "_") for name in listed_runs.COUNTED]
    rows = [
        (
            one["id"],
            one["started"] or "",
            one["command"],
            *("" if one[name] is None else str(one[name]) for name in counts),
            one["state"],
        )
        for one in found
    ]
    drawn = Drawn(_SCREEN_HEADS, [_screen_row(runtime, one) for one in found])
    show(runtime, options.output, _HEADS, rows, {"version": VERSION, "runs": found}, drawn=drawn)


def _screen_row(runtime: Runtime, one: JsonObject) -> list[Cell]:
    """A run in one line: when it began in a few words, its outcomes as a bar, and how
    many of all are done.
    """
    at = datetime.fromisoformat(str(one["started"])).timestamp() if one["started"] else None
    counts = [int(str(one[name.replace("-", "_")] or 0)) for name in listed_runs.COUNTED]
    state = str(one["state"])
    return [
        masked(str(one["id"])),
        NO_TEXT if at is None else masked(ago(runtime.wall() - at)),
        masked(str(one["command"])),
        Bar([*zip(counts, _LOOKS, strict=True)]),
        NO_TEXT if one["done"] is None else masked(f"{counts[0]}/{sum(counts)}"),
        Word(masked(state), _STATES.get(state, Look.BAD)),
    ]


def show_one(context: CommandContext, options: ShowRunOptions) -> None:
    """Show a run."""
    runtime = context.runtime
    form = formats.of_command(options.output, formats.RESULTS, terminal=runtime.stdout_is_terminal)
    wanted = options.run or listed_runs.LAST
    found = listed_runs.last(runtime, also_done=True) if wanted == listed_runs.LAST else wanted
    with StoredRun.look(RunRegistry(runtime), found) as stored:
        header = stored.header
        listed_runs.refuse(header)
        begun = datetime.fromtimestamp(header.at, UTC).isoformat(timespec="seconds")
        selection = " ".join(f"-p {pattern}" for pattern in header.selection)
        runtime.stderr.note(f"run {header.run}: {header.command} {selection}, begun {begun}")
        if form is formats.TABLE and runtime.stdout_is_terminal:
            stdout.show(runtime, [_by_cause(runtime, stored)])
            return
        service = context.catalogue.service
        style = printer.style_for(runtime, form, service.items, service.cursor)
        columns = _COLUMNS if form.columns else ()
        made = printer.Printer(
            runtime,
            style._replace(columns=columns, first=columns or (LABEL,), listing=False),
            strict=False,
        )
        records = _records(stored)
        while page := [*islice(records, _AT_ONCE)]:
            made.page(page, one_line=True)
        made.end()


def _by_cause(runtime: Runtime, stored: StoredRun) -> TerminalText:
    """The outcomes as a bar, then a paragraph for each cause: how many calls, why, and which."""
    causes, counts = Causes(stored, _MOST_NAMED), stored.journal.outcomes()
    for number in stored.journal.numbers():
        causes.add(number, stored.journal.state(number))
    numbers = [counts[name] for name in listed_runs.COUNTED]
    said = ", ".join(
        f"{counts[name]} {name.replace('-', ' ')}"
        for name in dict.fromkeys(OUTCOMES.values())
        if counts[name]
    )
    things = [
        screen.line(runtime, Bar([*zip(numbers, _LOOKS, strict=True)], _BAR), masked(f"  {said}"))
    ]
    unit = stored.kind.unit
    for cause, group in causes.groups():
        look = dict(zip(listed_runs.COUNTED, _LOOKS, strict=True)).get(cause.outcome, Look.OPEN)
        head = Word(masked(cause.outcome.replace("-", " ")), look)
        things += [
            screen.line(runtime),
            screen.line(runtime, head, masked(f": {counted(group.count, unit)}")),
        ]
        things += [
            screen.paragraph(runtime, masked(one)) for one in (group.reason, group.named) if one
        ]
    return screen.drawn(runtime, *things)


def _records(stored: StoredRun) -> Iterator[Record]:
    journal = stored.journal
    for number in journal.numbers():
        planned, state = journal.call(number), journal.state(number)
        sent, last = journal.sent(number), journal.last(number)
        if planned.call is None:
            continue
        facts: JsonObject = {
            LABEL: planned.call.profile,
            "outcome": OUTCOMES[state],
            "status": last.status or None,
            # What was asked for; an answer may name another record.
            "id": planned.call.id or last.id,
            "reason": masked(last.why) or (UNSEEN if state is EntryState.SENT else None),
            "idempotency_key": planned.k or None,
            "sent": datetime.fromtimestamp(sent.t, UTC).isoformat(timespec="seconds")
            if sent
            else None,
            "account_id": planned.call.account or None,
            "base_url": planned.call.base_url or None,
            "operation": planned.call.operation,
        }
        yield Record(msgspec.json.encode(facts))
