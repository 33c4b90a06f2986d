"""A jq program for one document, such as all records of a list, and how its results look."""

from collections.abc import Iterator, Sequence

import msgspec

from unified_cli.errors import UsageError
from unified_cli.json_text.members import Record
from unified_cli.json_text.values import Json
from unified_cli.output import stdout, terminal
from unified_cli.output.jq_program import JqProgram, as_json
from unified_cli.output.record_writer import RecordWriter, Style
from unified_cli.runtime import Runtime

LARGEST_DOCUMENT = 32 * 1024 * 1024
"""Bytes of a document for a jq program, which takes about twenty times as much memory."""


class JqDocument(RecordWriter):
    """Collects all records into one document, and writes the results of a jq program for it."""

    def __init__(self, style: Style, program: JqProgram) -> None:
        super().__init__({})
        self._style = style
        self._program = program
        self._records: list[Record] = []
        self._size = 0

    def add(self, records: Sequence[Record], *, one_line: bool) -> Iterator[bytes]:  # noqa: ARG002  nothing is written yet
        """Nothing, for now. Raises UsageError for more than a document may hold."""
        self._records += records
        self._size += sum(len(memoryview(record)) for record in records)
        _check(self._size)
        return iter(())

    def end(self, next_cursor: str | None) -> bytes:
        """The results for an object with the records and, where they are a list, the cursor."""
        members = [msgspec.json.encode(self._style.items) + b":[" + b",".join(self._records) + b"]"]
        if self._style.listing:
            members.append(msgspec.json.encode(self._style.cursor) + b":" + msgspec.json.encode(next_cursor))
        return render(self._program, b"{" + b",".join(members) + b"}", self._style)

    def remarks(self) -> Sequence[str]:
        """What the program may have changed."""
        return self._program.remarks()


def _check(size: int) -> None:
    if size > LARGEST_DOCUMENT:
        raise UsageError(
            f"--jq takes a document of at most {LARGEST_DOCUMENT >> 20} MiB",
            hint="on a list, -o ndjson runs the program on each record",
        )


def render(program: JqProgram, body: bytes, style: Style) -> bytes:
    """The results of a program for a document: texts without quotes, all others as JSON that looks like any other.

    In YAML each is a document. Raises UsageError for a document that is too large.
    """
    _check(len(body))
    values = program.run(body)
    if style.format == "yaml":
        from unified_cli.output.yaml_text import dump as dump_yaml  # noqa: PLC0415  only where it is asked for

        return b"---\n".join(dump_yaml(value) for value in values)
    return "".join(f"{_result(value, style)}\n" for value in values).encode("utf-8", "backslashreplace")


def _result(value: Json, style: Style) -> str:
    on_terminal = style.width is not None
    if isinstance(value, str):
        return terminal.lines_visible(value) if on_terminal else value
    document = as_json(value).encode("utf-8", "backslashreplace")
    document = stdout.pretty(document) if style.pretty else document
    if not (on_terminal or style.colour):
        return document.decode("utf-8")
    return "".join(stdout.shown(document, colour=style.colour))


def put(runtime: Runtime, data: bytes, style: Style) -> None:
    """Write what `render` gave."""
    if style.width is not None and style.format != "yaml":
        # What is foreign in it is visible already.
        stdout.show(runtime, [terminal.styled(data.decode("utf-8"))])
    else:
        stdout.write(runtime, [data])
