"""Read the calls of a run with their connections and states.

The calls of an import come from its input, and the calls of a plan from the plan.
"""

from collections.abc import Container, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from unified_cli.catalogue import Catalogue, Operation
from unified_cli.config import profiles
from unified_cli.errors import StateError
from unified_cli.storage import input_bounds, regular_file
from unified_cli.storage.unchanged_file import UnchangedFile
from unified_cli.writes import apply_journal, import_journal, input_file, input_records
from unified_cli.writes.doubt import DoubtfulCall
from unified_cli.writes.entry import STATES, EntryState, JournalEntry, RunCall, RunKind
from unified_cli.writes.input_reading import ReadingOptions, RecordShape
from unified_cli.writes.input_records import InputItem, ItemRules, RecordMap
from unified_cli.writes.journal import Journal
from unified_cli.writes.registry import RunHeader
from unified_cli.writes.run import StoredRun


class NotedCall(NamedTuple):
    """A call of a run and its state in the journal.

    `path` is the journal of the call's plan, if the run has several plans.
    """

    number: int
    call: RunCall
    key: str
    state: EntryState
    sent: JournalEntry | None
    last: JournalEntry | None
    path: str = ""

    def as_doubtful(self, common: bytes | None) -> DoubtfulCall:
        """Return the call as a call in doubt. A call without its own body has the body
        `common`.
        """
        body = common if self.call.body is None else self.call.body.encode()
        return DoubtfulCall(self.call, body, self.key)


class _PlanSide(msgspec.Struct):
    account: str
    origin: str


class _PlanHead(msgspec.Struct):
    resource: str
    to: _PlanSide


class _PlanLine(msgspec.Struct):
    operation: str
    id: str | int | None = None
    body: msgspec.Raw = msgspec.Raw()
    references: msgspec.Raw = msgspec.Raw()


@contextmanager
def opened(
    catalogue: Catalogue, stored: StoredRun, states: Container[EntryState] = STATES
) -> Iterator[Iterator[NotedCall]]:
    """Open the files of a run, and yield an iterator over its calls in these states, in
    order.

    Raises StateError if the input or a plan has changed or is missing, or if an older
    version began the run without recording its connections.
    """
    header = stored.header
    if not header.path:
        numbers = (
            number for number in stored.journal.numbers() if stored.journal.state(number) in states
        )
        yield (of_run(stored, number) for number in numbers)
    elif not header.targets or len(header.inputs) != 1 + len(header.paths):
        raise _older(header)
    else:
        apply = stored.kind is RunKind.APPLY
        yield _planned(header, states) if apply else _imported(catalogue, header, states)


def of_journals(header: RunHeader, journals: Iterable[Journal]) -> Iterator[NotedCall]:
    """Yield the calls in the journals of an import or of plans.

    Without the input, only the calls with a line in the journal are known, and their
    connections are unknown.
    """
    paths = (header.path, *header.paths)
    for journal, path in zip(journals, paths, strict=True):
        with closing(journal):
            for number in journal.noted():
                call = RunCall(None, "", "", header.command, line=number)
                yield _noted(journal, number, call)._replace(path=path if header.paths else "")


def of_run(stored: StoredRun, number: int) -> NotedCall:
    """Return a call that is in the journal of its run."""
    planned = stored.journal.call(number)
    assert planned.call is not None  # noqa: S101  the journal holds it
    return _noted(stored.journal, number, planned.call, planned.k)


def _noted(journal: Journal, number: int, call: RunCall, key: str = "") -> NotedCall:
    state, sent = journal.state(number), journal.sent(number)
    last = None if state is EntryState.NEW else journal.last(number)
    return NotedCall(number, call, sent.k if sent else key, state, sent, last)


def of_import(
    items: Iterable[InputItem], journal: Journal, header: RunHeader, operation: Operation
) -> Iterator[NotedCall]:
    """Yield a call for each item of an import, with its state in the journal."""
    several = profiles.is_several(header.selection)
    targets: dict[str | None, tuple[str, str]] = {
        (name if several else None): (address, account) for name, address, account in header.targets
    }
    only = header.targets[0][0] or None if header.targets and not several else None
    for item in items:
        address, account = targets.get(item.profile, ("", ""))
        body = None if item.body is None else item.body.decode("utf-8", "replace")
        call = RunCall(
            item.profile if several else only,
            address,
            account,
            operation.command,
            item.identifier,
            header.query,
            body,
            item.number,
        )
        yield _noted(journal, item.number, call)


def _imported(
    catalogue: Catalogue, header: RunHeader, states: Container[EntryState]
) -> Iterator[NotedCall]:
    journal, head = import_journal.open_to_read(Path(header.path))
    with closing(journal):
        if (choices := head.choices) is None:
            raise _older(header)
        operation = _operation(catalogue, header.command.split(" ")[1], choices["--operation"])
        shape = RecordShape.from_operation(operation, catalogue.service)
        options = ReadingOptions(
            choices.get("--format"), choices.get("--delimiter"), "--trim-header" in choices
        )
        path = Path(header.inputs[0])
        with closing(input_file.examine(path, shape, options)) as source:
            _check(path, source.file, head.sha256)
            reshape = RecordMap(choices["--map"]) if "--map" in choices else None
            names = [name for name, _, _ in header.targets]
            rules = ItemRules(
                operation,
                catalogue.service,
                reshape,
                names if profiles.is_several(header.selection) else None,
            )
            lines = (line for line in source.lines() if journal.state(line.number) in states)
            items = input_records.items(lines, rules)
            yield from of_import(items, journal, header, operation)


def _planned(header: RunHeader, states: Container[EntryState]) -> Iterator[NotedCall]:
    words, paths = header.words, (header.path, *header.paths)
    only = words[words.index("--only") + 1] if "--only" in words else None
    with ExitStack() as stack:
        parts = []
        # Check all plans before yielding the first call.
        for place, name in zip(paths, header.inputs, strict=True):
            journal, head = apply_journal.open_to_read(Path(place))
            stack.callback(journal.close)
            plan = stack.enter_context(closing(_opened(Path(name))))
            _check(plan.path, plan, head.plan)
            parts.append((place, journal, plan))
        for place, journal, plan in parts:
            for noted in _calls_of_plan(plan, journal, header):
                chosen = noted.state is not EntryState.NEW or only in {None, _name(noted.call)}
                if chosen and noted.state in states:
                    yield noted._replace(path=place if header.paths else "")


def _name(call: RunCall) -> str:
    return call.operation.rpartition(" ")[2]


def _calls_of_plan(plan: UnchangedFile, journal: Journal, header: RunHeader) -> Iterator[NotedCall]:
    with plan.reader() as content:
        lines = enumerate(input_bounds.lines(content, str(plan.path)), 1)
        head = msgspec.json.decode(next(lines)[1], type=_PlanHead)
        target = next(
            (
                entry
                for entry in header.targets
                if entry[2] == head.to.account and entry[1].startswith(head.to.origin)
            ),
            None,
        )
        if target is None:
            raise StateError(f"{plan.path} is for no connection of run {header.run}")
        for number, text in lines:
            line = msgspec.json.decode(text, type=_PlanLine)
            identifier = None if line.id is None else str(line.id)
            command = f"{head.resource.replace('/', ' ')} {line.operation}"
            body = bytes(line.body).decode("utf-8") or None
            call = RunCall(*target, command, identifier, body=body, line=number)
            yield _noted(journal, number, call)


def _older(header: RunHeader) -> StateError:
    return StateError(
        f"run {header.run} was begun by an older version, which did not record its connections"
    )


def _opened(path: Path) -> UnchangedFile:
    try:
        return UnchangedFile(path)
    except (OSError, regular_file.NotRegularError):
        raise StateError(f"{path} cannot be read") from None


def _check(path: Path, file: UnchangedFile, sha256: str) -> None:
    """Raise StateError if a file has changed since the run began."""
    if file.sha256 != sha256:
        raise StateError(f"{path} has changed since the run began")


def _operation(catalogue: Catalogue, resource: str, name: str) -> Operation:
    api, _, last = resource.partition("/")
    try:
        return catalogue.apis[api].resources[last].operations[name]
    except KeyError:
        raise StateError(
            f"the run calls {resource} {name}, but there is no such operation now"
        ) from None
