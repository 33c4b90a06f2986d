"""Records on stdout, page by page, in any format, safe for a terminal."""

from collections.abc import Sequence

from unified_cli.catalogue import Service
from unified_cli.json_text.members import Record
from unified_cli.output import jq_document, stdout, terminal
from unified_cli.output.jq_document import JqDocument
from unified_cli.output.jq_program import JqProgram
from unified_cli.output.record_writer import RecordWriter, Style
from unified_cli.output.transform import ColumnCheck, Transform, writer
from unified_cli.runtime import Runtime

_JSON = {"json", "ndjson"}
_DOCUMENTS = {"json", "yaml"}


_LONGEST_HELD = 1024 * 1024


class Printer:
    """Writes each page at once; `end` completes the output.

    With `strict` it is an error that no record has any of the chosen columns: rows that are blank for this reason are
    held back. What a write has done is printed in any case.
    """

    def __init__(
        self, runtime: Runtime, style: Style, program: JqProgram | None = None, *, strict: bool = True
    ) -> None:
        self._runtime = runtime
        self._style = style
        whole = program is not None and style.format in _DOCUMENTS
        chosen = style.columns if style.format in _JSON | _DOCUMENTS else ()
        self._transform = Transform(None if whole else program, chosen, ColumnCheck.of(style))
        self._strict = strict
        self._held = b""
        self._whole = whole
        self._writer: RecordWriter = JqDocument(style, program) if program and whole else writer(style)
        self.torn = False
        """A page was being written when it ended, so part of it may be there."""

    def page(
        self, records: Sequence[Record], *, one_line: bool, large: bool = False, profile: str | None = None
    ) -> None:
        """Write some records; `profile` is the connection that each names in its first member.

        `one_line` says that no record holds a line break, `large` that the records are to be worked on in slices.
        """
        slices = self._transform.slices(records, profile, large=large)
        for data in self._writer.page(slices, one_line=one_line):
            self.torn = True
            self._put(data)
        self.torn = False

    def end(self, next_cursor: str | None = None) -> list[str]:
        """Complete the output and write its remarks to stderr; gives what is missing from it.

        Raises UsageError where no record has any of the chosen columns.
        """
        if self._strict and (error := self._transform.check.error()):
            raise error
        self._put(self._writer.end(next_cursor))
        for remark in (*self._transform.remarks(), *self._writer.remarks()):
            self._runtime.stderr.note(remark)
        return [*self._writer.shortcomings()]

    def _put(self, data: bytes) -> None:
        if self._strict and self._transform.check.found_nothing and len(self._held) < _LONGEST_HELD:
            self._held += data
            return
        data, self._held = self._held + data, b""
        if not data:
            return
        style = self._style
        if self._whole:
            jq_document.put(self._runtime, data, style)
        elif style.format == "table" and style.width is not None:
            stdout.show(self._runtime, [terminal.styled(data.decode(style.encoding))])
        elif style.format in _JSON and (style.colour or style.width is not None):
            stdout.show(self._runtime, stdout.shown(data, colour=style.colour))
        else:
            stdout.write(self._runtime, [data])


def style_for(
    runtime: Runtime,
    service: Service,
    form: str,
    *,
    screen: bool = True,
) -> Style:
    """How a list in that format looks on this stdout, or in a file where it is not for the `screen`."""
    terminal_there = screen and runtime.stdout_is_terminal
    return Style(
        form,
        items=service.items,
        cursor=service.cursor,
        width=runtime.width if terminal_there else None,
        colour=screen and terminal.has_colour(runtime),
        pretty=terminal_there or (screen and runtime.pretty),
        encoding=runtime.encoding if terminal_there else "utf-8",
        ellipsis="…" if runtime.encoding.lower().startswith("utf") else "~",
    )
