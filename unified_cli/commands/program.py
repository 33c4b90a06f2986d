"""The program's commands put together: the catalogue's operations and the built-in ones."""

from collections.abc import Mapping
from typing import Any

from unified_cli.catalogue import Catalogue, Operation
from unified_cli.commands import tree
from unified_cli.commands.entry import Entry
from unified_cli.config.own_catalogue import own_catalogue
from unified_cli.runtime import Runtime

COMMANDS: Mapping[str, tuple[str, str]] = {
    "request": ("request", "Call any path below the base URL"),
    "export": ("export", "Write many lists of many connections to files"),
    "import": ("import_records", "Send every record of a file, once"),
    "operations": ("operations", "Search what can be called"),
    "help": ("help", "Read about exit codes, output, profiles and the rest"),
    "completion": ("completion", "Complete commands with TAB"),
    "sandbox": ("sandbox", "The service in small, on this machine"),
    "doctor": ("doctor", "Find what is wrong on this machine and on the way to the service"),
    "profile": ("profile", "Name connections, and say once where their tokens are"),
}
"""The commands beside the APIs: the module of this package that makes each, and what it is for."""


def run(argv: list[str], runtime: Runtime, catalogue: Catalogue | None = None) -> None:
    """Run a command line; whatever goes wrong is a UnifiedError."""
    if asked := tree.read(whole(runtime, catalogue or own_catalogue(runtime, COMMANDS)), argv, runtime):
        asked()


def whole(runtime: Runtime, catalogue: Catalogue) -> Any:
    """The whole program as one command, of which nothing below the first level is built yet."""
    earlier: dict[str, Any] = {}

    def execute(operation: Operation, given: dict[str, Any]) -> None:
        from unified_cli.commands import call  # noqa: PLC0415  help needs none of it
        from unified_cli.config.select import is_several  # noqa: PLC0415  as above

        given = later(given, earlier, runtime)
        if is_several(given.get("profile") or ()):
            from unified_cli.commands import several  # noqa: PLC0415  most calls are for one connection

            several.run(runtime, catalogue, operation, given)
        else:
            call.operation(runtime, catalogue, operation, given)

    return tree.root(catalogue, _built_in(catalogue, runtime, earlier), execute, earlier.update)


def later(given: dict[str, Any], earlier: Mapping[str, Any], runtime: Runtime) -> dict[str, Any]:
    """The options after the operation, completed by those right after the program's name."""
    verbosity = given.get("verbose", 0) + earlier.get("verbose", 0)
    merged = {**given, "verbose": verbosity}
    for name, value in earlier.items():
        if merged.get(name) in (None, []):
            merged[name] = value
    runtime.talk.verbosity = verbosity
    return merged


def _built_in(catalogue: Catalogue, runtime: Runtime, earlier: dict[str, Any]) -> dict[str, Entry]:
    def entry(module: str, about: str) -> Entry:
        def build() -> Any:
            from importlib import import_module  # noqa: PLC0415  only the asked command is imported

            def complete(given: dict[str, Any]) -> dict[str, Any]:
                return later(given, earlier, runtime)

            return import_module(f"unified_cli.commands.{module}").command(runtime, catalogue, complete)

        return Entry(about, build)

    return {name: entry(module, about) for name, (module, about) in COMMANDS.items()}
