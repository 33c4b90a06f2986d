"""A command of the tree that is not built yet."""

from collections.abc import Callable
from typing import Any, NamedTuple

APIS = "APIs"
"""The section of the first page with the commands that are APIs."""
EXAMPLE = "Example"
EXAMPLES = "Examples"
"""The headings of a page above one command line, and above several."""


class CommandStub(NamedTuple):
    """What a command is for, and the function that builds it."""

    about: str
    build: Callable[[], Any]
    section: str = ""
