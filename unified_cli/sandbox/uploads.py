"""Bodies that may be large, files in forms among them: they are kept in a temporary file while they are answered."""

import tempfile
from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import BinaryIO, NamedTuple, cast

from unified_cli.catalogue import Service
from unified_cli.errors import StorageError
from unified_cli.sandbox.messages import Refusal, SandboxRequest
from unified_cli.sandbox.query import is_on
from unified_cli.storage.input_bounds import LARGEST_COPY

LARGEST_UPLOAD = LARGEST_COPY
"""The most bytes of such a body."""
FORM = "multipart/form-data"
PIECE = 1024 * 1024
"""So much of a file is in memory at a time."""


class UploadedFile(NamedTuple):
    """A part of a body, or all of it: `size` bytes from `start`."""

    body: BinaryIO
    start: int
    size: int

    @classmethod
    def of(cls, content: bytes) -> "UploadedFile":
        """The file of these bytes."""
        return cls(BytesIO(content), 0, len(content))

    def pieces(self) -> Iterator[bytes]:
        """The content, at most a MiB at a time."""
        self.body.seek(self.start)
        left = self.size
        while left and (piece := self.body.read(min(PIECE, left))):
            left -= len(piece)
            yield piece


def may_be_large(request: SandboxRequest, service: Service) -> bool:
    """Whether the body of a request is a form, or bytes that are passed on as they are."""
    kind = media_type(request)
    passed_on = any(is_on(value) for value in request.values(service.body_passthrough)) and "json" not in kind
    return request.method in ("POST", "PATCH") and (kind == FORM or passed_on)


def media_type(request: SandboxRequest) -> str:
    """The type of the body, without its parameters."""
    return request.header("content-type").partition(";")[0].strip().lower()


def kept(pieces: Iterable[bytes]) -> BinaryIO:
    """A body in a temporary file, which is gone when it is closed; a small one in memory.

    Raises Refusal 413 for more than `LARGEST_UPLOAD` bytes, StorageError where there is no room.
    """
    file = cast("BinaryIO", tempfile.SpooledTemporaryFile(max_size=PIECE))  # noqa: SIM115  closed with the request
    try:
        for piece in pieces:
            _check(file.tell() + len(piece))
            file.write(piece)
    except BaseException as error:
        file.close()
        if isinstance(error, OSError):
            raise StorageError(f"the sandbox cannot keep the body: {error.strerror}") from None
        raise
    return file


def _check(size: int) -> None:
    if size > LARGEST_UPLOAD:
        raise Refusal(413, f"the body is longer than {LARGEST_UPLOAD} bytes")
