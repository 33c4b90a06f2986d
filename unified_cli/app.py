"""The whole program: the catalogue's operations and the built-in commands."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from unified_cli.catalogue import Catalogue, Operation
from unified_cli.cli import aliases, tree
from unified_cli.cli.command import stubs
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.flags import Options
from unified_cli.cli.shared_options import EarlyOptions, EvidenceOptions, MessageOptions, errors_are_json
from unified_cli.commands import COMMANDS
from unified_cli.config.user_catalogue import own_catalogue
from unified_cli.output import stdout
from unified_cli.runtime import Runtime

if TYPE_CHECKING:
    from unified_cli.cli.options import OperationOptions


def run(argv: list[str], runtime: Runtime, catalogue: Catalogue | None = None) -> None:
    """Run a command line; every expected failure is a UnifiedError."""
    if command := read(argv, runtime, catalogue):
        command()


def read(argv: list[str], runtime: Runtime, catalogue: Catalogue | None = None) -> Callable[[], None] | None:
    """What runs the command line; None if it asked for help, which is printed. Raises UsageError and ConfigError."""
    if not argv and runtime.stdout_is_terminal:
        from unified_cli.commands.help import first_steps_are_due, show_first_steps  # noqa: PLC0415

        if first_steps_are_due(runtime):
            return partial(show_first_steps, runtime)
    context = _context(runtime, catalogue or own_catalogue(runtime, COMMANDS))
    words = aliases.expanded(argv, runtime, context.first_words)
    command = tree.read(_tree(context), words, runtime)
    if command is None:
        return None
    if words == argv:
        aliases.refuse_shadowing(argv, runtime)
    options, work = command.options, partial(command.run, command.options)
    context.runtime = _as_asked(runtime, options, context.early)
    if isinstance(options, EvidenceOptions) and (options.record is not None or options.replay is not None):
        return partial(_run_with_evidence, context, work, (options.record, options.replay))
    return work


def _as_asked(runtime: Runtime, options: Options, early: EarlyOptions) -> Runtime:
    """The runtime as the options on messages say."""
    output = getattr(options, "output", None) or early.output
    asked = early.json_errors or getattr(options, "json_errors", False)
    runtime.stderr.machine = errors_are_json(output, runtime, asked=asked)
    if early.no_pager or getattr(options, "no_pager", False):
        stdout.unpage(runtime)
    if isinstance(options, MessageOptions):
        return runtime._replace(color=options.color, pretty=options.pretty)
    return runtime


def _run_with_evidence(context: CommandContext, work: Callable[[], None], files: tuple[str | None, str | None]) -> None:
    """Run the command in a runtime that records its exchanges or replays them."""
    from unified_cli.http import evidence  # noqa: PLC0415  most commands do neither

    with evidence.kept(context.runtime, context.catalogue.service, evidence.Evidence(*files)) as changed:
        context.runtime = changed
        work()


def whole(runtime: Runtime, catalogue: Catalogue) -> Any:
    """The whole program as one command; nothing below its first level is built yet."""
    return _tree(_context(runtime, catalogue))


def _context(runtime: Runtime, catalogue: Catalogue) -> CommandContext:
    def selected(options: Options, patterns: tuple[str, ...]) -> tuple[str, ...]:
        from unified_cli.writes import selection  # noqa: PLC0415  few selections name a run

        return selection.selected(context.runtime, options, patterns)

    context = CommandContext(runtime, catalogue, partial(whole, runtime), tuple(COMMANDS), selected)
    return context


def _tree(context: CommandContext) -> Any:
    def execute(operation: Operation, options: "OperationOptions") -> None:
        from unified_cli.commands.operation import mode as operations  # noqa: PLC0415  not for help

        operations.run(context.runtime, context.catalogue, operation, context.complete(options))

    listed = partial(aliases.listed, context.runtime, context.first_words)
    return tree.root(context.catalogue, stubs(COMMANDS, context), execute, context.remember, listed)
