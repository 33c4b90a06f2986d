"""The parts of a form, which are found in its body without the body being in memory."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import BinaryIO, NamedTuple

from unified_cli.sandbox.messages import Refusal
from unified_cli.sandbox.uploads import PIECE, UploadedFile

_BOUNDARY = re.compile(r'boundary="?([^";]{1,200})"?', re.IGNORECASE)
_DISPOSITION = re.compile(r'(?P<key>name|filename)="(?P<value>(?:\\.|[^"\\])*)"')
_TYPE = re.compile(r"(?im)^content-type:[ \t]*(\S+)")
_LARGEST_HEAD = 16 * 1024
_LARGEST_FIELD = 1024 * 1024
_MOST_PARTS = 1000


class FormPart(NamedTuple):
    """A field of a form, or a file where it has the name of one."""

    name: str
    file_name: str | None
    content_type: str
    content: UploadedFile

    @property
    def text(self) -> str:
        """The value of a field. Raises Refusal 413 for one of more than 1 MiB."""
        if self.content.size > _LARGEST_FIELD:
            raise Refusal(413, f"the field {self.name!r} is longer than {_LARGEST_FIELD} bytes")
        return b"".join(self.content.pieces()).decode("utf-8", "replace")


def parts(body: BinaryIO, content_type: str) -> Iterator[FormPart]:
    """The parts of a form with this Content-Type.

    Raises Refusal: 400 without a boundary, or where the form does not end; 413 for more than a thousand parts.
    """
    boundary = _BOUNDARY.search(content_type)
    if boundary is None:
        raise Refusal(400, "multipart/form-data without a boundary")
    delimiter = b"\r\n--" + boundary[1].encode("latin-1", "replace")
    places = list(_places(body, delimiter))
    for place, following in pairwise(places):
        start = place + len(delimiter)
        body.seek(start)
        head, gap, _ = body.read(min(_LARGEST_HEAD, following - start)).partition(b"\r\n\r\n")
        if not gap:
            raise Refusal(400, "a part of the form has no end of its headers")
        content = start + len(head) + len(gap)
        yield _part(head.decode("utf-8", "replace"), UploadedFile(body, content, max(0, following - content)))
    body.seek(places[-1] + len(delimiter) if places else 0)
    if not places or body.read(2) != b"--":
        raise Refusal(400, "the form is not complete: its last boundary is missing")


def _part(head: str, content: UploadedFile) -> FormPart:
    names = {found["key"]: found["value"].replace('\\"', '"') for found in _DISPOSITION.finditer(head)}
    kind = _TYPE.search(head)
    return FormPart(names.get("name", ""), names.get("filename"), kind[1] if kind else "", content)


def _places(body: BinaryIO, delimiter: bytes) -> Iterator[int]:
    """Where the delimiter stands in the body, as if a line had ended before its first byte."""
    body.seek(0)
    window, at, found = b"\r\n", -2, 0
    while True:
        piece = body.read(PIECE)
        window += piece
        begin = 0
        while (hit := window.find(delimiter, begin)) >= 0:
            found += 1
            if found > _MOST_PARTS:
                raise Refusal(413, f"the form has more than {_MOST_PARTS} parts")
            yield at + hit
            begin = hit + len(delimiter)
        if not piece:
            return
        keep = max(begin, len(window) - len(delimiter) + 1)
        at, window = at + keep, window[keep:]
