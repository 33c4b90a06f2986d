"""What the `profile` commands share: their options, how they are built, and whom they may ask."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from unified_cli.cli import tree
from unified_cli.cli.command_context import Complete
from unified_cli.cli.help_page import EXAMPLE, HelpPage, Rows
from unified_cli.cli.options import FLAGS, Flag
from unified_cli.config.keys import KEYS
from unified_cli.errors import ConfigError
from unified_cli.runtime import Runtime

TALK = tuple(FLAGS[name] for name in ("verbose", "quiet", "no_input"))


def build(
    name: str,
    about: str,
    run: Callable[[dict[str, Any]], None],
    *,
    runtime: Runtime,
    complete: Complete,
    example: str,
    arguments: Sequence[inspect.Parameter] = (),
    flags: Sequence[Flag] = (),
    usage: str = "",
    more: Sequence[str] = (),
    sections: Sequence[tuple[str, Rows | str]] = (),
    takes: Sequence[str] = (),
) -> Any:
    """A `profile` command that calls `run` with its options.

    `-o` and `-p` right after the program's name count only where the command has them too: they are about the call, and
    never what is to stand in a profile.
    """
    all_flags = [*flags, *TALK]

    def start(given: dict[str, Any]) -> None:
        merged = complete(dict(given))
        given = {key: merged[key] for key in (*given, "verbose")}
        runtime.stderr.quiet = setting(runtime, given, "quiet")
        run(given)

    return tree.leaf(
        name,
        start,
        [*arguments, *(flag.parameter() for flag in all_flags)],
        lambda: HelpPage(
            f"{usage} [options]".strip(), [f"{about}.", *more], [(EXAMPLE, example), *sections], all_flags
        ),
        takes,
    )


def setting(runtime: Runtime, given: dict[str, Any], name: str) -> bool:
    """A yes-or-no setting as the flag or the environment has it, for commands that must work without the file."""
    key = KEYS[name]
    if given.get(name):
        return True
    value = runtime.environ.get(key.variable)
    try:
        return bool(key.parse(value)) if value else False
    except ValueError as error:
        raise ConfigError(f"the environment: {key.variable} {error}, not {value!r}") from None


def may_ask(runtime: Runtime, given: dict[str, Any]) -> bool:
    """Whether somebody is there to answer."""
    return runtime.stdin_is_terminal and runtime.stderr_is_terminal and not setting(runtime, given, "no_input")
