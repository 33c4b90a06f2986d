"""The work of an import: one operation, for every record of a file, on one connection or on that of each record."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from unified_cli.catalogue import Catalogue, Operation
from unified_cli.cli import named_resource
from unified_cli.config.file import RESERVED
from unified_cli.config.settings import Settings
from unified_cli.errors import UsageError
from unified_cli.http import request as requests
from unified_cli.http.request import Content, Request, Scope
from unified_cli.input import records
from unified_cli.input.input_file import InputFile
from unified_cli.input.record_map import RecordMap
from unified_cli.input.records import InputItem, ItemRules
from unified_cli.runtime import Runtime


@dataclass(frozen=True, slots=True)
class ImportTask:
    """An operation on the connection of each profile, with its parameters; on the only one where its name is None.

    `used` is how many records of the input name each profile.
    """

    runtime: Runtime
    catalogue: Catalogue
    targets: Mapping[str | None, Settings]
    operation: Operation
    query: list[tuple[str, str]]
    map: str | None
    used: Mapping[str, int] = field(default_factory=dict)

    @property
    def profiles(self) -> list[str] | None:
        """The profiles that records may name; None where there is one connection, which they must not name."""
        return None if None in self.targets else [name for name in self.targets if name and name != RESERVED]

    @property
    def where(self) -> list[Any]:
        """What the input goes into, as far as it is known before the input is read."""
        return self._where(replays=self.runtime.replays)

    def _where(self, *, replays: bool) -> list[Any]:
        # What was replayed was not done, and what was done is not to be replayed over.
        replay = ["--replay"] if replays else []
        if only := self.targets.get(None):
            address, account = only.reachable()
            return [address.origin + address.path, self.operation.command, account, self.query, self.map, *replay]
        return ["several", self.operation.command, self.query, self.map, *replay]

    def identity(self, *, replays: bool) -> list[Any]:
        """What identifies the import: a journal belongs to it only if all of this is the same."""
        reached = [(name, *self.targets[name].reachable()) for name in sorted(self.used)]
        named = [[name, address.origin + address.path, account] for name, address, account in reached]
        where = self._where(replays=replays)
        return [*where, named] if named else where

    def counted(self, source: InputFile) -> Self:
        """The task with the profiles that records of this input name.

        Raises UsageError for a record that names one where there is one connection.
        """
        if self.profiles is not None:
            rules = ItemRules(self.operation, self.catalogue.service, profiles=self.profiles)
            found = records.items(source.lines(), rules)
            return replace(self, used=Counter(item.profile for item in found if item.profile))
        if source.labelled:
            raise UsageError(f"{source.path}, line {source.labelled} {records.NOT_ASKED_FOR}")
        return self

    @property
    def repeats(self) -> bool:
        """Whether a record in doubt can be sent again without a second effect, at least for a while."""
        windows = [settings.idempotency_window for name, settings in self.targets.items() if name in (None, *self.used)]
        return self.operation.method == "DELETE" or (not self.operation.outward and min(windows, default=0) > 0)

    def request(self, item: InputItem, key: str) -> Request:
        """The request for an item. Raises UsageError for an id that cannot be sent."""
        settings = self.targets[item.profile]
        scope = Scope(*settings.reachable(), self.catalogue.service, settings.is_own)
        content = Content(self.query, item.body, key if self.operation.method in {"POST", "PATCH"} else None)
        made = requests.for_operation(scope, self.operation, item.identifier, content)
        return made._replace(honoured=settings.idempotency_window > 0)

    def items(self, source: InputFile) -> Iterator[InputItem]:
        """The items to send, one for each record of the file."""
        reshape = None if self.map is None else RecordMap(self.map, note=self.runtime.stderr.note)
        rules = ItemRules(self.operation, self.catalogue.service, reshape, self.profiles)
        return records.items(source.lines(), rules)


def find(catalogue: Catalogue, resource: str, name: str) -> Operation:
    """The operation of that name on API/RESOURCE. Raises UsageError if there is none, or it sends nothing."""
    found = named_resource.find(catalogue, resource)
    operation = found.operations.get(name)
    if operation is None or operation.method == "GET":
        able = ", ".join(other.name for other in found.operations.values() if other.method != "GET")
        raise UsageError(f"{resource} has no operation {name!r} to import with (choose from: {able or 'none'})")
    return operation
