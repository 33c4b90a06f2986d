"""A connection's part of a read for an agent: its pages, which a worker reads, and its
records in the tool's answer.
"""

from collections.abc import Generator, Sequence
from functools import partial
from typing import Annotated, NamedTuple

import msgspec

from unified_cli.call import builder
from unified_cli.catalogue import Operation
from unified_cli.commands.mcp import tool_calls
from unified_cli.commands.mcp.tool_calls import QueryValue, ToolWorld
from unified_cli.config.settings import Settings
from unified_cli.errors import AbandonedError, ServiceError, UnifiedError
from unified_cli.http.client import Client
from unified_cli.http.pagination import ListReader, Send, Span
from unified_cli.http.request import OWN_CURSOR, Content, Request
from unified_cli.http.response import Response
from unified_cli.json_text.members import Record
from unified_cli.json_text.record_columns import project
from unified_cli.json_text.record_label import label
from unified_cli.values import JsonObject

USUAL_BYTES = 16 * 1024


class ReadArguments(msgspec.Struct, forbid_unknown_fields=True):
    """The arguments of the read tool."""

    operation: str
    profile: str | list[str]
    id: str | None = None
    query: dict[str, QueryValue | list[QueryValue]] = {}
    columns: list[str] = []
    limit: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 50
    cursor: str | None = None
    max_bytes: Annotated[int, msgspec.Meta(ge=1024, le=262_144)] = USUAL_BYTES


class ReadTask(NamedTuple):
    """The read of a tool call.

    `asked` has the arguments of the call. A cursor is only valid for the same
    arguments.
    """

    world: ToolWorld
    operation: Operation
    arguments: ReadArguments
    asked: Sequence[object]

    def share(self, shown: Sequence[bytes]) -> float:
        """Return the share of the answer that these records use.

        This is the share of the records or of the bytes that are allowed, whichever is
        larger.
        """
        return max(
            len(shown) / self.arguments.limit, sum(map(len, shown)) / self.arguments.max_bytes
        )


class ReadRecord(NamedTuple):
    """A record of a read.

    `cursor` begins a read at this record. `shown` is its form in the answer.
    """

    cursor: str | None
    record: Record
    shown: bytes


class ReadPage(NamedTuple):
    """A page of a connection, and the cursor of the next page, or None after the last
    page.
    """

    records: Sequence[ReadRecord]
    next_cursor: str | None


class ConnectionRead:
    """The part of one connection in an answer.

    Only one thread may use it, except for `pages`.
    """

    def __init__(self, task: ReadTask, number: int, name: str, cursor: str | None) -> None:
        self.number, self.name = number, name
        self.start = (number, cursor)
        """The connection's position before the answer."""
        self.shown: list[bytes] = []
        """The connection's records in the answer."""
        self.facts: JsonObject | None = None
        """The facts about the connection in the answer. They are known after the first
        page.
        """
        self._task = task
        self._read: list[ReadRecord] = []
        self._onward = cursor
        self._is_read = False
        self._error: UnifiedError | None = None

    @property
    def next(self) -> ReadRecord | None:
        """The first record after those in the answer."""
        shown_before = len(self.shown)
        return self._read[shown_before] if shown_before < len(self._read) else None

    @property
    def position(self) -> tuple[int, str | None] | None:
        """The next position, or None after the last record.

        A position is the connection's number and the cursor of the next record.
        """
        if self.next:
            return self.number, self.next.cursor
        return None if self._is_read else (self.number, self._onward)

    @property
    def failure(self) -> UnifiedError | None:
        """The error that ended the read, if all records before it are in the answer.
        Otherwise None.
        """
        return None if self.next else self._error

    def reaches(self, share: float) -> bool:
        """Return whether enough was read to fill this share, or everything."""
        return self._is_read or self._task.share(self._all_forms()) >= share

    def take(self, shown: bytes) -> None:
        """Add the next record to the answer, in this form."""
        self.shown.append(shown)

    def give_back(self) -> None:
        """Remove the record that was added last."""
        self.shown.pop()

    def add(self, found: ReadPage | UnifiedError) -> None:
        """Record a page, or the error, from `pages`."""
        if isinstance(found, UnifiedError):
            self._error, self._is_read = found, True
            return
        self._read += found.records
        self._onward, self._is_read = found.next_cursor, found.next_cursor is None

    def pages(self, share: float) -> Generator[ReadPage | UnifiedError]:
        """Read pages until they fill this share of the answer.

        Yields each page, or the error that ended the read. Runs in a worker thread.
        Raises AbandonedError if the call is abandoned.
        """
        world, lists = self._task.world, self._task.operation.lists
        try:
            settings = world.served.settings(self.name)
            self.facts = tool_calls.connection(self.name, settings)
            request = self._request(settings)
            with world.lend(self.name, settings) as client:
                send = partial(_send_counted, world, client)
                if lists:
                    yield from self._list_pages(send, request, share)
                else:
                    record = _record(send(request), request, self._task.operation)
                    yield ReadPage(self._shown([record], None), None)
        except AbandonedError:
            raise
        except UnifiedError as error:
            yield error

    def _request(self, settings: Settings) -> Request:
        world, operation, arguments = self._task.world, self._task.operation, self._task.arguments
        query = tool_calls.pairs(arguments.query)
        if operation.lists:
            query = builder.with_page_size(query, settings, world.catalogue.service)
        content = Content(query, b"{}" if operation.method != "GET" else None)
        return world.request(settings, operation, arguments.id, content)

    def _list_pages(self, send: Send, request: Request, share: float) -> Generator[ReadPage]:
        cursor, shown = self._onward, self._all_forms()
        service = self._task.world.catalogue.service
        reader = ListReader(send, request, service, Span(cursor))
        while not reader.done and self._task.share(shown) < share:
            page = reader.read()
            records = self._shown(page.records, cursor)
            shown += [record.shown for record in records]
            cursor = page.next_cursor
            yield ReadPage(records, cursor)

    def _all_forms(self) -> list[bytes]:
        return [*self.shown, *(record.shown for record in self._read[len(self.shown) :])]

    def _shown(self, records: Sequence[Record], cursor: str | None) -> list[ReadRecord]:
        columns = self._task.arguments.columns
        chosen = [project(record, columns) for record in records] if columns else records
        return [
            ReadRecord(_cursor_within_page(cursor, at), record, bytes(shown))
            for at, (record, shown) in enumerate(
                zip(records, label(chosen, self.name), strict=True)
            )
        ]


def _send_counted(
    world: ToolWorld, client: Client, request: Request, *, page: bool = False
) -> Response:
    world.budget.spend()
    return client.send(request, page=page)


def _record(response: Response, request: Request, operation: Operation) -> Record:
    if not response.body:
        kind = response.content_type or "nothing"
        raise ServiceError(
            f"{request.method} {request.path} was answered with {kind}, which this tool does"
            " not return",
            hint=f"on a command line: unified {operation.command} --out FILE",
            retryable=False,
        )
    return Record(response.body.strip())


def _cursor_within_page(cursor: str | None, position: int) -> str | None:
    if not position:
        return cursor
    skipped, start = 0, cursor or ""
    if start.startswith(OWN_CURSOR):
        number, _, start = start.removeprefix(OWN_CURSOR).partition(":")
        skipped = int(number)
    return f"{OWN_CURSOR}{skipped + position}:{start}"
