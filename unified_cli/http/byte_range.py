"""A request for a file, or for the rest of one."""

import re
from collections.abc import Mapping
from typing import NamedTuple

_RANGE = re.compile(r"bytes (?:(\d+)-(\d+)|\*)/(\d+|\*)")


class ByteRange(NamedTuple):
    """What is wanted of a file: from byte `start` on, if it is still the one that `validator` stands for, else all."""

    start: int = 0
    validator: str = ""
    accept: str = "*/*"

    @property
    def headers(self) -> dict[str, str]:
        """What says so in a request. A part of what is coded cannot be told, so no coding is asked for."""
        headers = {"Accept": self.accept, "Accept-Encoding": "identity"}
        if self.start:
            headers |= {"Range": f"bytes={self.start}-", "If-Range": self.validator}
        return headers


def content_range(headers: Mapping[str, str]) -> tuple[int | None, int | None]:
    """Where a part starts and how large the whole is, as Content-Range says; None for what it does not say."""
    match = _RANGE.fullmatch(headers.get("content-range", "").strip())
    if match is None:
        return None, None
    return (int(match[1]) if match[1] else None), (int(match[3]) if match[3] != "*" else None)
