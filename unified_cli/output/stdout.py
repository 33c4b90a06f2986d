"""The only writer of stdout, and the errors of writing to it."""

import errno
from collections.abc import Iterable

from unified_cli.errors import StorageError
from unified_cli.runtime import Runtime


class ClosedError(Exception):
    """The reader of stdout has closed it, as `head` does."""


def check(runtime: Runtime) -> None:
    """Raise StorageError where stdout is closed; to be called before a request is sent."""
    if runtime.stdout is None:
        raise StorageError("standard output is closed, so the result cannot be shown")


def write(runtime: Runtime, chunks: Iterable[bytes]) -> None:
    """Write each chunk at once.

    Raises ClosedError where its reader has closed it, StorageError where stdout cannot be written.
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
    """The error to raise for one of the operating system."""
    if error.errno in {errno.EPIPE, errno.ESHUTDOWN}:
        return ClosedError()
    return StorageError(f"cannot write to {error.filename or 'standard output'}: {error.strerror}")
