"""A request for a file, or for the rest of one."""

import re
from collections.abc import Mapping
from typing import NamedTuple

_RANGE = re.compile(r"bytes (?:(\d+)-(\d+)|\*)/(\d+|\*)")


class ByteRange(NamedTuple):
    """The part of a file to ask for: from byte `start` if the file still has the `validator`, else all of it."""

    start: int = 0
    validator: str = ""
    accept: str = "*/*"

    @property
    def headers(self) -> dict[str, str]:
        """The headers that ask for it. They ask for no content coding, whose parts could not be decoded."""
        headers = {"Accept": self.accept, "Accept-Encoding": "identity"}
        if self.start:
            headers |= {"Range": f"bytes={self.start}-", "If-Range": self.validator}
        return headers


def content_range(headers: Mapping[str, str]) -> tuple[int | None, int | None]:
    """The start of a part and the size of the file, from Content-Range; None for what it does not contain."""
    match = _RANGE.fullmatch(headers.get("content-range", "").strip())
    if match is None:
        return None, None
    return (int(match[1]) if match[1] else None), (int(match[3]) if match[3] != "*" else None)
