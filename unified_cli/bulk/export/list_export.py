"""One list into one file: page by page, and on from where an earlier run stopped."""

import hashlib
import json
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from unified_cli.bulk.export.partial_file import PartialFile
from unified_cli.errors import StorageError, UnifiedError
from unified_cli.http import pagination
from unified_cli.http.pagination import Page, Span
from unified_cli.http.request import Request
from unified_cli.json_text.members import Record, parts
from unified_cli.output.style import Style
from unified_cli.output.transform import Transform
from unified_cli.output.writer import writer

Read = Callable[[Span], Generator[Page]]
"""Reads the pages of a list, from anywhere in it."""


@dataclass(frozen=True, slots=True)
class ListExportOptions:
    """How a file is made: `span` what is read, `style` and `transform` how it is written.

    `force` replaces the file, `restart` forgets an earlier run, `dedupe` leaves out records whose id came before.
    """

    span: Span
    style: Style
    transform: Transform
    force: bool = False
    restart: bool = False
    dedupe: bool = False


def fingerprint(request: Request, **options: Any) -> str:
    """What tells one export from another: where it reads from, what it asks for and how it writes."""
    asked = {
        "origin": request.address.origin,
        "path": request.path,
        "query": [*map(list, request.query)],
        "account": request.account,
        **options,
    }
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


def run(part: PartialFile, read: Read, options: ListExportOptions, told: Callable[[Page], None]) -> None:
    """Write all pages to the part file and publish it; `told` gets each page that is written.

    Raises what reading and writing raise; then all pages that came are safe, and the next run goes on after them.
    """
    keep = options.restart and options.dedupe
    part.open(force=options.force, restart=options.restart, keep=keep)
    if part.is_published:
        return
    output = writer(options.style, part.state.memory)
    known = _Known(part.lines()) if options.dedupe else None

    def write(page: Page) -> None:
        records = known.new(page.records) if known else page.records
        state = part.state
        onward = [f"{pagination.fingerprint(page.next_cursor):016x}"] if page.next_cursor else []
        part.append(
            output.add(options.transform.apply(records), one_line=page.one_line),
            replace(
                state,
                next_cursor=page.next_cursor,
                pages=state.pages + 1,
                records=state.records + len(records),
                dropped=state.dropped + len(page.records) - len(records),
                partial_pages=[*state.partial_pages, page.number] if page.partial else state.partial_pages,
                seen=[*state.seen, *onward],
                memory=dict(output.memory),
            ),
        )
        told(page)

    _read(part, read, options.span, write)
    # An earlier run may have been killed with the end written and the name not given.
    end = b"" if part.state.complete else output.end(part.state.next_cursor)
    part.publish(end, force=options.force)


def _read(part: PartialFile, read: Read, span: Span, write: Callable[[Page], None]) -> None:
    """Write the pages that are still to come. What goes wrong is told with how to go on, and all that came is safe."""
    state = part.state
    left = None if span.records is None else span.records - state.records - state.dropped
    if state.pages and (state.next_cursor is None or left == 0):
        return
    rest = Span(
        state.next_cursor if state.pages else span.cursor,
        records=left,
        done=state.pages,
        seen=frozenset(int(cursor, 16) for cursor in state.seen),
    )
    try:
        with closing(read(rest)) as pages:
            for page in pages:
                write(page)
    except StorageError:
        raise
    except UnifiedError as error:
        if part.state.bytes or part.state.pages:
            part.keep()
            error.message = f"{error.message}; run the same command to go on at page {part.state.pages + 1}"
        else:
            part.abandon()
        raise


def shortcomings(part: PartialFile, options: ListExportOptions) -> list[str]:
    """What is missing from a complete file: what the writer could not place, and what the provider left out."""
    missing = [*writer(options.style, part.state.memory).shortcomings()]
    if part.state.partial_pages:
        numbers = ", ".join(map(str, part.state.partial_pages[:20]))
        missing.append(f"the provider left something out of page {numbers} (--allow-partial accepts that)")
    return missing


class _Known:
    """The ids that are in the file already, as 64 bits each; lines of NDJSON tell them."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        self._ids = {hashed for line in lines if (hashed := self._hash(Record(line))) is not None}

    def new(self, records: Sequence[Record]) -> Sequence[Record]:
        """Those of the records whose id did not come before; one without an id is always new."""
        found = []
        for record in records:
            hashed = self._hash(record)
            if hashed is None or hashed not in self._ids:
                found.append(record)
                if hashed is not None:
                    self._ids.add(hashed)
        return found

    def _hash(self, record: Record) -> int | None:
        identity = (parts(record) or {}).get("id")
        if identity is None or identity == b"null":
            return None
        return int.from_bytes(hashlib.blake2b(identity, digest_size=8).digest(), "big")
