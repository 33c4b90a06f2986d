"""The whole program: the catalogue's operations and the built-in commands."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from unified_cli.catalogue import Catalogue, Operation
from unified_cli.cli import aliases, tree
from unified_cli.cli.command import CommandContext, Later, yes_or_no
from unified_cli.cli.flags import Options, by_name, names_of
from unified_cli.cli.option_parts import EarlyOptions, EvidenceOptions, MessageOptions
from unified_cli.commands import COMMANDS
from unified_cli.config.keys import errors_are_json
from unified_cli.config.user_catalogue import own_catalogue
from unified_cli.errors import UsageError
from unified_cli.output import formats, stdout
from unified_cli.runtime import Runtime

OptionsT = TypeVar("OptionsT", bound=Options)
Work = Callable[[CommandContext, Any], None]
"""The function that runs a command: it takes a context and the options."""


def read(
    argv: list[str], runtime: Runtime, catalogue: Catalogue | None = None
) -> Callable[[], None] | None:
    """Return a function that runs the command line.

    Returns None after printing help, if the command line asks for help. Raises
    UsageError and ConfigError.
    """
    if not argv and runtime.stdout_is_terminal:
        from unified_cli.commands.help import first_steps_are_due, show_first_steps  # noqa: PLC0415

        if first_steps_are_due(runtime):
            return partial(show_first_steps, runtime)
    context = _context(runtime, catalogue or own_catalogue(runtime, COMMANDS))
    words = aliases.expand(argv, runtime, context.first_words)
    before: list[EarlyOptions] = []
    parsed = tree.read(_tree(context, before.append), words, runtime)
    if parsed is None:
        return None
    if words == argv:
        aliases.warn_of_shadowed(argv, runtime)
    early = before[-1]
    context = context._replace(runtime=_with_message_options(runtime, parsed.options, early))
    options = _merged(parsed.options, early) if early.changed_values() else parsed.options
    runtime.stderr.verbosity = getattr(options, "verbose", early.verbose)
    if isinstance(parsed.runs, Operation):
        from unified_cli.commands.operation import mode  # noqa: PLC0415  not for help

        return _with_files(context, partial(mode.run, parsed.runs), options)
    work = parsed.runs.load() if isinstance(parsed.runs, Later) else parsed.runs
    return _with_files(context, work, _of_built_in(runtime, options))


def _with_message_options(runtime: Runtime, options: Options, early: EarlyOptions) -> Runtime:
    output = getattr(options, "output", None) or early.output
    json_requested = early.json_errors or getattr(options, "json_errors", False)
    runtime.stderr.machine = errors_are_json(output, runtime, asked=json_requested)
    if early.no_pager or getattr(options, "no_pager", False):
        stdout.bypass_pager(runtime)
    if isinstance(options, MessageOptions):
        return runtime._replace(color=options.color, pretty=options.pretty)
    return runtime


def _merged(options: OptionsT, early: EarlyOptions) -> OptionsT:
    """Return the options of a command, merged with the options before the command.

    If an option is given in both places, the one after the command is used; the values
    of `-p` are combined. Raises UsageError if the command does not have a connection
    option that was given before it. `-p` and `-o` are ignored instead, because they may
    be in a shell alias.
    """
    nothing: tuple[object, ...] = ((), None, False)
    messages = names_of(MessageOptions)
    given = {name: value for name, value in early.changed_values() if name not in messages}
    found = {name: value for name, value in given.items() if getattr(options, name, "") in nothing}
    if early.profile and (own := getattr(options, "profile", ())):
        found["profile"] = (*early.profile, *own)
    for name in given.keys() - {"profile", "output"}:
        if not hasattr(options, name):
            raise UsageError(
                f"this command does not take {by_name(EarlyOptions)[name].spellings[-1]}"
            )
    if hasattr(options, "verbose"):
        found["verbose"] = options.verbose + early.verbose
    return replace(options, **found)


def _of_built_in(runtime: Runtime, options: OptionsT) -> OptionsT:
    """Return the options of a built-in command.

    Most built-in commands read no settings, so determine the format and whether to be
    quiet here. Raises UsageError if the command does not support the format.
    """
    output = getattr(options, "output", None)
    # A command that makes a call reads its format from the settings.
    if output is not None and not options.reads_settings:
        if output == formats.AUTO:
            output = str(formats.named(output, terminal=runtime.stdout_is_terminal))
            found = {"output": output}
            options = replace(options, **found)
        # `-o` before the command accepts all formats of operations, so check the format
        # here.
        formats.check_choice(output, by_name(type(options))["output"].choices)
    if hasattr(options, "quiet"):
        # A command that reads settings sets this again, because the config file may
        # also say so.
        runtime.stderr.quiet = yes_or_no(runtime, options.quiet, "quiet")
    return options


def _with_files(context: CommandContext, work: Work, options: Options) -> Callable[[], None]:
    """Return the work of a command. It first selects the connections of the runs in
    `-p`, and opens the files of `--record` and `--replay`.
    """
    if any(pattern.startswith(("run:", "!run:")) for pattern in getattr(options, "profile", ())):
        work = partial(_of_runs, work)
    if isinstance(options, EvidenceOptions) and (
        options.record is not None or options.replay is not None
    ):
        work = partial(_with_evidence, work)
    return partial(work, context, options)


def _of_runs(work: Work, context: CommandContext, options: Any) -> None:
    from unified_cli.writes import selection  # noqa: PLC0415  few selections name a run

    work(
        context,
        replace(
            options,
            profile=selection.selected(
                context.runtime, context.catalogue, options, options.profile
            ),
        ),
    )


def _with_evidence(work: Work, context: CommandContext, options: EvidenceOptions) -> None:
    from unified_cli.http import evidence  # noqa: PLC0415  most commands do neither

    files = evidence.Evidence(options.record, options.replay)
    with evidence.record_or_replay(context.runtime, context.catalogue.service, files) as changed:
        work(context._replace(runtime=changed), options)


def whole(runtime: Runtime, catalogue: Catalogue) -> Any:
    """Return the whole program as one command.

    The commands below its first level are built when they are needed.
    """
    return _tree(_context(runtime, catalogue), lambda _: None)


def _context(runtime: Runtime, catalogue: Catalogue) -> CommandContext:
    words = (*catalogue.apis, *COMMANDS)

    def again(argv: Sequence[str]) -> None:
        """Run another command. Raises the errors of `read` and of the command."""
        if command := read([*argv], runtime, catalogue):
            command()

    return CommandContext(runtime, catalogue, partial(whole, runtime), words, again)


def _tree(context: CommandContext, remember: Callable[[EarlyOptions], None]) -> Any:
    listed = partial(aliases.valid_aliases, context.runtime, context.first_words)
    return tree.root(context.catalogue, tree.built_in(COMMANDS, context), remember, listed)
