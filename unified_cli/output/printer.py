"""Print records page by page, in any format, or as one document for a jq program."""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

import msgspec

from unified_cli.errors import IncompleteError, UsageError
from unified_cli.json_text.members import Record, keys, string
from unified_cli.output import formats, stdout, terminal
from unified_cli.output.formats import Format
from unified_cli.output.record_writer import RecordWriter, Style
from unified_cli.output.transform import ColumnCheck, Transform, writer
from unified_cli.runtime import Runtime

if TYPE_CHECKING:
    from unified_cli.output.jq_program import JqProgram

_LONGEST_HELD = 1024 * 1024
_BY_RECORD = "on a list, -o ndjson runs the program on each record"
LARGEST_DOCUMENT = 32 * 1024 * 1024
"""The most bytes of a document for a jq program, because jq needs twenty times as much
memory.
"""


class Printer:
    """Writes each page immediately or, with `gathers`, at `flush`. `end` completes the
    output.

    With `strict`, it is an error if no record has any of the chosen columns. Rows are
    held back until a record has at least one of these columns.
    """

    def __init__(
        self,
        runtime: Runtime,
        style: Style,
        program: "JqProgram | None" = None,
        *,
        strict: bool = True,
        gathers: bool = False,
    ) -> None:
        self._runtime = runtime
        self._style = style
        self._json_view = stdout.JsonView(colour=style.colour)
        whole = program is not None and style.format.document
        chosen = style.columns if style.format.json or style.format.document else ()
        self._transform = Transform(
            None if whole else program, chosen, ColumnCheck.from_style(style)
        )
        self._strict = strict
        self._held = b""
        self._gathers = gathers
        self._gathered: list[bytes] = []
        self._whole = whole
        self._writer: RecordWriter = (
            JqDocument(style, program) if program and whole else writer(style)
        )
        self.torn = False
        """Whether the last page was interrupted and may be partly written."""

    def page(
        self,
        records: Sequence[Record],
        *,
        one_line: bool,
        large: bool = False,
        profile: str | None = None,
    ) -> None:
        """Write some records.

        `profile` is added to each record as its first member. `one_line` means that no
        record contains a line break, and `large` that the records are processed in
        slices.
        """
        slices = self._transform.slices(records, profile, large=large)
        for data in self._writer.page(slices, one_line=one_line):
            self.torn = True
            self._put(data)
        self.torn = False

    @property
    def is_written(self) -> bool:
        """Whether all gathered output has been written."""
        return not self._gathered

    def flush(self) -> None:
        """Write the gathered output in one piece."""
        if self._gathered:
            data, self._gathered = b"".join(self._gathered), []
            stdout.write(self._runtime, [data])

    def end(self, next_cursor: str | None = None) -> list[str]:
        """Complete the output, print its notes to stderr, and return the missing
        parts.

        If programs read the rows, the missing parts include misspelt columns. Raises
        UsageError if no record has any of the chosen columns.
        """
        check = self._transform.check
        if self._strict and (error := check.error()):
            raise error
        self._put(self._writer.end(next_cursor))
        self.flush()
        misspelt = check.misspelt() if self._strict and self._style.format.delimiter else ()
        for note in (*self._transform.notes(), *self._writer.notes()):
            if note not in misspelt:
                self._runtime.stderr.note(note)
        return [*self.left_out(), *self._writer.missing_parts(), *misspelt]

    def left_out(self) -> Sequence[str]:
        """Return a sentence about the records that have been left out so far, or
        nothing.
        """
        return self._transform.missing_parts()

    def _put(self, data: bytes) -> None:
        if self._strict and self._transform.check.found_nothing and len(self._held) < _LONGEST_HELD:
            self._held += data
            return
        data, self._held = self._held + data, b""
        if not data:
            return
        style = self._style
        if self._whole:
            put(self._runtime, data, style)
        elif style.format.for_people and style.width is not None:
            stdout.show(self._runtime, [terminal.styled(data.decode(style.encoding))])
        elif style.format.json and (style.colour or style.width is not None):
            stdout.show(self._runtime, self._json_view.pieces(data))
        elif style.width is not None:
            stdout.write(self._runtime, [data])
        else:
            self._gathered.append(data)
            if not self._gathers or sum(map(len, self._gathered)) >= _LONGEST_HELD:
                self.flush()


def style_for(
    runtime: Runtime, form: Format, items: str, cursor: str, *, screen: bool = True
) -> Style:
    """Return the style of a list that is written to stdout or, without `screen`, to a
    file.

    `items` is the name of the member of a page that has the records, and `cursor` the
    name of the member with the next cursor.
    """
    terminal_there = screen and runtime.stdout_is_terminal
    return Style(
        form,
        items=items,
        cursor=cursor,
        width=runtime.width if terminal_there else None,
        colour=screen and runtime.has_colour(),
        pretty=terminal_there or (screen and runtime.pretty),
        encoding=runtime.encoding if terminal_there else "utf-8",
        ellipsis=terminal.ellipsis(runtime),
    )


class JqDocument(RecordWriter):
    """Collects all records in one document, and writes the results of a jq program."""

    def __init__(self, style: Style, program: "JqProgram") -> None:
        super().__init__(style, {})
        self._program = program
        self._records: list[Record] = []
        self._size = 0
        self._null: Sequence[str] = ()

    # Nothing is written yet.
    def add(self, records: Sequence[Record], *, one_line: bool) -> Iterator[bytes]:  # noqa: ARG002
        """Collect the records, and yield nothing.

        Raises UsageError if the document becomes too large.
        """
        self._records += records
        self._size += sum(map(len, records))
        _check(self._size)
        return iter(())

    def end(self, next_cursor: str | None) -> bytes:
        """Return the program's results as JSON text.

        The input of the program is an object with the records and, for a list, the
        cursor.
        """
        members = [msgspec.json.encode(self._style.items) + b":[" + b",".join(self._records) + b"]"]
        if self._style.listing:
            members.append(
                msgspec.json.encode(self._style.cursor) + b":" + msgspec.json.encode(next_cursor)
            )
        text = render(self._program, b"{" + b",".join(members) + b"}", self._style)
        self._null = null_notes(text, self._style, self._program)
        return text

    def notes(self) -> Sequence[str]:
        """Return warnings about the results of the program."""
        return [*self._null, *self._program.notes()]


def null_notes(
    text: bytes, style: Style, program: "JqProgram", record: bytes = b""
) -> Sequence[str]:
    """Return a hint if a program gives null or nothing, probably because its input is
    not what the user expected.

    For example, a program for one record gets a page, or names a member that the record
    does not have.
    """
    found = {b"null": "null", b"": "nothing"}.get(text.strip())
    if not style.listing and found and program.names(f".{style.items}"):
        return [f"--jq gives {found}: its input is the record itself, without .{style.items}"]
    if record and found == "null" and (unknown := program.unknown_member(record)):
        near = get_close_matches(unknown, [*keys(record)], 1)
        meant = f" (did you mean .{near[0]}?)" if near else ""
        return [f'--jq gives null: the record has no "{unknown}"{meant}']
    # A program that names the records is meant for a page.
    if not style.listing or found is None or (not text and program.names(style.items)):
        return []
    return [
        f"--jq gives {found}: its input is the whole page, and .{style.items}[] gives the records"
    ]


def _check(size: int) -> None:
    if size > LARGEST_DOCUMENT:
        raise UsageError(
            f"--jq takes a document of at most {LARGEST_DOCUMENT >> 20} MiB",
            hint=_BY_RECORD,
        )


def render(program: "JqProgram", body: bytes, style: Style) -> bytes:
    """Return a program's results for a document.

    Strings are printed without quotes. In YAML each result is a document. Raises
    UsageError if the document is too large, and IncompleteError if jq cannot represent
    it.
    """
    _check(len(body))
    try:
        values = program.run(body)
    except IncompleteError as error:
        if style.listing:
            error.add_hint(_BY_RECORD)
        raise
    if style.format is formats.YAML:
        return b"---\n".join(b"".join(in_yaml(value)) for value in values)
    view = stdout.JsonView(colour=style.colour)
    return "".join(f"{_result(value, style, view)}\n" for value in values).encode(
        "utf-8", "backslashreplace"
    )


def in_yaml(document: bytes) -> Iterator[bytes]:
    """Yield the parts of a JSON document in YAML."""
    from unified_cli.output.yaml_text import convert  # noqa: PLC0415  only where it is asked for

    yield from convert(document)


def _result(value: bytes, style: Style, view: stdout.JsonView) -> str:
    on_terminal = style.width is not None
    if value.startswith(b'"'):
        found = string(value)
        return terminal.lines_visible(found) if on_terminal else found
    document = stdout.pretty(value) if style.pretty else value
    if not (on_terminal or style.colour):
        return document.decode("utf-8")
    return "".join(view.pieces(document))


def put(runtime: Runtime, data: bytes, style: Style) -> None:
    """Write the output of `render`."""
    if style.width is not None and style.format is not formats.YAML:
        # Control characters are already escaped.
        stdout.show(runtime, [terminal.styled(data.decode("utf-8"))])
    else:
        stdout.write(runtime, [data])
