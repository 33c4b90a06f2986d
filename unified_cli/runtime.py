"""The environment of a command: streams, variables, clock, folders, transport.

Tests create their own.
"""

import io
import os
import random
import select
import shutil
import stat
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    BinaryIO,
    Literal,
    NamedTuple,
    Protocol,
    TextIO,
    TypeVar,
    cast,
)

import platformdirs

from unified_cli import signals
from unified_cli.stderr import Stderr

if TYPE_CHECKING:
    import httpx
    from _typeshed import ReadableBuffer, WriteableBuffer

APP = "unified"
TOKEN_VARIABLE = "UNIFIED_TOKEN"  # noqa: S105  the name of the variable, not a token
T = TypeVar("T")


class _DescriptorStream(io.RawIOBase):
    """A stream that reads or writes a file descriptor, and does not close it.

    Terminal multiplexers and Node.js pass on pipes and terminals in non-blocking mode,
    and other programs may set it at any time. A write may then be partial, and a read
    may find nothing yet. Other programs share the mode, so this program must not change
    it.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def fileno(self) -> int:
        return self._descriptor


class WholeWriter(_DescriptorStream):
    """Writes complete data to a descriptor, even if the reader is slow."""

    def writable(self) -> bool:
        """Always."""
        return True

    def write(self, data: "ReadableBuffer", /) -> int:
        """Write all of the data; return its length.

        Raises OSError if the descriptor cannot be written.
        """
        rest = memoryview(data).cast("B")
        size = len(rest)
        while rest:
            written = _when_ready(
                self._descriptor, select.POLLOUT, partial(os.write, self._descriptor, rest)
            )
            rest = rest[written:]
        return size


class PatientReader(_DescriptorStream):
    """Reads from a descriptor, and waits if nothing is available yet."""

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        """Fill the buffer with the available bytes. Returns 0 at the end of the file.

        Raises OSError if nothing can be read.
        """
        view = memoryview(buffer).cast("B")
        # A signal just before a read would not interrupt it.
        _wait_until_ready(self._descriptor, select.POLLIN)
        data = _when_ready(
            self._descriptor, select.POLLIN, partial(os.read, self._descriptor, len(view))
        )
        view[: len(data)] = data
        return len(data)


def _when_ready(descriptor: int, event: int, act: Callable[[], T]) -> T:
    while True:
        try:
            return act()
        except BlockingIOError:
            _wait_until_ready(descriptor, event)


def _wait_until_ready(descriptor: int, event: int) -> None:
    waiting = select.poll()
    waiting.register(descriptor, event)
    while not waiting.poll(1000 * signals.LONGEST_WAIT):
        pass


class Exchanges(Protocol):
    """A layer between a command and the network. It records exchanges, or replays a
    recording.
    """

    @property
    def replays(self) -> bool:
        """Whether every response comes from a recording."""

    def transport(
        self,
        opened: "Callable[[], httpx.BaseTransport]",
        describe: Any,  # a callable of a package above
        /,
    ) -> "httpx.BaseTransport":
        """Return the transport to use instead of the transport that `opened`
        returns.
        """


class Runtime(NamedTuple):
    """The environment of a command.

    A stream is None if its descriptor was closed when the program began. `transport`
    replaces the network.
    """

    stdin: BinaryIO | None
    stdout: BinaryIO | None
    stderr: Stderr
    environ: Mapping[str, str]
    stdin_is_terminal: bool = False
    stdout_is_terminal: bool = False
    stderr_is_terminal: bool = False
    encoding: str = "utf-8"
    """The encoding of a terminal at stdout."""
    color: str = "auto"
    """Whether stdout is coloured: `auto`, `always` or `never`."""
    pretty: bool = False
    """Whether to indent JSON even if stdout is not a terminal."""
    columns: int | None = None
    """The terminal's width; None asks the terminal."""
    folders: Mapping[str, Path] | None = None
    """Where `cache`, `config` and `data` live; None asks the operating system."""
    monotonic: Callable[[], float] = time.monotonic
    """Seconds that never go back, for waits and deadlines."""
    wall: Callable[[], float] = time.time
    """Seconds since 1970, for times that people see. Use `monotonic` for waits."""
    sleep: Callable[[float], None] = time.sleep
    check: Callable[[], None] = lambda: None
    """Raises AbandonedError before a request whose response is no longer wanted."""
    uniform: Callable[[float, float], float] = random.uniform
    transport: "Callable[[], httpx.BaseTransport] | None" = None
    exchanges: Exchanges | None = None

    @classmethod
    def system(cls) -> "Runtime":
        """Return this process's runtime, and remove the token from the environment."""
        stderr = _writer(sys.stderr)
        environ = dict(os.environ)
        # Other programs inherit the environment, and jq programs show it.
        os.environ.pop(TOKEN_VARIABLE, None)
        return cls(
            stdin=None
            if sys.stdin is None
            else io.BufferedReader(PatientReader(sys.stdin.fileno())),
            stdout=_writer(sys.stdout),
            stderr=Stderr(stderr, encoding=sys.stderr.encoding if sys.stderr else "ascii"),
            environ=environ,
            stdin_is_terminal=_is_terminal(sys.stdin),
            stdout_is_terminal=_is_terminal(sys.stdout),
            stderr_is_terminal=_is_terminal(sys.stderr),
            encoding=sys.stdout.encoding if sys.stdout else "ascii",
        )

    @property
    def replays(self) -> bool:
        """Whether every response comes from a recording.

        A replay needs no token, and does not learn rate limits.
        """
        return self.exchanges is not None and self.exchanges.replays

    @property
    def width(self) -> int:
        """The width of the output: the width of the terminal, or 80 columns without a
        terminal.
        """
        if self.columns is not None:
            return self.columns
        return shutil.get_terminal_size().columns if self.stdout_is_terminal else 80

    @property
    def shares_terminal(self) -> bool:
        """Whether the program that reads stdout may write to the terminal.

        `less`, for example, writes to the terminal at stderr as well.
        """
        if not self.stderr_is_terminal or self.stdout_is_terminal:
            return False
        status = self._stdout_status()
        return status is not None and stat.S_ISFIFO(status.st_mode)

    def prints_into(self, path: Path) -> bool:
        """Return whether stdout is this file, which the shell has already truncated."""
        status = self._stdout_status()
        try:
            return status is not None and os.path.samestat(status, path.stat())
        except OSError:
            return False

    def _stdout_status(self) -> os.stat_result | None:
        try:
            return None if self.stdout is None else os.fstat(self.stdout.fileno())
        except (OSError, ValueError):
            return None

    def has_colour(self, *, stderr: bool = False) -> bool:
        """Return whether stdout or stderr is coloured.

        The option `--color` decides first, then the environment variables, and then
        whether the stream is a terminal.

        The variables are those of no-color.org and bixense.com/clicolors, and
        FORCE_COLOR. An empty variable counts as unset. A dumb terminal has no colours.
        """
        if self.color != "auto":
            return self.color == "always"
        if self.environ.get("NO_COLOR"):
            return False
        if any(
            self.environ.get(name, "") not in {"", "0"}
            for name in ("FORCE_COLOR", "CLICOLOR_FORCE")
        ):
            return True
        is_terminal = self.stderr_is_terminal if stderr else self.stdout_is_terminal
        return (
            is_terminal
            and self.environ.get("TERM") != "dumb"
            and self.environ.get("CLICOLOR") != "0"
        )

    def folder(self, kind: Literal["cache", "config", "data"]) -> Path | None:
        """Return the user's folder of this kind.

        The folder may not exist. Returns None if the user has no home directory.
        """
        if self.folders is not None:
            return self.folders.get(kind)
        # Without a home directory, platformdirs would return a folder below "/".
        if self.environ.get("HOME") in ("", "/"):
            return None

        ask = {
            "cache": platformdirs.user_cache_path,
            "config": platformdirs.user_config_path,
            "data": platformdirs.user_data_path,
        }
        try:
            return ask[kind](APP, appauthor=False)
        except RuntimeError:
            # The user has no HOME and is not in the system's list of users, as in some
            # containers.
            return None

    def has_cached(self, name: str) -> bool:
        """Return whether this user can see a file or folder with this name in the
        cache.
        """
        folder = self.folder("cache")
        # `os.path` is used, because `Path.exists` raises if access is denied.
        return folder is not None and os.path.exists(folder / name)  # noqa: PTH110


def as_typed(text: str) -> str:
    """Return the text of an argument.

    If Python decodes arguments as ASCII, it keeps the bytes of UTF-8 as lone
    surrogates.
    """
    if text.isascii():
        return text
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8")
    except UnicodeError:
        return text


def _writer(stream: TextIO | None) -> BinaryIO | None:
    # Do not buffer: if a signal interrupted a write, the buffer would write the same
    # text again at the end.
    return None if stream is None else cast("BinaryIO", WholeWriter(stream.fileno()))


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()
