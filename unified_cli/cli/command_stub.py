"""A place in the tree of commands that is not built yet."""

from collections.abc import Callable
from typing import Any, NamedTuple


class CommandStub(NamedTuple):
    """A command that can be had: what it is for, and how to build it."""

    about: str
    build: Callable[[], Any]
    section: str = ""
