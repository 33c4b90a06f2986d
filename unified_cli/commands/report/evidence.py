"""The files of earlier checks: differences of `schema --against -o json`, and expectations of `--junit`."""

import json
import os
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

import msgspec

from unified_cli.commands.report.page import CheckedExpectations, DriftedShape, FailedCase, SchemaDrift
from unified_cli.errors import StorageError, UsageError
from unified_cli.json_text.record_label import LABEL
from unified_cli.runtime import Runtime
from unified_cli.storage import input_bounds, regular_file

_MOST_SHOWN = 500
_DEEPEST = 64
_OUTCOMES = {"failure": "failed", "error": "not read", "skipped": "skipped"}
_SCHEMA_HINT = "unified schema … --against … -o json > FILE writes one"
_JUNIT_HINT = "--expect … --junit FILE writes one"


class _Difference(msgspec.Struct):
    """A difference as `schema --against -o json` prints it."""

    profile: str = msgspec.field(name=LABEL)
    kind: str
    path: str
    before: str
    now: str


def drift(runtime: Runtime, file: str) -> SchemaDrift:
    """The differences in a file, each once with its connections. Raises UsageError for another file, StorageError."""
    text, age = _content(runtime, file)
    try:
        found = msgspec.convert(json.loads(text), list[_Difference])
    except (ValueError, RecursionError):
        raise UsageError(f"{file} holds no differences of a schema", hint=_SCHEMA_HINT) from None
    groups = defaultdict[tuple[str, str, str, str], list[str]](list)
    for one in found:
        groups[one.kind, one.path, one.before, one.now].append(one.profile)
    differences = [
        DriftedShape(kind=kind, path=path, before=before, now=now, connections=names)
        for (kind, path, before, now), names in groups.items()
    ]
    return SchemaDrift(file=file, age=age, differences=differences)


def expectations(runtime: Runtime, file: str) -> CheckedExpectations:
    """The tests in a file of JUnit XML. Raises UsageError for another file, and for one with a DTD; StorageError."""
    text, age = _content(runtime, file)
    reader = _JUnitReader()
    try:
        reader.read(text)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise UsageError(f"{file} is no JUnit XML: {error}", hint=_JUNIT_HINT) from None
    outcomes = {word: reader.outcomes[word] for word in ("passed", *_OUTCOMES.values())}
    return CheckedExpectations(
        file=file, age=age, connections=reader.suites, outcomes=outcomes, failed=reader.failed[:_MOST_SHOWN]
    )


def _content(runtime: Runtime, file: str) -> tuple[bytes, int]:
    """What is in a file, and how many seconds old it is. Raises StorageError, UsageError for a large one."""
    try:
        with os.fdopen(regular_file.descriptor(Path(file), follow=True), "rb") as content:
            age = runtime.wall() - os.fstat(content.fileno()).st_mtime
            return input_bounds.whole(content, file), max(0, round(age))
    except OSError as error:
        raise StorageError(f"cannot read {file}: {error.strerror}") from None


@dataclass(slots=True)
class _JUnitReader:
    """Takes the tests out of a document, whoever wrote it; nothing that it names is read or expanded."""

    suites: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    failed: list[FailedCase] = field(default_factory=list)
    _path: list[str] = field(default_factory=list)
    _suite: str = ""
    _case: str = ""
    _outcome: str = ""
    _message: str = ""

    def read(self, text: bytes) -> None:
        """Read the document. Raises ExpatError, and ValueError for a DTD, another root and too deep a nesting."""
        parser = expat.ParserCreate()
        parser.StartDoctypeDeclHandler = self._refuse
        parser.StartElementHandler = self._begin
        parser.EndElementHandler = self._end
        parser.Parse(text, True)

    def _refuse(self, *_declared: object) -> None:
        raise ValueError("it has a document type, which nothing that this program wrote has")

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
            self._case = " ".join(filter(None, (attributes.get("classname", ""), attributes.get("name", ""))))
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
                FailedCase(connection=self._suite, name=self._case, outcome=self._outcome, message=self._message)
            )
