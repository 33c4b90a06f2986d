"""The part of a report about past work: recent runs, exports, and earlier checks.

Runs are shown with the causes of their failures. Earlier checks are read from files:
the output of `schema --against -o json`, and the JUnit XML that another command wrote
because of the option `--junit`.
"""

import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from xml.parsers import expat

import msgspec

from unified_cli import os_limits
from unified_cli.cli.command import CommandContext
from unified_cli.cli.options import overrides
from unified_cli.commands.report.command import ReportOptions
from unified_cli.commands.report.page import (
    CausedOutcome,
    CheckedExpectations,
    DriftedShape,
    ExportedResource,
    FailedCase,
    SchemaDrift,
    ShownExport,
    ShownRun,
    ShownRuns,
)
from unified_cli.config import file
from unified_cli.errors import ConfigError, StateError, StorageError, UnifiedError, UsageError
from unified_cli.exported import export_state, list_history
from unified_cli.exported.local_folder import LocalFolder
from unified_cli.exported.manifest import ManifestEntry, no_export
from unified_cli.hints import quoted
from unified_cli.json_text.record_label import LABEL
from unified_cli.runtime import Runtime
from unified_cli.storage import input_bounds, regular_file
from unified_cli.writes import run_state
from unified_cli.writes.connections import RunConnections
from unified_cli.writes.registry import RunRegistry
from unified_cli.writes.run import StoredRun
from unified_cli.writes.run_state import KnownRun
from unified_cli.writes.state_words import DONE, UNREADABLE
from unified_cli.writes.summary import RunSummary

DAYS = 14
_MOST_RUNS = 100
_MOST_GAPS = 50


def runs(context: CommandContext, options: ReportOptions, found: Sequence[KnownRun]) -> ShownRuns:
    """Return the recent runs among the `found` runs.

    If another user could have written the journal of a run, the run is counted, but not
    shown.
    """
    begin = context.runtime.wall() - DAYS * 86400
    own = [run for run in found if not run.foreign]
    recent = [run for run in own if run.header and run.began_at >= begin][:_MOST_RUNS]
    # If the header of a journal cannot be read, its run is counted, but not shown. The
    # state of a run is also UNREADABLE if its export was removed or is in a store. Such
    # a run has a header, so it is shown.
    unread = sum(run.state == UNREADABLE and run.header is None for run in own)
    return ShownRuns(
        shown=[_shown(context, options, run) for run in recent],
        states=Counter(run.state for run in own),
        foreign=len(found) - len(own),
        days=DAYS,
        unseen=f"{unread} of the journals cannot be read" if unread else "",
    )


def _shown(context: CommandContext, options: ReportOptions, one: KnownRun) -> ShownRun:
    counts = one.counts or Counter[str]()
    outcomes = {name: counts[name] for name in run_state.COUNTED}
    run = ShownRun(
        id=one.id,
        started=str(one.row()["started"]),
        command=one.command,
        state=one.state,
        outcomes=outcomes,
        next=one.next_command or "",
    )
    if one.header is None or one.header.path or one.state == DONE:
        return run
    runtime = context.runtime
    try:
        with StoredRun.open_to_read(RunRegistry(runtime), run.id) as stored:
            header = stored.header
            flags = overrides(options)._replace(
                output=None, base_url=header.base_url or None, account_id=header.account_id or None
            )
            connections = RunConnections(runtime, context.catalogue, file.read(runtime), flags)
            summary = RunSummary(stored, connections, runtime.wall(), {})
            causes = [
                CausedOutcome(
                    outcome=cause.outcome, number=group.count, why=group.why, named=group.named
                )
                for cause, group in summary.causes
            ]
    except (UnifiedError, OSError, ValueError, OverflowError):
        # The journal was removed or damaged after it was listed, so the run is shown
        # without causes.
        return run
    return msgspec.structs.replace(run, causes=causes, next=summary.next_command or "")


def destinations(found: Sequence[KnownRun]) -> list[str]:
    """Return the folders and the stores to which these runs exported."""
    exports = (run for run in found if run.command.startswith("export "))
    return [*dict.fromkeys(export.header.path for export in exports if export.header)]


def exports(
    runtime: Runtime, folders: Sequence[str], written: Sequence[str]
) -> Iterator[ShownExport]:
    """Yield the exports in `folders` and in `written`, the destinations of this user's
    runs.

    Only the files in `folders` are compared with the manifest.
    """
    asked = {os_limits.absolute(Path(text)) for text in folders}
    for folder in folders:
        yield _export(runtime, Path(folder), verify=True)
    for destination in written:
        path = Path(destination)
        # Ignore a folder that was removed.
        if path.is_absolute() and path not in asked and path.is_dir():
            yield _export(runtime, path, verify=False)


def check_export(runtime: Runtime, folder: str) -> None:
    """Raise StateError if the folder has no export.

    Raises UsageError if `folder` is a store, and StorageError if it cannot be read.
    """
    if "://" in folder:
        raise UsageError(
            f"--export {folder} is not a folder on this machine",
            hint=f"unified export --verify {quoted(folder)}",
        )
    if not LocalFolder(runtime, Path(folder)).manifests():
        raise no_export(folder)


def _export(runtime: Runtime, path: Path, *, verify: bool) -> ShownExport:
    folder = LocalFolder(runtime, path)
    try:
        manifests = export_state.manifests(folder).values()
        differences = export_state.verify(folder).differences if verify else []
    except (StateError, StorageError, ConfigError) as error:
        return _unreadable_export(path, error)
    entries = export_state.all_lists(manifests)
    gaps = [
        f"{entry.file}: {entry.gap or 'not read yet'}"
        for entry in entries.values()
        if not entry.complete and entry.offered
    ]
    ended = max((manifest.ended or "" for manifest in manifests), default="")
    return ShownExport(
        folder=str(path),
        ended=ended if all(manifest.ended for manifest in manifests) else "",
        age=_age(runtime, ended),
        lists=_exported_resources(entries),
        complete=sum(entry.complete for entry in entries.values()),
        gaps=[
            *gaps[:_MOST_GAPS],
            *([f"and {len(gaps) - _MOST_GAPS} more"] if len(gaps) > _MOST_GAPS else []),
        ],
        not_offered=sum(not entry.offered for entry in entries.values()),
        records=sum(entry.records for entry in entries.values() if entry.complete),
        verified=verify,
        differences=differences[:_MOST_GAPS],
    )


def _unreadable_export(path: Path, error: UnifiedError) -> ShownExport:
    return ShownExport(
        folder=str(path),
        ended="",
        age=0,
        lists=[],
        complete=0,
        gaps=[],
        not_offered=0,
        records=0,
        verified=False,
        unseen=error.one_line,
    )


def _age(runtime: Runtime, ended: str) -> int:
    try:
        return max(0, round(runtime.wall() - datetime.fromisoformat(ended).timestamp()))
    except ValueError:
        return 0


def _exported_resources(entries: "dict[str, ManifestEntry]") -> list[ExportedResource]:
    groups = defaultdict[str, list[ManifestEntry]](list)
    for entry in entries.values():
        if entry.offered:
            groups[f"{entry.api}/{entry.resource}"].append(entry)
    found = [
        ExportedResource(
            name=name,
            complete=sum(entry.complete for entry in own_entries),
            lists=len(own_entries),
            records=sum(entry.records for entry in own_entries if entry.complete),
            oldest=min(
                (list_history.read_at(entry, entries) for entry in own_entries if entry.complete),
                default="",
            ),
        )
        for name, own_entries in groups.items()
    ]
    return sorted(found, key=lambda resource: (-resource.records, resource.name))


_MOST_SHOWN = 500
_DEEPEST = 64
_OUTCOMES = {"failure": "failed", "error": "not read", "skipped": "skipped"}
_SCHEMA_HINT = "unified schema … --against … -o json > FILE writes such a file"
_JUNIT_HINT = "--expect … --junit FILE writes such a file"


class _Difference(msgspec.Struct):
    """A difference as `schema --against -o json` prints it."""

    profile: str = msgspec.field(name=LABEL)
    kind: str
    path: str
    before: str
    now: str


def drift(runtime: Runtime, file: str) -> SchemaDrift:
    """Return the differences in a file, each with its connections.

    Raises UsageError if the file is of another kind, and StorageError if reading fails.
    """
    text, age = _content(runtime, file)
    try:
        found = msgspec.convert(json.loads(text), list[_Difference])
    except (ValueError, RecursionError):
        raise UsageError(f"{file} holds no differences of a schema", hint=_SCHEMA_HINT) from None
    groups = defaultdict[tuple[str, str, str, str], list[str]](list)
    for difference in found:
        groups[difference.kind, difference.path, difference.before, difference.now].append(
            difference.profile
        )
    differences = [
        DriftedShape(kind=kind, path=path, before=before, now=now, connections=names)
        for (kind, path, before, now), names in groups.items()
    ]
    return SchemaDrift(file=file, age=age, differences=differences)


def expectations(runtime: Runtime, file: str) -> CheckedExpectations:
    """Return the tests in a file of JUnit XML.

    Raises UsageError if the file is of another kind or has a DTD, and StorageError if
    reading fails.
    """
    text, age = _content(runtime, file)
    reader = _JUnitReader()
    try:
        reader.read(text)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise UsageError(f"{file} is no JUnit XML: {error}", hint=_JUNIT_HINT) from None
    outcomes = {word: reader.outcomes[word] for word in ("passed", *_OUTCOMES.values())}
    return CheckedExpectations(
        file=file,
        age=age,
        connections=reader.suites,
        outcomes=outcomes,
        failed=reader.failed[:_MOST_SHOWN],
    )


def _content(runtime: Runtime, file: str) -> tuple[bytes, int]:
    """Return the contents of a file, and its age in seconds.

    Raises UsageError if the file is too large, and StorageError if it cannot be read.
    """
    try:
        with os.fdopen(regular_file.descriptor(Path(file), follow=True), "rb") as content:
            age = runtime.wall() - os.fstat(content.fileno()).st_mtime
            return input_bounds.whole(content, file), max(0, round(age))
    except OSError as error:
        raise StorageError(f"cannot read {file}: {error.strerror}") from None


@dataclass(slots=True)
class _JUnitReader:
    """Reads the tests in an untrusted document.

    Entities are never expanded, and other files never read.
    """

    suites: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    failed: list[FailedCase] = field(default_factory=list)
    _path: list[str] = field(default_factory=list)
    _suite: str = ""
    _case: str = ""
    _outcome: str = ""
    _message: str = ""

    def read(self, text: bytes) -> None:
        """Read the document.

        Raises ExpatError if the document is not XML. Raises ValueError if the document
        has a DTD, if its root is not a test suite, or if its elements are nested too
        deeply.
        """
        parser = expat.ParserCreate()
        parser.StartDoctypeDeclHandler = self._refuse
        parser.StartElementHandler = self._begin
        parser.EndElementHandler = self._end
        parser.Parse(text, True)

    def _refuse(self, *_declared: object) -> None:
        raise ValueError("it has a document type, which this program never writes")

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        if not self._path and name not in {"testsuites", "testsuite"}:
            raise ValueError(f"it begins with {name!r}")
        if len(self._path) == _DEEPEST:
            raise ValueError("its elements are nested too deeply")
        self._path.append(name)
        if name == "testsuite":
            self.suites += 1
            self._suite = attributes.get("name", "")
        elif name == "testcase":
            # With several connections, the class name begins with the name of the
            # connection. Remove this name, because the connection has its own column.
            classname = attributes.get("classname", "").removeprefix(f"{self._suite}.")
            self._case = " ".join(filter(None, (classname, attributes.get("name", ""))))
            self._outcome = "passed"
        elif name in _OUTCOMES and self._path[-2] == "testcase":
            self._outcome, self._message = _OUTCOMES[name], attributes.get("message", "")

    def _end(self, name: str) -> None:
        self._path.pop()
        if name != "testcase":
            return
        self.outcomes[self._outcome] += 1
        if self._outcome in {"failed", "not read"}:
            self.failed.append(
                FailedCase(
                    connection=self._suite,
                    name=self._case,
                    outcome=self._outcome,
                    message=self._message,
                )
            )
