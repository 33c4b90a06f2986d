"""Tasks of an export (`--tasks`, `--task`): the work for a connection as JSON.

Any machine with the same configuration can run a task.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, NamedTuple

import msgspec

from unified_cli import __version__
from unified_cli.cli.command import CommandContext
from unified_cli.cli.flags import by_name
from unified_cli.commands.export import plan as plans
from unified_cli.commands.export.options import ExportOptions
from unified_cli.commands.export.plan import ExportPlan
from unified_cli.commands.export.report import ExportSummary
from unified_cli.config.settings import Settings
from unified_cli.errors import ConfigError, StateError, UsageError
from unified_cli.exported.manifest import manifest_of
from unified_cli.fleet.read import FairReaders
from unified_cli.output import stdout
from unified_cli.runtime import Runtime
from unified_cli.storage import input_bounds

_Rate = Annotated[float, msgspec.Meta(ge=0, lt=1e9)]
_BESIDE = {"timeout", "retries", "rate", "token_rate", "workers"}
"""Options that can be used with --task. They override the options of the task."""


class TaskOptions(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The options in a task, named as in `ExportOptions`."""

    query: tuple[str, ...] = ()
    account_id: str | None = None
    base_url: str | None = None
    since: str | None = None
    incremental: bool = False
    lag: Annotated[float, msgspec.Meta(ge=0)] | None = None
    page_size: Annotated[int, msgspec.Meta(gt=0)] | None = None
    allow_partial: bool = False
    dedupe: str | None = None
    output: str | None = None
    columns: str | None = None
    csv_safe: bool = False
    bom: bool = False
    typed_header: bool = False
    timeout: Annotated[float, msgspec.Meta(gt=0)] | None = None
    retries: Annotated[int, msgspec.Meta(ge=0)] | None = None
    rate: _Rate | None = None
    token_rate: _Rate | None = None
    workers: Annotated[int, msgspec.Meta(ge=1, le=64)] | None = None


class ConnectionTask(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The lists of a connection, their destination, and the options, without a token.

    `base_url` and `account` were the profile's when the task was created. The task
    fails if the connection does not offer the `required` lists.
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
        """The profile's name."""
        return self.profile or self.account

    def paced(self, pace: float) -> "ConnectionTask":
        """Return the task with this limit of requests.

        The limit is for one window; 0 means no limit.
        """
        options = msgspec.structs.replace(self.options, rate=pace, token_rate=pace)
        return msgspec.structs.replace(self, options=options)

    def check_version(self) -> None:
        """Raise StateError if another version created the task."""
        if self.version != __version__:
            raise StateError(
                f"the task of {self.name} is from version {self.version}, not {__version__}",
                hint="install the same version on each machine",
            )

    def check(self, resolved: Settings) -> None:
        """Raise StateError if these settings are for another connection."""
        address, account = resolved.reachable()
        for what, here, task_value in (
            ("address", str(address), self.base_url),
            ("account", account, self.account),
        ):
            if here != task_value:
                raise StateError(
                    f"the task of {self.name} is for the {what} {task_value}, but on this machine"
                    f" the profile has {here}",
                    hint="give the profile the same settings on each machine",
                )

    def command(self, given: ExportOptions) -> ExportOptions:
        """Return the options for running the task, with overrides from `given`.

        Raises UsageError for an option that only the task may set.
        """
        values = msgspec.structs.asdict(self.options)
        typed = dict(given.changed_values())
        own = {"what", "profile", "shard", "restart", "tasks", "engine", *values} - _BESIDE
        if other := [name for name in typed if name in own]:
            flag = by_name(ExportOptions).get(other[0])
            spelled = flag.spellings[-1] if flag else "API"
            raise UsageError(
                "--task names the connection, the lists and their options",
                hint=f"leave out {spelled}",
            )
        profile = (self.profile,) if self.profile else ()
        return replace(given, **{**values, "profile": profile, "to": self.to, **typed})


class TaskResult(NamedTuple):
    """The outcome of a task on a worker, or the `error` that ended it.

    `sent` counts the requests that still count towards the rate limits.
    """

    worker: str
    summary: ExportSummary
    sent: int = 0
    error: BaseException | None = None


def all_tasks(
    context: CommandContext, options: ExportOptions
) -> Iterator[tuple[ConnectionTask, Settings]]:
    """Yield a task for each connection, with its settings on this machine.

    Raises ConfigError and UsageError.
    """
    if options.restart:
        raise UsageError(
            "--restart cannot be used with tasks: a task that is run again would start over"
            " (choose another folder)"
        )
    if options.shard:
        raise UsageError(
            "--shard cannot be used with tasks, which are parts already (leave it out)"
        )
    plans.file_format(options)
    operations = plans.lists(context.catalogue, options.what)
    lists = {
        f"{operation.api}/{operation.resource}": exact for operation, exact in operations.items()
    }
    found = plans.selected(context, options)
    for resolved in map(found.resolve, found.names):
        address, account = resolved.reachable()
        task = ConnectionTask(
            __version__,
            resolved.profile,
            str(address),
            account,
            options.to or "",
            tuple(lists),
            tuple(name for name, exact in lists.items() if exact),
            TaskOptions(
                **{field: getattr(options, field) for field in TaskOptions.__struct_fields__}
            ),
        )
        yield task, resolved


def show(context: CommandContext, options: ExportOptions) -> None:
    """Print the tasks of an export as NDJSON. Raises the same errors as `all_tasks`."""
    stdout.check(context.runtime)
    # Create all tasks before printing, so that an error leaves no partial output.
    stdout.write(
        context.runtime,
        [b"".join(msgspec.json.encode(task) + b"\n" for task, _ in all_tasks(context, options))],
    )


def read(runtime: Runtime, text: str) -> ConnectionTask:
    """Decode a task from the text, or from standard input for `-`. Raises
    UsageError.
    """
    content = text.encode()
    if text == "-":
        if runtime.stdin is None:
            raise UsageError("--task - reads a task from standard input, which is closed")
        content = input_bounds.whole(runtime.stdin, "standard input")
    try:
        return msgspec.json.decode(content, type=ConnectionTask)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise UsageError(
            f"--task is not a task of an export: {error}",
            hint="unified export … --tasks prints the tasks",
        ) from None


def plan_of(
    context: CommandContext,
    task: ConnectionTask,
    given: ExportOptions,
    readers: FairReaders | None = None,
) -> ExportPlan:
    """Return the plan for a task, with overrides from `given`.

    Without `readers`, create new ones. Raises StateError if a list is unknown here, or
    if the profile now has another connection or no token; ConfigError if a package is
    missing; and UsageError.
    """
    task.check_version()
    operations = {}
    for name in task.lists:
        api, _, resource = name.partition("/")
        try:
            operation = context.catalogue.operation(api, resource, "list")
        except KeyError:
            raise StateError(
                f"the task of {task.name} reads {name}, which is not known here",
                hint="catalogue.d must hold the same files on each machine",
            ) from None
        operations[operation] = name in task.required
    options = task.command(given)
    readers = readers or FairReaders(context.runtime, context.catalogue, options.workers)
    try:
        found = plans.selected(context, options)
        resolved = found.resolve(found.names[0])
        task.check(resolved)
        readers.clients.token(resolved)
    except ConfigError as error:
        raise StateError(
            f"the task of {task.name} cannot be done here: {error.reason}", hint=error.hint
        ) from None
    plan = plans.planned(context, options, operations, found, readers)
    return replace(plan, manifest=manifest_name(task.name), pauses=True)


def manifest_name(name: str) -> str:
    """Return the name of the manifest of a connection's task.

    No two tasks of an export write the same file.
    """
    return manifest_of(name)
