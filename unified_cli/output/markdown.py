"""Write aligned Markdown tables. Markup in cells is escaped."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from unified_cli.json_text.members import Parts, Record
from unified_cli.json_text.record_columns import pick
from unified_cli.masking import visible
from unified_cli.output.record_writer import Style, WriterMemory
from unified_cli.output.table import Table, shown
from unified_cli.output.table_columns import AHEAD, NEVER
from unified_cli.text_width import pad, width

_BREAK = re.compile(r"\r\n?|\n")
# Links, code, emphasis, HTML, entities, formulas and GitLab's diff markers. An
# underscore within a word is safe.
_MARKUP = re.compile(r"[\\`*\[<|~$]|&(?=[#\w])|_(?![^\W_])|(?<![^\W_])_|\{(?=[-+])")
# An HTML comment is written after these characters, so that GitHub and GitLab neither
# notify a user nor link to another issue.
_MENTION = re.compile(r"(?<!\w)[@#](?=\w)")
_COMMENT = "<!-- -->"
_NARROWEST, _WIDEST = 3, 60
_FIELD_HEADS = ("field", "value")


class Markdown(Table):
    """A table of records with a header, or a table of a single record with a row for
    each field. Cells are never cut.
    """

    def __init__(self, style: Style, memory: WriterMemory) -> None:
        listing = style.listing or bool(style.columns)
        super().__init__(style._replace(width=None, listing=listing), memory)

    def _head(self, sizes: Mapping[str, int]) -> Iterator[str]:
        yield self._line(map(escaped, sizes), sizes.values())
        yield _rule(sizes.values())

    def _cell(self, value: bytes | None) -> str:
        return escaped(shown(value))

    def _candidates(self, slices: Iterable[Sequence[Record]]) -> list[str]:
        style, result = self._style, super()._candidates(slices)
        if not (style.first and style.known and style.expects(result)):
            return result
        # The first page may be of any connection, so it must not define the columns.
        names = dict.fromkeys([*style.first, *AHEAD, *style.known])
        return [name for name in names if name not in NEVER]

    def _measure(self, slices: Iterable[Sequence[Record]]) -> dict[str, int]:
        found = super()._measure(slices)
        return {
            column: _column_width(max(size, width(escaped(column))))
            for column, size in found.items()
        }

    def _field_lines(self, members: Parts) -> Iterator[str]:
        columns = self._style.columns or members
        yield from table(
            _FIELD_HEADS, ([column, shown(pick(members, column))] for column in columns)
        )

    def _line(self, cells: Iterable[str], sizes: Iterable[int]) -> str:
        return _line(cells, sizes)


def escaped(text: str) -> str:
    """Return the text escaped for a Markdown cell."""
    safe = visible(_BREAK.sub("\n", text.replace("\t", " ")), but="\n")
    safe = _MENTION.sub(rf"\g<0>{_COMMENT}", _MARKUP.sub(r"\\\g<0>", safe))
    return safe.replace("\n", "<br>")


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table."""
    first, *others = [[*map(escaped, row)] for row in (heads, *rows)]
    sizes = [_column_width(max(map(width, column))) for column in zip(first, *others, strict=True)]
    yield _line(first, sizes)
    yield _rule(sizes)
    yield from (_line(row, sizes) for row in others)


def document(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """Return the whole table."""
    lines = "".join(f"{line}\n" for line in table(heads, rows))
    return lines.encode("utf-8", "backslashreplace")


def _line(cells: Iterable[str], sizes: Iterable[int]) -> str:
    padded = (pad(cell, size) for cell, size in zip(cells, sizes, strict=True))
    return f"| {' | '.join(padded)} |"


def _rule(sizes: Iterable[int]) -> str:
    return _line(("-" * size for size in sizes), sizes)


def _column_width(size: int) -> int:
    return min(max(size, _NARROWEST), _WIDEST)
