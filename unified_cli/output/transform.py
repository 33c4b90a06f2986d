"""What becomes of records before they are written: a jq program, a label, a choice of columns."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from unified_cli.errors import UsageError
from unified_cli.json_text import surrogates
from unified_cli.json_text.members import Record, label, project
from unified_cli.json_text.numbers import changed_by_jq
from unified_cli.json_text.values import JsonObject
from unified_cli.output.style import Style


class JqProgram:
    """A jq program. It computes in doubles, so it remembers whether it met a number that no double holds."""

    def __init__(self, expression: str) -> None:
        """Raises UsageError where the expression cannot be compiled."""
        import jq  # noqa: PLC0415  only for --jq

        try:
            self._program = jq.compile(expression)
        except ValueError as error:
            raise UsageError(f"--jq {_said(error)}") from None
        self._changed = False

    def run(self, text: bytes) -> Iterator[Any]:
        """What the program makes of one JSON text. Raises UsageError where it fails on it."""
        self._changed = self._changed or changed_by_jq(text) is not None
        # jq reads no halves of surrogate pairs; whole pairs are left alone.
        readable = surrogates.without(text)
        self._changed = self._changed or readable != text
        try:
            yield from iter(self._program.input_text(readable.decode("utf-8")))
        except ValueError as error:
            raise UsageError(f"--jq {_said(error)}") from None

    def remarks(self) -> Sequence[str]:
        """What the program may have changed without being asked to."""
        said = "--jq computes in doubles, so some values are not as served (integers beyond 2^53, zeros at the end)"
        return [said] if self._changed else []


def _said(error: ValueError) -> str:
    return " ".join(str(error).removeprefix("jq: ").split())


def dumped(value: Any) -> bytes:
    """A value that jq gave, as JSON on one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


class Transform:
    """Applied to records in this order: the program, the label, the choice of columns."""

    def __init__(self, program: JqProgram | None = None, columns: Sequence[str] = ()) -> None:
        self._program = program
        self._columns = columns

    def apply(self, records: Sequence[Record], name: tuple[str, str] | None = None) -> Sequence[Record]:
        """The records to write; `name` is a key and a value that each gets as its first member."""
        if self._program:
            records = [Record(dumped(value)) for record in records for value in self._program.run(bytes(record))]
        if name:
            records = label(records, *name)
        if self._columns:
            records = [project(record, self._columns) for record in records]
        return records

    def remarks(self) -> Sequence[str]:
        """What may not be as it was served."""
        return self._program.remarks() if self._program else ()


class Queried:
    """A writer that gathers all records into one document, and gives what a jq program makes of it."""

    def __init__(self, look: Style, program: JqProgram) -> None:
        self.memory: JsonObject = {}
        self._look = look
        self._program = program
        self._records: list[Record] = []

    def add(self, records: Sequence[Record], *, one_line: bool) -> bytes:  # noqa: ARG002  nothing is written yet
        """Nothing, for now."""
        self._records += records
        return b""

    def end(self, next_cursor: str | None) -> bytes:
        """What the program gives for `{"result": […], "next_cursor": …}`."""
        members = [msgspec.json.encode(self._look.items) + b":[" + b",".join(self._records) + b"]"]
        if self._look.listing:
            members.append(msgspec.json.encode(self._look.cursor) + b":" + msgspec.json.encode(next_cursor))
        return queried(self._program, b"{" + b",".join(members) + b"}", self._look.format)

    def shortcomings(self) -> Sequence[str]:
        """None."""
        return ()

    def remarks(self) -> Sequence[str]:
        """What the program may have changed."""
        return self._program.remarks()


def queried(program: JqProgram, body: bytes, form: str) -> bytes:
    """What a program makes of a document: a line a value, texts without quotes; or a YAML document a value."""
    if form == "yaml":
        from unified_cli.output.yaml_text import dump  # noqa: PLC0415  only the format asked for is imported

        return b"---\n".join(dump(value) for value in program.run(body))
    values = program.run(body)
    lines = [value.encode("utf-8", "backslashreplace") if isinstance(value, str) else dumped(value) for value in values]
    return b"".join(line + b"\n" for line in lines)
