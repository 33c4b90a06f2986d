"""The work of an import: one operation of one connection, for every record of a file."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from unified_cli.bulk.import_ import import_items, record_map
from unified_cli.bulk.import_.import_items import ImportItem
from unified_cli.bulk.import_.input_file import InputFile
from unified_cli.catalogue import Catalogue, Operation
from unified_cli.commands import named_resource
from unified_cli.config.settings import Settings
from unified_cli.errors import UsageError
from unified_cli.http import request as requests
from unified_cli.http.request import Content, Request, Scope
from unified_cli.json_text.numbers import changed_by_jq
from unified_cli.runtime import Runtime


@dataclass(frozen=True, slots=True)
class ImportTask:
    """An operation on a connection, with its parameters."""

    runtime: Runtime
    catalogue: Catalogue
    resolved: Settings
    operation: Operation
    query: list[tuple[str, str]]
    map: str | None

    @property
    def where(self) -> list[Any]:
        """What identifies the import: a journal belongs to it only if all of this is the same."""
        address, account = self.resolved.reachable()
        return [address.origin + address.path, self.operation.command, account, self.query, self.map]

    def request(self, item: ImportItem, key: str) -> Request:
        """The request for an item. Raises UsageError for an id that cannot be sent."""
        scope = Scope(*self.resolved.reachable(), self.catalogue.service)
        content = Content(self.query, item.body, key if self.operation.method in {"POST", "PATCH"} else None)
        made = requests.for_operation(scope, self.operation, item.identifier, content)
        return made._replace(honoured=self.resolved.idempotency_window > 0)

    def items(self, source: InputFile) -> Iterator[ImportItem]:
        """The items to send, one for each record of the file."""
        return import_items.items(source.lines(), self.operation, self.catalogue.service, self._record_map())

    def _record_map(self) -> Callable[[bytes], list[bytes]] | None:
        if self.map is None:
            return None
        program, warned = record_map.RecordMap(self.map), False

        def mapped(record: bytes) -> list[bytes]:
            nonlocal warned
            if not warned and (digits := changed_by_jq(record)):
                warned = True
                self.runtime.stderr.note(
                    f"--map computes in doubles, which cannot represent {digits}; other numbers may change too"
                )
            return program(record)

        return mapped


def find(catalogue: Catalogue, resource: str, name: str) -> Operation:
    """The operation of that name on API/RESOURCE. Raises UsageError if there is none, or it sends nothing."""
    found = named_resource.find(catalogue, resource)
    operation = found.operations.get(name)
    if operation is None or operation.method == "GET":
        able = ", ".join(other.name for other in found.operations.values() if other.method != "GET")
        raise UsageError(f"{resource} has no operation {name!r} to import with (choose from: {able or 'none'})")
    return operation
