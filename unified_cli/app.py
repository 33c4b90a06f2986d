"""The program's commands put together: the catalogue's operations and the built-in ones."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from unified_cli.catalogue import Catalogue, Operation
from unified_cli.cli import tree
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.command_stub import CommandStub
from unified_cli.cli.options import EarlyOptions, OperationOptions
from unified_cli.config.user_catalogue import own_catalogue
from unified_cli.runtime import Runtime
from unified_cli.stderr import Stderr

if TYPE_CHECKING:
    from unified_cli.docs.command_index import CommandEntry

COMMANDS: Mapping[str, tuple[str, str]] = {
    "request": ("request_command", "Call any path below the base URL"),
    "export": ("export_lists.export_command", "Write many lists of many connections to files"),
    "import": ("import_records.import_command", "Send every record of a file, once"),
    "operations": ("operations_command", "Search what can be called"),
    "help": ("help_command", "Read about exit codes, output, profiles and the rest"),
    "completion": ("completion_command", "Complete commands with TAB"),
    "sandbox": ("sandbox_command", "The service in small, on this machine"),
    "doctor": ("doctor.doctor_command", "Find what is wrong on this machine and on the way to the service"),
    "profile": ("profile.profile_command", "Name connections, and say once where their tokens are"),
}
"""The commands beside the APIs: the module of this package that makes each, and what it is for."""


def run(argv: list[str], runtime: Runtime, catalogue: Catalogue | None = None) -> None:
    """Run a command line; whatever goes wrong is a UnifiedError."""
    if asked := tree.read(whole(runtime, catalogue or own_catalogue(runtime, COMMANDS)), argv, runtime):
        asked()


def whole(runtime: Runtime, catalogue: Catalogue) -> Any:
    """The whole program as one command, of which nothing below the first level is built yet."""
    early = [EarlyOptions()]
    context = CommandContext(runtime, catalogue, lambda: early[-1], partial(whole, runtime), tuple(COMMANDS))

    def execute(operation: Operation, options: OperationOptions) -> None:
        from unified_cli.config.profiles import is_several  # noqa: PLC0415  help needs none of it

        options = context.complete(options)
        if is_several(options.profile):
            from unified_cli.call import fan_out  # noqa: PLC0415  most calls are for one connection

            fan_out.run(runtime, catalogue, operation, options)
        else:
            from unified_cli.call import single  # noqa: PLC0415  as above

            single.operation(runtime, catalogue, operation, options)

    return tree.root(catalogue, _built_in(context), execute, early.append)


def index(catalogue: Catalogue) -> "list[CommandEntry]":
    """Every group and command, for what is generated from them."""
    from unified_cli.docs.command_index import command_entries  # noqa: PLC0415  builds every command

    nowhere = Runtime(stdin=None, stdout=None, stderr=Stderr(None), environ={}, columns=80, folders={})
    return command_entries(whole(nowhere, catalogue))


def _built_in(context: CommandContext) -> dict[str, CommandStub]:
    def entry(module: str, about: str) -> CommandStub:
        def build() -> Any:
            from importlib import import_module  # noqa: PLC0415  only the asked command is imported

            return import_module(f"unified_cli.commands.{module}").command(context)

        return CommandStub(about, build)

    return {name: entry(module, about) for name, (module, about) in COMMANDS.items()}
