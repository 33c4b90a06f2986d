"""Run one operation of the catalogue: from the typed options to the printed result."""

from collections.abc import Callable
from enum import Enum, auto
from typing import Literal, NamedTuple

from unified_cli.catalogue import Catalogue, Operation
from unified_cli.cli.options import CallOptions
from unified_cli.config.settings import Settings
from unified_cli.http.request import Request
from unified_cli.runtime import Runtime


class ModeKind(Enum):
    """How an operation is run."""

    ONE = auto()
    """One request to one connection."""
    EDITED = auto()
    """Let the user change the record in an editor, and send the changes."""
    SKELETON = auto()
    """Print a body to fill in, without a connection."""
    DESCRIBED = auto()
    """Print the connection's own description of the operation."""
    FOLLOWED = auto()
    """Read lists repeatedly, and print new records."""
    CHECKED = auto()
    """Read, possibly until a condition holds, and check expectations."""
    LINES = auto()
    """Send a request for each id or record on standard input."""
    FILES = auto()
    """Download the file of each id or record in a file."""
    READS = auto()
    """Read from several connections."""
    WRITES = auto()
    """Send a write to several connections, as a run."""


class Place(Enum):
    """Where a result goes."""

    STDOUT = auto()
    STREAM = auto()
    """A device, a named pipe or an open descriptor."""
    FILE = auto()
    FOLDER = auto()


class Delivery(Enum):
    """How a result is written."""

    DOCUMENT = auto()
    """One response, written when it is complete."""
    RECORDS = auto()
    """The records of a list, page by page."""
    PAGES = auto()
    """The records of a list, in a file that can be resumed."""
    DOWNLOAD = auto()
    """One unchanged response, streamed to a file or a folder."""


class Mode(NamedTuple):
    """How to run a call: its kind, whether it has several connections, and whether and
    how to print requests instead of sending them.
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
