"""The whole program: the catalogue's operations and the built-in commands."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from unified_cli.catalogue import Catalogue, Operation
from unified_cli.cli import tree
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.command_stub import CommandStub
from unified_cli.cli.flags import Options
from unified_cli.cli.options import EarlyOptions, OperationOptions
from unified_cli.config.user_catalogue import own_catalogue
from unified_cli.runtime import Runtime
from unified_cli.stderr import Stderr

if TYPE_CHECKING:
    from unified_cli.docs.command_index import CommandEntry

COMMANDS: Mapping[str, tuple[str, str]] = {
    "request": ("request_command", "Call any path below the base URL"),
    "export": ("export_lists.export_command", "Write many lists of many connections to files"),
    "import": ("import_records.import_command", "Send every record of a file once"),
    "diff": ("compare.diff_command", "Compare two lists of records"),
    "plan": ("compare.plan_command", "Print the calls that make one list of records like another"),
    "apply": ("apply_plan.apply_command", "Make the calls of plans, each once"),
    "runs": ("runs.runs_command", "List work of many writes, and continue it"),
    "schema": ("schema_of_records.schema_command", "Show which fields the records of a list really have"),
    "mcp": ("mcp.mcp_command", "Offer the operations to coding agents"),
    "operations": ("operations_command", "Search the operations"),
    "help": ("help_command", "Show help on exit codes, output, profiles and more"),
    "completion": ("completion_command", "Complete commands with TAB"),
    "sandbox": ("sandbox_command", "Manage the local sandbox of the service"),
    "doctor": ("doctor.doctor_command", "Find problems on this machine and on the way to the service"),
    "capabilities": ("capabilities.capabilities_command", "Show what each connection offers"),
    "connections": ("connections.connections_command", "List the connections that a token can see, and add profiles"),
    "profile": ("profile.profile_command", "Manage named connections and their tokens"),
}
"""The built-in commands: the module that builds each, and what it is for."""


def run(argv: list[str], runtime: Runtime, catalogue: Catalogue | None = None) -> None:
    """Run a command line; every expected failure is a UnifiedError."""
    if not argv and runtime.stdout_is_terminal:
        from unified_cli.commands import first_steps  # noqa: PLC0415  only for `unified` alone

        if first_steps.are_due(runtime):
            first_steps.show(runtime)
            return
    catalogue = catalogue or own_catalogue(runtime, COMMANDS)
    command = tree.read(whole(runtime, catalogue), argv, runtime)
    if command is None:
        return
    record, replay = getattr(command.options, "record", None), getattr(command.options, "replay", None)
    if record is None and replay is None:
        command()
    else:
        _run_with_evidence(argv, runtime, catalogue, (record, replay))


def _run_with_evidence(
    argv: list[str], runtime: Runtime, catalogue: Catalogue, files: tuple[str | None, str | None]
) -> None:
    """Run the command line again from its start, in a runtime that records its exchanges or replays them."""
    from unified_cli.http.har import evidence  # noqa: PLC0415  most commands do neither

    with evidence.kept(runtime, catalogue.service, evidence.Evidence(*files)) as changed:
        if command := tree.read(whole(changed, catalogue), argv, changed):
            command()


def whole(runtime: Runtime, catalogue: Catalogue) -> Any:
    """The whole program as one command; nothing below its first level is built yet."""
    early = [EarlyOptions()]

    def selected(options: Options, patterns: tuple[str, ...]) -> tuple[str, ...]:
        from unified_cli.call import run_profiles  # noqa: PLC0415  few selections name a run

        return run_profiles.selected(runtime, options, patterns)

    context = CommandContext(runtime, catalogue, lambda: early[-1], partial(whole, runtime), tuple(COMMANDS), selected)

    def execute(operation: Operation, options: OperationOptions) -> None:
        from unified_cli.call import builder  # noqa: PLC0415  as above
        from unified_cli.config.profiles import is_several  # noqa: PLC0415  not for help

        options = context.complete(options)
        builder.check_options(options)
        builder.check_required(runtime, operation, options)
        if options.follow:
            from unified_cli.call.checks import following  # noqa: PLC0415  as below

            following.run(runtime, catalogue, operation, options)
        elif options.checks:
            from unified_cli.call.checks import checked_read  # noqa: PLC0415  as below

            checked_read.run(runtime, catalogue, operation, options)
        elif is_several(options.profile) and options.id == "-":
            from unified_cli.call.piped import from_stdin  # noqa: PLC0415  most calls are for one connection

            from_stdin.run_several(runtime, catalogue, operation, options)
        elif is_several(options.profile):
            from unified_cli.call import fan_out  # noqa: PLC0415  as above

            fan_out.run(runtime, catalogue, operation, options)
        else:
            from unified_cli.call import single  # noqa: PLC0415  as above

            single.run(runtime, catalogue, operation, options)

    return tree.root(catalogue, _built_in(context), execute, early.append)


def index(catalogue: Catalogue) -> "list[CommandEntry]":
    """Every group and command, for what is generated from them."""
    from unified_cli.docs.command_index import command_entries  # noqa: PLC0415  builds every command

    nowhere = Runtime(stdin=None, stdout=None, stderr=Stderr(None), environ={}, columns=80, folders={})
    return command_entries(whole(nowhere, catalogue))


def _built_in(context: CommandContext) -> dict[str, CommandStub]:
    def entry(module: str, about: str) -> CommandStub:
        def build() -> Any:
            from importlib import import_module  # noqa: PLC0415  only the chosen command is imported

            return import_module(f"unified_cli.commands.{module}").command(context)

        return CommandStub(about, build)

    return {name: entry(module, about) for name, (module, about) in COMMANDS.items()}
