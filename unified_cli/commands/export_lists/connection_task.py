"""The export of one connection as a task: JSON that any machine with the same configuration can do."""

from collections.abc import Iterator, Mapping
from typing import Annotated

import msgspec

from unified_cli import __version__
from unified_cli.catalogue import Catalogue, Operation
from unified_cli.cli.flags import by_name
from unified_cli.commands.export_lists.export_options import ExportFormat, ExportOptions
from unified_cli.config.settings import Settings
from unified_cli.errors import StateError, UsageError

_Rate = Annotated[float, msgspec.Meta(ge=0, lt=1e9)]
_BESIDE = {"timeout", "retries", "rate", "token_rate", "workers"}
"""The options of a task that may be given anew with it."""


class TaskOptions(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The options of the command that a task takes along; the names are those of `ExportOptions`."""

    query: tuple[str, ...] = ()
    account_id: str | None = None
    base_url: str | None = None
    since: str | None = None
    incremental: bool = False
    lag: Annotated[float, msgspec.Meta(ge=0)] | None = None
    page_size: Annotated[int, msgspec.Meta(gt=0)] | None = None
    allow_partial: bool = False
    dedupe: str | None = None
    output: ExportFormat | None = None
    csv_safe: bool = False
    bom: bool = False
    timeout: Annotated[float, msgspec.Meta(gt=0)] | None = None
    retries: Annotated[int, msgspec.Meta(ge=0)] | None = None
    rate: _Rate | None = None
    token_rate: _Rate | None = None
    workers: Annotated[int, msgspec.Meta(ge=1, le=64)] = ExportOptions.workers


class ConnectionTask(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Lists of one connection, where they go and how they are read; it carries no token.

    `base_url` and `account` are those of the profile where the task was made, or of the environment without one.
    `required` are the lists that were named, so that it is a failure if the connection does not offer them.
    """

    version: str
    profile: str | None
    base_url: str
    account: str
    to: str
    lists: tuple[str, ...]
    required: tuple[str, ...]
    options: TaskOptions

    @property
    def name(self) -> str:
        """What the connection is called."""
        return self.profile or self.account

    def operations(self, catalogue: Catalogue) -> dict[Operation, bool]:
        """The operations that list, and whether each is required. Raises StateError for one that is not known here."""
        found = {}
        for name in self.lists:
            api, _, resource = name.partition("/")
            try:
                operation = catalogue.operation(api, resource, "list")
            except KeyError:
                raise StateError(
                    f"the task of {self.name} reads {name}, which is not known here",
                    hint="catalogue.d must hold the same files on each machine",
                ) from None
            found[operation] = name in self.required
        return found

    def check_version(self) -> None:
        """Raise StateError where another version made the task."""
        if self.version != __version__:
            raise StateError(
                f"the task of {self.name} is of version {self.version}, and this is {__version__}",
                hint="install the same version on each machine",
            )

    def check(self, resolved: Settings) -> None:
        """Raise StateError where these settings lead to another connection than that of the task."""
        address, account = resolved.reachable()
        for what, here, there in (("address", str(address), self.base_url), ("account", account, self.account)):
            if here != there:
                raise StateError(
                    f"the task of {self.name} is for the {what} {there}, and here it leads to {here}",
                    hint="the profile must be the same on each machine",
                )

    def command(self, given: ExportOptions) -> ExportOptions:
        """The options of the command that does the task; those that were `given` beside it come first.

        Raises UsageError for an option that belongs to the task.
        """
        values = msgspec.structs.asdict(self.options)
        told = dict(given.given())
        own = {"what", "profile", "shard", "restart", "tasks", "engine", *values} - _BESIDE
        if other := [name for name in told if name in own]:
            flag = by_name(ExportOptions).get(other[0])
            spelled = flag.spellings[-1] if flag else "API"
            raise UsageError("--task names the connection, the lists and their options", hint=f"leave out {spelled}")
        profile = (self.profile,) if self.profile else ()
        return given.replaced(**{**values, "profile": profile, "to": self.to, **told})


def make(
    name: str | None, resolved: Settings, operations: Mapping[Operation, bool], options: ExportOptions
) -> ConnectionTask:
    """The task for the connection of a profile. Raises ConfigError where it leads nowhere."""
    address, account = resolved.reachable()
    return ConnectionTask(
        __version__,
        name,
        str(address),
        account,
        options.to or "",
        tuple(map(_list_name, operations)),
        tuple(_list_name(operation) for operation, exact in operations.items() if exact),
        TaskOptions(**{field: getattr(options, field) for field in TaskOptions.__struct_fields__}),
    )


def read(text: bytes) -> ConnectionTask:
    """The task in a JSON text. Raises UsageError."""
    try:
        return msgspec.json.decode(text, type=ConnectionTask)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise UsageError(
            f"--task is no task of an export: {error}", hint="unified export … --tasks prints them"
        ) from None


def lines(tasks: Iterator[ConnectionTask]) -> Iterator[bytes]:
    """The tasks as NDJSON."""
    return (msgspec.json.encode(task) + b"\n" for task in tasks)


def _list_name(operation: Operation) -> str:
    return f"{operation.api}/{operation.resource}"
