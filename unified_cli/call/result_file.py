"""Write the result to `--out` instead of standard output, atomically."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from unified_cli.call import Call
from unified_cli.errors import IncompleteError
from unified_cli.plural import counted
from unified_cli.storage import output_file
from unified_cli.storage.atomic_file import AtomicFile

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _FileOutput(io.RawIOBase):
    """Writes to a temporary file. Errors show its later name."""

    def __init__(self, file: AtomicFile, path: Path) -> None:
        self._file, self._path = file, path

    def writable(self) -> bool:
        return True

    def write(self, data: "ReadableBuffer", /) -> int:
        """Write all of the data, and return its length. Raises OSError."""
        chunk = bytes(data)
        try:
            self._file.write(chunk)
        except OSError as error:
            error.filename = str(self._path)
            raise
        return len(chunk)


@contextmanager
def open_result(call: Call) -> Iterator[Call]:
    """Yield the call with `--out` as standard output.

    A file gets its name at the end of the block or after IncompleteError, and is
    discarded after other errors. Devices and pipes are written to at once. Raises
    StorageError, before the block if the target cannot be written.
    """
    path = Path(call.options.out or "")
    options = replace(call.options, out=None)
    stream = output_file.open_stream(path)
    if stream is not None:
        with stream:
            # `--out` may also be a terminal.
            runtime = call.runtime._replace(
                stdout=cast("BinaryIO", stream), stdout_is_terminal=stream.isatty()
            )
            yield call._replace(runtime=runtime, options=options)
        return
    with output_file.opened(path, force=call.options.force) as file:
        output = cast("BinaryIO", _FileOutput(file, path))
        runtime = call.runtime._replace(stdout=output, stdout_is_terminal=False, color="never")
        incomplete = None
        try:
            yield call._replace(runtime=runtime, options=options)
        except IncompleteError as error:
            incomplete = error
    call.runtime.stderr.note(f"wrote {counted(file.size, 'byte')} to {path}")
    if incomplete:
        raise incomplete
