"""The whole program: the catalogue's operations and the built-in commands."""

from functools import partial
from typing import TYPE_CHECKING, Any

from unified_cli.catalogue import Catalogue, Operation
from unified_cli.cli import tree
from unified_cli.cli.command import stubs
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.flags import Options
from unified_cli.cli.options import EarlyOptions, OperationOptions
from unified_cli.commands import COMMANDS
from unified_cli.config.user_catalogue import own_catalogue
from unified_cli.runtime import Runtime
from unified_cli.stderr import Stderr

if TYPE_CHECKING:
    from unified_cli.docs.command_index import CommandEntry


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

    return tree.root(catalogue, stubs(COMMANDS, context), execute, early.append)


def index(catalogue: Catalogue) -> "list[CommandEntry]":
    """Every group and command, for what is generated from them."""
    from unified_cli.docs.command_index import command_entries  # noqa: PLC0415  builds every command

    nowhere = Runtime(stdin=None, stdout=None, stderr=Stderr(None), environ={}, columns=80, folders={})
    return command_entries(whole(nowhere, catalogue))
