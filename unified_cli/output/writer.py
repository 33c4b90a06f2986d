"""What every format of records can do, and the choice among them."""

from collections.abc import Callable, Sequence
from typing import Protocol

from unified_cli.errors import UsageError
from unified_cli.json_text.members import Record
from unified_cli.json_text.values import JsonObject
from unified_cli.output.style import Style


class RecordWriter(Protocol):
    """Turns records into bytes, page by page.

    `memory` is what another process needs, beside what is written, to go on in the same file.
    """

    memory: JsonObject

    def add(self, records: Sequence[Record], *, one_line: bool) -> bytes:
        """The records as bytes; `one_line` says that no record holds a line break between its parts."""

    def end(self, next_cursor: str | None) -> bytes:
        """What closes the output; without it nobody can take it for whole."""

    def shortcomings(self) -> Sequence[str]:
        """What is missing from the output though the records had it; the run is then incomplete."""

    def remarks(self) -> Sequence[str]:
        """What the reader should know."""


def writer(style: Style, memory: JsonObject | None = None) -> RecordWriter:
    """The writer of a format, going on where one with this memory stopped."""
    return _MAKERS[style.format](style, memory or {})


def _json(style: Style, memory: JsonObject) -> RecordWriter:
    from unified_cli.output.json_document import JsonDocument  # noqa: PLC0415  only the format asked for is imported

    return JsonDocument(style, memory)


def _lines(style: Style, memory: JsonObject) -> RecordWriter:
    from unified_cli.output.json_lines import Ids, Lines  # noqa: PLC0415  as above

    return Ids(memory) if style.format == "ids" else Lines(memory)


def _delimited(style: Style, memory: JsonObject) -> RecordWriter:
    from unified_cli.output.delimited import Delimited  # noqa: PLC0415  as above

    return Delimited(style, memory)


def _table(style: Style, memory: JsonObject) -> RecordWriter:
    from unified_cli.output.table import Table  # noqa: PLC0415  as above

    return Table(style, memory)


def _yaml(style: Style, memory: JsonObject) -> RecordWriter:
    from unified_cli.output.yaml_text import Yaml  # noqa: PLC0415  as above

    return Yaml(style, memory)


def _none(style: Style, _: JsonObject) -> RecordWriter:
    raise UsageError(f"-o {style.format} prints one answer as it came, so it takes no records apart (-o json does)")


_MAKERS: dict[str, Callable[[Style, JsonObject], RecordWriter]] = {
    "json": _json,
    "ndjson": _lines,
    "ids": _lines,
    "csv": _delimited,
    "tsv": _delimited,
    "table": _table,
    "yaml": _yaml,
    "raw": _none,
}
