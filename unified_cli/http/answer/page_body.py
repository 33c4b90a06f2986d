"""Split a page into its records, in the same pass that checks that it is JSON."""

from functools import lru_cache
from typing import Any, Protocol

import msgspec

from unified_cli.catalogue import Service
from unified_cli.json_text.members import Record


class PageBody(Protocol):
    """The parts of a page, each of them JSON text, `null` if it is missing."""

    items: list[Record]
    cursor: Record
    partial: Record


def split(body: bytes, service: Service) -> PageBody | None:
    """The parts of an object that has records; None for anything else, also for invalid JSON."""
    try:
        return decode(body, service)
    except (msgspec.DecodeError, RecursionError):
        return None


def decode(body: bytes, service: Service) -> PageBody:
    """The parts of an object that has records. Raises msgspec's errors for anything else."""
    found: PageBody = _decoder(service).decode(body)
    return found


@lru_cache
def _decoder(service: Service) -> "msgspec.json.Decoder[Any]":
    nothing = Record(b"null")
    fields: list[tuple[str, Any, Any]] = [
        ("items", list[Record], msgspec.NODEFAULT),
        ("cursor", Record, nothing),
        ("partial", Record, nothing),
    ]
    names = {"items": service.items, "cursor": service.cursor, "partial": service.partial}
    return msgspec.json.Decoder(msgspec.defstruct("Served", fields, rename=names))
