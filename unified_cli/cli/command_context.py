"""What a built-in command is built with."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from unified_cli.catalogue import Catalogue
from unified_cli.runtime import Runtime

Complete = Callable[[dict[str, Any]], dict[str, Any]]
"""Gives the options of a command together with those that stood right after the program's name."""


class CommandContext(NamedTuple):
    """The world, the catalogue and the rest of the program, for one built-in command.

    `program` builds the whole tree of commands for a catalogue; `built_in` names the commands beside the APIs.
    """

    runtime: Runtime
    catalogue: Catalogue
    complete: Complete
    program: Callable[[Catalogue], Any]
    built_in: Sequence[str]
