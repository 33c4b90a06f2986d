"""The choice of a format of records."""

from collections.abc import Callable

from unified_cli.errors import UsageError
from unified_cli.output.record_writer import RecordWriter, WriterMemory
from unified_cli.output.style import Style


def writer(style: Style, memory: WriterMemory | None = None) -> RecordWriter:
    """The writer of a format; it continues after one with this memory."""
    return _MAKERS[style.format](style, memory or {})


def _json(style: Style, memory: WriterMemory) -> RecordWriter:
    from unified_cli.output.json_records import JsonDocument  # noqa: PLC0415  only the format asked for is imported

    return JsonDocument(style, memory)


def _lines(style: Style, memory: WriterMemory) -> RecordWriter:
    from unified_cli.output.json_records import Ids, Lines  # noqa: PLC0415  as above

    return Ids(memory) if style.format == "ids" else Lines(memory)


def _delimited(style: Style, memory: WriterMemory) -> RecordWriter:
    from unified_cli.output.delimited import Delimited  # noqa: PLC0415  as above

    return Delimited(style, memory)


def _table(style: Style, memory: WriterMemory) -> RecordWriter:
    from unified_cli.output.table import Table  # noqa: PLC0415  as above

    return Table(style, memory)


def _yaml(style: Style, memory: WriterMemory) -> RecordWriter:
    from unified_cli.output.yaml_text import Yaml  # noqa: PLC0415  as above

    return Yaml(style, memory)


def _none(style: Style, _: WriterMemory) -> RecordWriter:
    raise UsageError(f"-o {style.format} prints one answer as served, so records cannot be selected (-o json can)")


_MAKERS: dict[str, Callable[[Style, WriterMemory], RecordWriter]] = {
    "json": _json,
    "ndjson": _lines,
    "ids": _lines,
    "csv": _delimited,
    "tsv": _delimited,
    "table": _table,
    "yaml": _yaml,
    "raw": _none,
}
