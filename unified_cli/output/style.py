"""How the output of a run looks: what every format needs to know."""

from collections.abc import Sequence
from typing import NamedTuple


class Style(NamedTuple):
    """How the output is to look.

    `items` and `cursor` are the service's words for them. `columns` are those asked for, `known` those that records are
    known to have, in order. `bom` puts a byte-order mark before CSV. `width` is that of the terminal, None off one;
    `pretty` says that JSON is indented, `listing` that the records are a list, not one alone.
    """

    format: str
    items: str
    cursor: str
    columns: Sequence[str] = ()
    known: Sequence[str] = ()
    safe_cells: bool = False
    bom: bool = False
    width: int | None = None
    colour: bool = False
    pretty: bool = False
    encoding: str = "utf-8"
    ellipsis: str = "…"
    listing: bool = True
    first: Sequence[str] = ()
    """Columns that come before all others."""
