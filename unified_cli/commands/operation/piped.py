"""`get -`, `update -` and `delete -`: run an operation for every id, or record with an
id, on standard input.

If `-p` selects several connections, each record names one of them.
"""

import uuid
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from unified_cli.call import Call, Mode, body_check, builder, dry_run, run_output
from unified_cli.catalogue import Catalogue, Operation
from unified_cli.cli import prompt
from unified_cli.cli.flags import part
from unified_cli.cli.option_parts import StopOptions
from unified_cli.cli.options import (
    ConfirmOptions,
    OperationOptions,
    ReadOptions,
    SendOptions,
    overrides,
)
from unified_cli.config import file
from unified_cli.config.file import RESERVED, Config
from unified_cli.config.settings import Settings
from unified_cli.errors import UsageError
from unified_cli.fleet import selection
from unified_cli.fleet.fair_turns import spread
from unified_cli.http import request as requests, request_body as bodies
from unified_cli.http.request import Content, Request
from unified_cli.http.request_body import BodyField
from unified_cli.plural import counted
from unified_cli.runtime import Runtime
from unified_cli.storage import input_bounds
from unified_cli.writes import input_reading, outcome, run_sender, stop_rules
from unified_cli.writes.connections import RunConnections
from unified_cli.writes.entry import EntryState, JournalEntry, RunCall, RunKind
from unified_cli.writes.input_reading import RecordShape
from unified_cli.writes.input_records import InputItem, ItemRules, items
from unified_cli.writes.registry import RunHeader
from unified_cli.writes.run import StoredRun
from unified_cli.writes.run_sender import CallItem, RunSender
from unified_cli.writes.sender import FairWriters
from unified_cli.writes.stop_rules import StopRules

_STDIN = "standard input"
_ONE_EACH = "each line must have one id, or one record with an id"
_LARGE_INPUT = (
    "split the input, or use unified import with --operation update or delete: it has no limit"
)

Targets = Mapping[str | None, Settings]
"""The connections by the name that records use. If there is only one connection, its
name is None.
"""


@dataclass(frozen=True, slots=True)
class PipedJob:
    """The request for an input line.

    `profile` names its connection, and `wrong` says why the line is invalid.
    """

    line: int
    profile: str | None
    request: Request | None
    wrong: str = ""
    identifier: str | None = None
    sent: float = 0
    """When an attempt in doubt was first sent, in seconds since 1970."""


def run(
    runtime: Runtime,
    catalogue: Catalogue,
    operation: Operation,
    options: OperationOptions,
    mode: Mode,
) -> None:
    """Send a request for every line, and print the responses in the order of the lines.

    With a single connection, invalid input raises UsageError before anything is sent.
    With several connections, each record names one of them, and an invalid line fails
    without stopping the others. Raises an error that summarises the failed lines, if
    any.
    """
    _check_options(options)
    config = file.read(runtime)
    targets: Targets
    if mode.several:
        call = builder.common_call(runtime, catalogue, config, options, mode, operation)
        select = selection.for_writes if operation.changes else selection.for_reads
        targets = dict(select(runtime, config, options).items())
    else:
        call = builder.resolve(runtime, catalogue, options, mode, operation)
        if operation.changes:
            call = call._replace(
                settings=builder.settings_for_many(call.settings, runtime, options.jq, config)
            )
        call.settings.reachable()
        targets = {None: call.settings}
    jobs = _jobs(call, operation, targets)
    rules = stop_rules.parse(part(options, StopOptions), len(jobs))
    if mode.shown:
        _show(call, jobs)
        return
    _confirm(call, operation, jobs)
    _send_all(call, config, operation, targets, jobs, rules)


def _confirm(call: Call, operation: Operation, jobs: Sequence[PipedJob]) -> None:
    runtime, _, settings, options, mode, _ = call
    yes, whose = part(options, ConfirmOptions).yes, f"of {operation.api} {operation.resource}"
    if mode.several:
        found = Counter(job.profile for job in jobs if job.profile and job.request)
        what = f"{operation.name} {counted(found.total(), 'record')} {whose}"
        if operation.changes and found:
            prompt.confirm_several(
                runtime, settings, what, [*found], yes=yes, stdin_holds_data=True
            )
        return
    if jobs[0].request:
        builder.check_writable(settings, jobs[0].request)
    if operation.kind == "delete":
        what = f"{counted(len(jobs), 'record')} {whose}"
        prompt.confirm_change(runtime, settings, "delete", what, yes=yes, stdin_holds_data=True)


def _check_options(options: OperationOptions) -> None:
    if part(options, SendOptions).idempotency_key:
        raise UsageError(
            "--idempotency-key can only be used for one record (each line gets its own key)"
        )
    if part(options, StopOptions).stages is not None:
        raise UsageError(
            "--stages is for several connections, not for several lines (--max-failures N stops"
            " after N failed lines)"
        )


def _show(call: Call, jobs: list[PipedJob]) -> None:
    for job in jobs:
        if job.request:
            dry_run.show_one_of_many(call, job.request)
        else:
            call.runtime.stderr.note(f"line {job.line}: {job.wrong}")


def _send_all(
    call: Call,
    config: Config,
    operation: Operation,
    targets: Targets,
    jobs: Sequence[PipedJob],
    rules: StopRules,
) -> None:
    """Send the requests as a run, and report each line.

    Stores a run of writes, so that it can be resumed.
    """
    runtime, catalogue, settings, options, mode, _ = call
    workers = part(options, OperationOptions).workers
    known = {name or settings.profile: target for name, target in targets.items()}
    connections = RunConnections(runtime, catalogue, config, overrides(options), known)
    ordered = part(options, ReadOptions).ordered or not mode.several
    jobs = jobs if ordered else spread(jobs, lambda job: job.profile)
    with FairWriters(
        runtime, catalogue, workers, connections=len(targets), ordered=ordered
    ) as writers:
        writers.check_tokens(
            targets[profile]
            for profile in dict.fromkeys(job.profile for job in jobs if job.request)
        )
        with _new_run(call, operation, jobs) as run:
            results = run_output.lines(call, run, connections)
            for job in jobs:
                if job.wrong:
                    results.print_reason(job.line, job.profile, job.wrong)
            items = [
                CallItem(number, job.profile or settings.profile)
                for number, job in enumerate(jobs, 1)
                if job.request
            ]
            RunSender(runtime, run, connections, writers, results).send(
                items, rules, failed=len(jobs) - len(items)
            )


def _jobs(call: Call, operation: Operation, targets: Targets) -> list[PipedJob]:
    """Return the jobs, in the order of the lines.

    Raises UsageError for invalid input. With several targets, an invalid line only
    counts as failed.
    """
    sent = part(call.options, SendOptions)
    fields = bodies.fields(sent.raw_field, sent.field)
    piped = _input(call, fields)
    # Compose the body here, so that an invalid option is reported once, not for each
    # line.
    given = bodies.compose(sent.data, fields, call.runtime)
    builder.check_unlabelled(given, call.options, operation)
    body_check.check(call.runtime, part(call.options, OperationOptions), operation, given)
    query = builder.pairs(call.options.query)
    shape = RecordShape.from_operation(operation, call.catalogue.service)
    lines = input_reading.ids_or_records(
        piped, _STDIN, shape, part(call.options, OperationOptions).format
    )
    alone = None in targets
    names = None if alone else {name for name in targets if name is not None and name != RESERVED}
    jobs: list[PipedJob] = []
    for item in items(lines, ItemRules(operation, call.catalogue.service, profiles=names)):
        if len(jobs) >= input_bounds.MOST_REQUESTS:
            raise UsageError(
                f"{_STDIN} holds more than {input_bounds.MOST_REQUESTS:,} lines", hint=_LARGE_INPUT
            )
        request, wrong = None, item.wrong
        if not wrong:
            try:
                content = Content(
                    query, _body_of_item(call, item, operation, fields), _key(item, operation)
                )
                request = _line_request(call, operation, item, content, targets[item.profile])
            except UsageError as error:
                wrong = error.message
        if wrong and alone:
            hint = _ONE_EACH if item.wrong == "has no id" else None
            raise UsageError(
                f"{_STDIN}, line {item.number}{' ' if item.wrong else ': '}{wrong}", hint=hint
            )
        before = item.mark.sent if item.mark else 0
        jobs.append(PipedJob(item.number, item.profile, request, wrong, item.identifier, before))
    if not jobs:
        raise UsageError(f"no ids on {_STDIN}", hint=_ONE_EACH)
    return jobs


def _input(call: Call, fields: list[BodyField]) -> bytes:
    runtime = call.runtime
    if bodies.reads_stdin(part(call.options, SendOptions).data, fields) or call.options.token_stdin:
        raise UsageError("the ids come from standard input, so nothing else can be read from it")
    if runtime.stdin is None:
        raise UsageError("standard input is closed, so there are no ids")
    if runtime.stdin_is_terminal:
        runtime.stderr.note("reading ids, one per line; end with Ctrl-D")
    return input_bounds.whole(runtime.stdin, _STDIN, hint=_LARGE_INPUT)


def _line_request(
    call: Call, operation: Operation, item: InputItem, content: Content, settings: Settings
) -> Request:
    made = requests.for_operation(
        requests.scope_of(settings, call.catalogue.service), operation, item.identifier, content
    )
    return made._replace(in_doubt=item.in_doubt)


def _key(item: InputItem, operation: Operation) -> str | None:
    return (item.key or str(uuid.uuid4())) if operation.method == "PATCH" else None


def _body_of_item(
    call: Call, item: InputItem, operation: Operation, fields: list[BodyField]
) -> bytes | None:
    if not operation.takes_body:
        return None
    own, data = (
        item.body if item.body not in (None, b"{}") else None,
        part(call.options, SendOptions).data,
    )
    if own is not None and data is not None:
        raise UsageError(
            "the record on the line is the body, so -d cannot be used (-f and -F change its fields)"
        )
    text = own.decode("utf-8") if own is not None else data
    result = bodies.compose(text, fields, call.runtime)
    if result is None and operation.name == "update":
        raise UsageError("nothing to change (pipe in records with fields, or use -d, -f or -F)")
    return result


def _new_run(call: Call, operation: Operation, jobs: Sequence[PipedJob]) -> StoredRun:
    """Return the run of these jobs.

    The run is only in memory for reads and for a single write, which cannot be resumed.
    """
    runtime, options = call.runtime, call.options
    header = RunHeader.for_calls(RunKind.LINES, operation, options, runtime.wall(), len(jobs))
    header.ordered = part(options, ReadOptions).ordered

    def entries() -> Iterator[JournalEntry]:
        for number, job in enumerate(jobs, 1):
            yield from _entries(call, operation, number, job)

    if operation.changes and sum(job.request is not None for job in jobs) > 1:
        return run_sender.begin_run(runtime, header, entries)
    return StoredRun.in_memory(header, entries)


def _entries(
    call: Call, operation: Operation, number: int, job: PipedJob
) -> Iterator[JournalEntry]:
    """Yield the journal lines of a job.

    The first line has its request, or why it cannot be sent. A second line marks a
    request that may already have been sent.
    """
    request, name = job.request, job.profile or call.settings.profile
    if request is None:
        # An invalid id may contain characters that UTF-8 cannot encode.
        identifier = (job.identifier or "").encode("utf-8", "backslashreplace").decode() or None
        planned = RunCall(job.profile, "", "", operation.command, identifier, line=job.line)
        yield JournalEntry(EntryState.NEW, number, call=planned)
        yield outcome.entry_of(UsageError(job.wrong), number, EntryState.REFUSED)
        return
    body = None if request.body is None else request.body.decode("utf-8")
    address, query = str(request.address), tuple(request.own_query)
    planned = RunCall(
        name, address, request.account, operation.command, job.identifier, query, body, job.line
    )
    key = request.key or ""
    yield JournalEntry(EntryState.NEW, number, k=key, call=planned)
    if request.in_doubt:
        yield JournalEntry(EntryState.SENT, number, k=key, t=job.sent)
