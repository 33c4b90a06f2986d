"""One operation of the catalogue, from typed options to its result."""

from collections.abc import Callable
from enum import Enum, auto
from typing import Literal, NamedTuple

from unified_cli.catalogue import Catalogue, Operation
from unified_cli.cli.options import CallOptions
from unified_cli.config.settings import Settings
from unified_cli.http.request import Request
from unified_cli.runtime import Runtime


class ModeKind(Enum):
    """The kinds of modes: how an operation gets from typed options to results."""

    ONE = auto()
    """One request to one connection."""
    EDITED = auto()
    """Have a person change the record in an editor, and send what was changed."""
    SKELETON = auto()
    """Print a body to fill in; no connection is needed."""
    DESCRIBED = auto()
    """Ask the connection what the operation takes, and print that."""
    FOLLOWED = auto()
    """Read lists again and again, and print new records."""
    CHECKED = auto()
    """Read, until a condition holds if there is one, and judge expectations."""
    LINES = auto()
    """A request for each id or record on standard input."""
    FILES = auto()
    """A download for each id or record of a file."""
    READS = auto()
    """The same read from several connections."""
    WRITES = auto()
    """The same write to several connections, as a run."""


class Place(Enum):
    """Where a result goes."""

    STDOUT = auto()
    STREAM = auto()
    """A device, a named pipe or an open descriptor."""
    FILE = auto()
    FOLDER = auto()


class Delivery(Enum):
    """How a result gets to its place."""

    DOCUMENT = auto()
    """One response, written when it is complete."""
    RECORDS = auto()
    """The records of a list, page by page."""
    PAGES = auto()
    """The records of a list into a file, resumed where an earlier run stopped."""
    DOWNLOAD = auto()
    """One response into a file or a folder while it comes, unchanged."""


class Mode(NamedTuple):
    """The mode of an operation: its kind, whether it goes to several connections, and
    how requests are shown instead of sent.
    """

    kind: ModeKind = ModeKind.ONE
    several: bool = False
    shown: Literal["json", "curl"] | None = None


class Call(NamedTuple):
    """The parts of one call: the runtime, the catalogue, the settings of one
    connection, the typed options, and how its result is delivered.
    """

    runtime: Runtime
    catalogue: Catalogue
    settings: Settings
    options: CallOptions
    mode: Mode = Mode()
    delivery: Delivery = Delivery.DOCUMENT


RequestOf = Callable[[Call, Operation], Request]
"""Builds the request of an operation for a call."""
