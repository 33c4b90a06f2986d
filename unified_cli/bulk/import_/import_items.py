"""What is sent for each record of an input: its id, its body, and the hash that tells it from others."""

import base64
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import msgspec

from unified_cli.bulk.import_.input_file import InputLine
from unified_cli.catalogue import Operation, Service
from unified_cli.json_text.members import join, parts, string

MARK = "_import"
"""The member that result files add to a record, and that is removed when they are imported again."""

Reshape = Callable[[bytes], list[bytes]]


class LineMark(msgspec.Struct, omit_defaults=True):
    """What a result file says about a record. A `key` is used again, so that what is in doubt is not done twice.

    `text` is a line that was no record.
    """

    line: int
    id: str = ""
    status: int = 0
    why: str = ""
    key: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class ImportItem:
    """One request to send: `identifier` for its path, its `body`, and the `record` that it came from.

    `wrong` says why it cannot be sent; `empty` that the map left it out; `key` is one that the record carried.
    """

    number: int
    record: bytes
    identifier: str | None = None
    body: bytes | None = None
    key: str = ""
    wrong: str = ""
    empty: bool = False

    @property
    def hash(self) -> str:
        """What tells this request from another one for the same line."""
        digest = hashlib.sha256(b"" if self.identifier is None else self.identifier.encode() + b"\0")
        digest.update(self.body or b"")
        return digest.hexdigest()

    def key_for(self, import_id: str) -> str:
        """The idempotency key: the same for every attempt at this line of this import, and for nothing else.

        Assumption: the service compares keys and no bodies, so another body must have another key.
        """
        digest = hashlib.sha256(f"{import_id}|{self.number}|{self.hash}".encode()).digest()
        return self.key or base64.b32encode(digest).decode("ascii")[:40]


def items(
    lines: Iterator[InputLine], operation: Operation, service: Service, reshape: Reshape | None
) -> Iterator[ImportItem]:
    """The items of the lines, each made on its own."""
    for line in lines:
        yield _item(line, operation, service, reshape)


def _item(line: InputLine, operation: Operation, service: Service, reshape: Reshape | None) -> ImportItem:
    number, record = line.number, line.text
    if line.wrong:
        return ImportItem(number, record, wrong=line.wrong)
    if line.bare:
        return ImportItem(number, record, record.decode("utf-8"), b"{}" if operation.name == "update" else None)
    key = ""
    try:
        record, key = unmarked(record)
        shaped = reshape(record) if reshape else [record]
    except ValueError as error:
        return ImportItem(number, record, wrong=f"cannot be used: {error}")
    if not shaped:
        return ImportItem(number, record, empty=True)
    if len(shaped) > 1:
        return ImportItem(number, record, wrong=f"became {len(shaped)} records by --map, and must stay one")
    body = shaped[0]
    if wrong := _no_record(body, service):
        return ImportItem(number, record, wrong=wrong)
    item = ImportItem(number, record, body=body, key=key)
    return _with_id(item, body, operation) if operation.takes_id else item


def unmarked(record: bytes) -> tuple[bytes, str]:
    """The record without the mark of a result file, and the key it carried; ValueError for a mark without a record."""
    if f'"{MARK}"'.encode() not in record:
        return record, ""
    members = {**(parts(record) or {})}
    if MARK not in members:
        return record, ""
    try:
        mark = msgspec.json.decode(members.pop(MARK), type=LineMark)
    except msgspec.DecodeError:
        return record, ""
    if mark.text:
        raise ValueError("it holds no record, only a line that was none")
    return join(members), mark.key


def _no_record(body: bytes, service: Service) -> str:
    if not body.startswith(b"{"):
        return "is no JSON object"
    if service.items.encode() in body:
        members = parts(body) or {}
        if service.items in members and service.cursor in members:
            return "is a page, not a record (list with -o ndjson)"
    return ""


def _with_id(item: ImportItem, body: bytes, operation: Operation) -> ImportItem:
    members = {**(parts(body) or {})}
    identifier = _identifier(members.pop("id", b"null"))
    if identifier is None:
        return ImportItem(item.number, item.record, wrong="has no id")
    return replace(item, identifier=identifier, body=join(members) if operation.name == "update" else None)


def _identifier(text: bytes) -> str | None:
    """A text, or a number as it was written."""
    if text.startswith(b'"'):
        return string(text) or None
    return text.decode() if text[:1].isdigit() or text[:1] == b"-" else None
