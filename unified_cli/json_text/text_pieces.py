"""JSON text in pieces, so that the memory for working on it stays small however long it is."""

from collections.abc import Iterator

PIECE = 1024 * 1024
_LONGEST_ESCAPE = 6


def pieces(text: bytes | memoryview) -> Iterator[bytes]:
    r"""The text in pieces of about a mebibyte, none of which ends within an escape such as `\"` or `\u00e9`."""
    view = memoryview(text)
    at = 0
    while at < len(view):
        piece = bytes(view[at : at + PIECE])
        if at + PIECE < len(view):
            piece = piece[: _end(piece)]
        yield piece
        at += len(piece)


def _end(piece: bytes) -> int:
    """Where an escape begins that may go on after the piece, else the end."""
    slash = piece.rfind(b"\\", len(piece) - _LONGEST_ESCAPE + 1)
    if slash < 0:
        return len(piece)
    backslashes = slash + 1 - len(piece[: slash + 1].rstrip(b"\\"))
    return slash if backslashes % 2 else len(piece)
