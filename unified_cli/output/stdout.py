"""Write to stdout, and escape untrusted text for a terminal."""

import codecs
import errno
import re
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from itertools import chain

from unified_cli.errors import StorageError
from unified_cli.json_text.json_codec import encoded
from unified_cli.output import pager, terminal
from unified_cli.output.pager import PagedStdout
from unified_cli.output.terminal import TerminalText
from unified_cli.runtime import Runtime
from unified_cli.values import Json

_PIECE = 8 * 1024
_COLOURED = 256 * 1024
# A text may be cut after these characters. They never separate a key from its colon, by
# which a key is recognised.
_LINE_END = re.compile(rb"[][{},][ \t\r]*+\n")


class ClosedError(Exception):
    """The reader of stdout, such as `head`, has closed it."""


class QuitError(ClosedError):
    """The user has quit the pager, so reading can stop."""


def paged(runtime: Runtime) -> AbstractContextManager[Runtime]:
    """Return a context manager that shows long output to a terminal in a pager."""
    if not runtime.stdout_is_terminal:
        return nullcontext(runtime)

    return pager.opened(runtime)


def bypass_pager(runtime: Runtime) -> None:
    """Show further output immediately, without the pager.

    Raises the same errors as `write`.
    """
    if (pager := _pager(runtime)) is not None:
        try:
            pager.bypass_pager()
        except OSError as error:
            raise failure(error) from None


def check_read(runtime: Runtime) -> None:
    """Raise QuitError if the user has quit the pager. Call it before reading more data
    to print.
    """
    if (pager := _pager(runtime)) is not None and pager.is_quit():
        raise QuitError


def end_pager(runtime: Runtime) -> None:
    """Terminate the pager."""
    if (pager := _pager(runtime)) is not None:
        pager.kill()


def _pager(runtime: Runtime) -> PagedStdout | None:
    if not runtime.stdout_is_terminal:
        return None

    return runtime.stdout if isinstance(runtime.stdout, PagedStdout) else None


def check(runtime: Runtime) -> None:
    """Raise StorageError if stdout is closed. Call it before sending a request."""
    if runtime.stdout is None:
        raise StorageError("standard output is closed, so the result cannot be shown")


def write(runtime: Runtime, chunks: Iterable[bytes]) -> None:
    """Write each chunk immediately.

    Control characters are escaped on a terminal. Raises ClosedError if the reader has
    closed stdout, and StorageError if stdout cannot be written.
    """
    if runtime.stdout_is_terminal:
        show(runtime, _visible(chunks))
    else:
        _write(runtime, chunks)


def show(runtime: Runtime, texts: Iterable[TerminalText]) -> None:
    """Write each text immediately, in the terminal's encoding.

    Characters that the encoding lacks are escaped. Raises the same errors as `write`.
    """
    _write(runtime, (text.encode(runtime.encoding, "backslashreplace") for text in texts))


def _visible(chunks: Iterable[bytes]) -> Iterator[TerminalText]:
    decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
    for chunk in chunks:
        yield terminal.lines_visible(decoder.decode(chunk))
    yield terminal.lines_visible(decoder.decode(b"", final=True))


def _write(runtime: Runtime, chunks: Iterable[bytes]) -> None:
    check(runtime)
    assert runtime.stdout is not None  # noqa: S101  just checked
    for chunk in chunks:
        try:
            runtime.stdout.write(chunk)
            runtime.stdout.flush()
        except OSError as error:
            raise failure(error) from None


def failure(error: OSError) -> Exception:
    """Return the error to raise for an OSError."""
    if error.errno in {errno.EPIPE, errno.ESHUTDOWN}:
        return ClosedError()
    return StorageError(f"cannot write to {error.filename or 'standard output'}: {error.strerror}")


def write_json(runtime: Runtime, body: bytes) -> None:
    """Write one JSON document and a newline."""
    colour = runtime.has_colour()
    text = pretty(body).rstrip() if runtime.stdout_is_terminal or runtime.pretty else body
    end = b"" if text.endswith(b"\n") else b"\n"
    if runtime.stdout_is_terminal or colour:
        # Adding the newline to a large text would copy it.
        pieces = JsonView(colour=colour).pieces(text)
        show(runtime, chain(pieces, [terminal.lines_visible(end.decode())]))
    else:
        write(runtime, [text + end])


def write_value(runtime: Runtime, value: Json) -> None:
    """Write a value as one line of JSON."""
    write_json(runtime, encoded(value))


class JsonView:
    """Formats the JSON of one output for a terminal, in colour if requested.

    Only the first 256 KiB are coloured, because rich takes half a second for a
    megabyte.
    """

    def __init__(self, *, colour: bool) -> None:
        self._left = _COLOURED if colour else 0

    def pieces(self, document: bytes) -> Iterator[TerminalText]:
        """Yield a document in pieces that end at line breaks."""
        start = 0
        while start < len(document):
            found = _LINE_END.search(document, start + _PIECE)
            piece = document[start : found.end() if found else None]
            text = terminal.json_visible(piece.decode("utf-8"))
            if len(piece) <= self._left:
                # This import loads rich, which is slow.
                from unified_cli.output.json_highlight import highlighted  # noqa: PLC0415

                text = highlighted(text)
            self._left -= len(piece)
            yield text
            start += len(piece)


def pretty(body: bytes) -> bytes:
    """Return the document with an indentation of two spaces.

    Nothing else is changed.
    """
    import msgspec  # noqa: PLC0415  help is shown without it

    try:
        return msgspec.json.format(body, indent=2)
    except msgspec.DecodeError:
        # msgspec refuses a lone surrogate, so do not indent the document.
        return body
