"""Build the tree of commands.

Only the commands that lead to the typed command are built.
"""

import contextlib
import io
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import typer
from typer.core import TyperCommand, TyperGroup

from unified_cli.catalogue import Api, Catalogue, Operation, Resource, Service, either_dash
from unified_cli.cli.command import APIS, CommandContext, CommandStub, Entry, Group, Later
from unified_cli.cli.flags import Argument, Flag, Options, arguments_of, flags_of, typer_function
from unified_cli.cli.operation_options import class_for, operation_flags
from unified_cli.cli.option_parts import EarlyOptions
from unified_cli.cli.raw_words import last_value, words_before_dashes
from unified_cli.errors import UsageError
from unified_cli.output import stdout, terminal
from unified_cli.runtime import Runtime

if TYPE_CHECKING:
    from unified_cli.cli.help_page import HelpPage


@runtime_checkable
class TyperUsageError(Protocol):
    """A usage error of Typer's parser. Typer does not export most of these classes."""

    ctx: Any

    def format_message(self) -> str:
        """Return the error's message."""


_SHORT = "unified_cli.short_help"


class ParsedCommand(NamedTuple):
    """A parsed command line: its options, and the function to run."""

    runs: Any
    options: Options


def _pages() -> Any:
    from unified_cli.cli import help_page  # noqa: PLC0415  only help needs pages

    return help_page


def _usage_errors() -> Any:
    from unified_cli.cli import usage_errors  # noqa: PLC0415  only a wrong line needs them

    return usage_errors


def _operation_pages() -> Any:
    from unified_cli.cli import operation_pages  # noqa: PLC0415  as above

    return operation_pages


def _note_help(context: Any, words: Sequence[str]) -> None:
    """Remember whether the short or the whole help is requested.

    `-h` requests the short page, `--help` the whole page.
    """
    context.meta[_SHORT] = "--help" not in words


def _page(page: "HelpPage", context: Any) -> str:
    text: str = _pages().render(
        page, context.command_path, context.find_root().obj(), short=context.meta[_SHORT]
    )
    return text


class LeafCommand(TyperCommand):
    """A command. `takes` describes its arguments for completion, and `listed` has its
    subcommands.
    """

    page: Callable[[], "HelpPage"]
    takes: Sequence[str]
    listed: Mapping[str, CommandStub] = MappingProxyType({})

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments. Raises UsageError with a suggestion for an extra
        argument.
        """
        typed = [*args]
        _note_help(ctx, args)
        try:
            left: list[str] = super().parse_args(ctx, args)
        except Exception as error:
            if isinstance(error, TyperUsageError):
                # Typer does not say which command's option lacks a value.
                error.ctx = error.ctx or ctx
            raise
        if ctx.args:
            raise _usage_errors().argument_errors.one_too_many(ctx, ctx.args[0], typed)
        if "" in typed and (wrong := _usage_errors().argument_errors.empty(ctx)):
            raise wrong
        return left

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the command's help page."""
        formatter.write(_page(self.page(), ctx))


class CommandGroup(TyperGroup):
    """A group of commands. `kind` is the kind of its commands, such as `resource`."""

    entries: Mapping[str, CommandStub]
    kind: str
    page: Callable[[], "HelpPage"]

    @property
    def listed(self) -> Mapping[str, CommandStub]:
        """The commands in the order of the help page."""
        return {name: stub for name, stub in self.entries.items() if stub.about}

    def list_commands(self, _ctx: Any) -> list[str]:
        """Return the names in the order of the help page."""
        return list(self.listed)

    def get_command(self, _ctx: Any, cmd_name: str) -> Any:
        """Return the command of that name, or None.

        Also finds a command whose name differs only in its dashes and underscores.
        """
        name = either_dash(cmd_name, self.entries)
        return self.entries[name].build() if name else None

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments. Without arguments, show the help of the group."""
        _note_help(ctx, args)
        left: list[str] = super().parse_args(ctx, args or ["-h"])
        return left

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Return the command at the start of the arguments.

        Raises UsageError with a suggestion if it does not exist.
        """
        name = args[0]
        command = self.get_command(ctx, name)
        if command is None:
            errors = _usage_errors().unknown_commands
            raise errors.unknown_command(ctx, self.kind, self.listed, args)
        name, rest = command.name, args[1:]
        if isinstance(command, LeafCommand) and rest and rest[0] in command.listed:
            command = command.listed[rest[0]].build()
            return f"{name} {command.name}", command, rest[1:]
        return name, command, rest

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the group's help page."""
        formatter.write(_page(self.page(), ctx))


def root(
    catalogue: Catalogue,
    built_in: Mapping[str, CommandStub],
    remember: Callable[[EarlyOptions], None],
    aliases: Callable[[], Sequence[tuple[str, str]]] = tuple,
) -> Any:
    """Return the program as a command.

    `remember` is called with the options before the API. `aliases` are listed on the
    help page.
    """
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    callback = typer_function(EarlyOptions, remember, flags_of(EarlyOptions), ())
    app.callback(cls=CommandGroup, context_settings=_CONTEXT)(callback)
    made: Any = typer.main.get_command(app)
    apis = {
        api.name: CommandStub(api.about, partial(_api, catalogue.service, api), APIS)
        for api in catalogue.apis.values()
    }
    entries = {**apis, **built_in}
    made.kind, made.entries = "API or command", entries
    made.page = lambda: _pages().for_root(entries, aliases())
    return made


_CONTEXT = {"help_option_names": ["-h", "--help"]}


def _api(service: Service, api: Api) -> CommandGroup:
    entries = {
        resource.name: CommandStub(resource.about, partial(_resource, service, resource))
        for resource in api.resources.values()
    }
    return group(api.name, "resource", entries, lambda: _operation_pages().for_api(api))


def _resource(service: Service, resource: Resource) -> CommandGroup:
    entries = {
        operation.name: CommandStub(operation.summary, partial(_operation, service, operation))
        for operation in resource.operations.values()
    }
    return group(
        resource.name, "operation", entries, lambda: _operation_pages().for_resource(resource)
    )


def _operation(service: Service, operation: Operation) -> Any:
    options = class_for(operation)
    # A download has no id in its path, but takes the id of a record, to find its file.
    arguments = arguments_of(options) if operation.takes_id or operation.name == "download" else ()
    return leaf(
        operation.name,
        operation,
        lambda: _operation_pages().for_operation(operation, service),
        options,
        flags_of(options, operation=operation),
        arguments,
    )


def leaf(
    name: str,
    runs: Any,
    page: Callable[[], "HelpPage"],
    options: type[Options],
    flags: Sequence[Flag],
    arguments: Sequence[Argument],
) -> Any:
    """Return a Typer command for a class of options. It returns a ParsedCommand."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    read = typer_function(options, partial(ParsedCommand, runs), flags, arguments)
    app.command(name, cls=LeafCommand, context_settings={**_CONTEXT, "allow_extra_args": True})(
        read
    )
    command: Any = typer.main.get_command(app)
    command.page = lambda: page()._replace(flags=flags)
    command.takes = [word for argument in arguments for word in argument.takes]
    return command


def group(
    name: str, kind: str, entries: Mapping[str, CommandStub], make_page: Callable[[], "HelpPage"]
) -> CommandGroup:
    """Return a group of commands."""
    made = CommandGroup(name=name, context_settings=_CONTEXT)
    made.kind, made.entries, made.page = kind, entries, make_page
    return made


def built_in(commands: Mapping[str, Entry], context: CommandContext) -> dict[str, CommandStub]:
    """Return the built-in commands, which are imported when they are used."""
    return {
        name: CommandStub(
            command.about, partial(_built_in, name, command, context), brief=command.brief
        )
        for name, command in commands.items()
    }


def _built_in(name: str, entry: Entry, context: CommandContext) -> Any:
    command = entry.command.load() if isinstance(entry.command, Later) else entry.command
    if isinstance(command, Group):
        entries = built_in(command.commands, context)
        return group(
            name,
            command.kind,
            entries,
            lambda: _pages().for_group(command.text, command.example, entries),
        )
    flags = flags_of(command.options) if command.flags is None else command.flags
    arguments = arguments_of(command.options) if command.arguments is None else command.arguments
    if command.takes is not None:
        arguments = [
            argument._replace(takes=tuple(command.takes(context))) for argument in arguments
        ]
    made = leaf(
        name,
        command.run,
        lambda: _pages().for_command(entry.about, command),
        command.options,
        flags,
        arguments,
    )
    made.listed = built_in(command.commands, context)
    return made


def _one_dash_error(words: Sequence[str], argv: Sequence[str]) -> UsageError | None:
    known = {"--version", "--help", *(one for flag in operation_flags() for one in flag.spellings)}
    if known.isdisjoint(f"-{word}" for word in words):
        return None

    error: UsageError = _usage_errors().with_one_dash(argv)
    return error


def read(command: Any, argv: list[str], runtime: Runtime) -> ParsedCommand | None:
    """Parse the command line, or print help and return None.

    Commands do not run inside Typer: imports are slower so deep in the stack, where
    each call would allocate a chunk of stack memory and free it again. Raises
    UsageError if Typer cannot parse the words, or if a long option has a single dash.
    """
    # Skip short options, which are a dash and one letter.
    short = [
        one for word in argv if len(one := word.partition("=")[0]) > 2 and one[0] == "-" != one[1]
    ]
    if short and (error := _one_dash_error(short, argv)):
        raise error
    page, printed = partial(_for_help, argv, runtime), io.StringIO()
    try:
        # Typer prints help to a buffer. Tell it to keep the colours of the page, which
        # has colours only if they are allowed. Copy `argv`, because Typer removes words
        # from it.
        with (
            contextlib.redirect_stdout(printed),
            command.make_context("unified", [*argv], obj=page, color=True) as context,
        ):
            parsed: ParsedCommand = command.invoke(context)
    except typer.Exit:
        stdout.show(runtime, [terminal.styled(printed.getvalue())])
        return None
    except Exception as error:
        if isinstance(error, TyperUsageError):
            raise _usage_errors().from_typer(error, argv) from None
        raise
    return parsed


def _for_help(argv: Sequence[str], runtime: Runtime) -> Runtime:
    """Return the runtime for a help page.

    Pager and colour are taken from the unparsed words.
    """
    if "--no-pager" in words_before_dashes(argv):
        stdout.bypass_pager(runtime)
    return runtime._replace(color=last_value(argv, "--color") or runtime.color)
