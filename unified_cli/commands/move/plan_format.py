"""The lines of a plan: a header that says how it was made, then one call on each line."""

from typing import Literal

import msgspec

from unified_cli.commands.move.side import SideFacts
from unified_cli.masking import MaskedText

VERSION = 1
OPERATIONS = ("create", "update", "delete")
PlannedOperation = Literal["create", "update", "delete"]


NO_JSON = msgspec.Raw()
"""Stands for a body, or what was seen, where there is none."""


class PlanHeader(
    msgspec.Struct, omit_defaults=True, rename={"of_from": "from", "of_to": "to", "version": "unified_plan"}
):
    """How a plan was made: for which resource, of what, and for which connection. `calls` is how many lines follow."""

    version: int
    made: str
    resource: str
    of_from: SideFacts
    of_to: SideFacts
    calls: int
    key: tuple[str, ...] = ()
    map: str | None = None
    ignore: tuple[str, ...] = ()
    set: tuple[str, ...] = ()
    delete: bool = False
    all_fields: bool = False
    ids: bool = False


class PlannedReference(msgspec.Struct):
    """An old id in the body, at this path, for which the new one was not known yet."""

    path: str
    resource: str
    id: str | int


class PlannedCall(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """One call: what it does to which record of the connection, why, and what was `seen` there before.

    `source` is the id of the record that it is made of, `id` that of the record it changes.
    """

    connection: str
    operation: PlannedOperation
    why: MaskedText
    id: str | int | None = None
    source: str | int | None = None
    body: msgspec.Raw = NO_JSON
    seen: msgspec.Raw = NO_JSON
    references: tuple[PlannedReference, ...] = ()
