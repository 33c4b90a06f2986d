"""The only writer of stdout, and what its failures mean."""

import errno
from collections.abc import Iterable

from unified_cli.errors import StorageError
from unified_cli.runtime import Runtime


class ClosedError(Exception):
    """The reader of stdout has gone, which is its right."""


def check(runtime: Runtime) -> None:
    """Raise StorageError, before anything is asked of the service, where there is no stdout to write to."""
    if runtime.stdout is None:
        raise StorageError("standard output is closed, so the result cannot be shown")


def write(runtime: Runtime, chunks: Iterable[bytes]) -> None:
    """Write each chunk at once.

    Raises ClosedError where nobody reads any more, StorageError where stdout cannot be written.
    """
    check(runtime)
    assert runtime.stdout is not None  # noqa: S101  just checked
    for chunk in chunks:
        try:
            runtime.stdout.write(chunk)
            runtime.stdout.flush()
        except OSError as error:
            raise failure(error) from None


def failure(error: OSError) -> Exception:
    """What an error of writing to stdout means."""
    if error.errno in {errno.EPIPE, errno.ESHUTDOWN}:
        return ClosedError()
    return StorageError(f"cannot write to standard output: {error.strerror}")
