"""Send the same write to several connections, as a run with a journal."""

from collections.abc import Callable, Iterator, Sequence

from unified_cli.call import Call, run_output
from unified_cli.catalogue import Operation
from unified_cli.cli.flags import part
from unified_cli.cli.option_parts import NetworkOptions
from unified_cli.writes import run_sender
from unified_cli.writes.connections import RunConnections
from unified_cli.writes.entry import EntryState, JournalEntry, RunCall, RunKind
from unified_cli.writes.registry import RunHeader
from unified_cli.writes.run_sender import CallItem, RunSender
from unified_cli.writes.sender import FairWriters
from unified_cli.writes.stop_rules import StopRules


def send(
    common: Call,
    operation: Operation,
    calls: Sequence[RunCall],
    connections: RunConnections,
    rules: StopRules,
    *,
    new_key: Callable[[], str],
    body: bytes | None = None,
) -> None:
    """Send the calls until the rules stop the run, and report each outcome.

    `body` is the common body of the calls. Raises the same errors as `RunSender.send`.
    """
    runtime = common.runtime
    header = RunHeader.for_calls(
        RunKind.FAN_OUT, operation, common.options, runtime.wall(), len(calls)
    )
    header.body = None if body is None else body.decode("utf-8")

    def entries() -> Iterator[JournalEntry]:
        for number, call in enumerate(calls, 1):
            yield JournalEntry(EntryState.NEW, number, k=new_key(), call=call)

    workers = part(common.options, NetworkOptions).workers
    with (
        run_sender.begin_run(runtime, header, entries) as stored,
        FairWriters(runtime, common.catalogue, workers, connections=len(calls)) as writers,
    ):
        results = run_output.results(common, stored, connections)
        items = [CallItem(number, call.profile) for number, call in enumerate(calls, 1)]
        RunSender(runtime, stored, connections, writers, results).send(items, rules)
