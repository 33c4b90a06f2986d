"""Read a HAR file of any program, one checked entry at a time."""

import binascii
import re
from base64 import b64decode
from collections.abc import Callable, Iterator
from functools import partial
from typing import Annotated, Any, BinaryIO

import msgspec

from unified_cli.http.attempt import Outcome
from unified_cli.http.har_entry import ECHOED, BodyEnd
from unified_cli.json_text.json_stream import JsonStream

LONGEST_ENTRY = 160 * 1024 * 1024
"""The most characters of an entry: the largest body with JSON escapes."""
_LONGEST_TIME = 1e9
_LATEST = 1e11
STARTED = "_started"
"""The member of the log with the start of the command, in seconds since 1970."""
_BREAK = re.compile(r"[\r\n\0]")
_PIECE = 1024 * 1024


class HarPair(msgspec.Struct):
    """A header."""

    name: str
    value: str


class HarBody(msgspec.Struct):
    """The body of a request."""

    text: str = ""


class HarRequest(msgspec.Struct):
    """The request that a replay looks up. `echoed` means that it contained a credential
    from the response.
    """

    method: str
    url: str
    body: HarBody | None = msgspec.field(default=None, name="postData")
    echoed: bool = msgspec.field(default=False, name=ECHOED)


class HarContent(msgspec.Struct):
    """The body of a response, and how much of it was recorded."""

    text: str = ""
    encoding: str = ""
    end: BodyEnd = msgspec.field(default=BodyEnd.COMPLETE, name="_end")
    reason: str = msgspec.field(default="", name="_reason")

    def decoded(self) -> bytes:
        """Return the bytes.

        Raises ValueError if the text should be base64 but is not.
        """
        return (
            b64decode(self.text, validate=True) if self.encoding == "base64" else self.text.encode()
        )


class HarResponse(msgspec.Struct):
    """The response. The status is 0 if there was no response."""

    status: int
    headers: list[HarPair]
    content: HarContent = msgspec.field(default_factory=HarContent)


class HarFailure(msgspec.Struct):
    """Why the response of an exchange is incomplete."""

    reason: str
    hint: str | None = None
    outcome: str = Outcome.LOST.name
    malformed: bool = False
    stale: bool = False


class HarEntry(msgspec.Struct):
    """One exchange; `time` in milliseconds."""

    request: HarRequest
    response: HarResponse
    time: float = 0.0
    error: HarFailure | None = msgspec.field(default=None, name="_error")


_DECODER = msgspec.json.Decoder(HarEntry)


def entry(text: bytes) -> HarEntry:
    """Decode an entry. Raises ValueError with the reason if it is invalid."""
    try:
        result = _DECODER.decode(text)
    except msgspec.MsgspecError as error:
        # The errors of older versions of msgspec are not ValueErrors.
        raise ValueError(str(error)) from None
    status, failure = result.response.status, result.error
    if not (100 <= status < 600 or (failure and status == 0)):
        raise ValueError(f"{status} is not an HTTP status")
    if failure and failure.outcome not in Outcome.__members__:
        raise ValueError(f"{failure.outcome!r} is not an outcome")
    if not 0 <= result.time <= _LONGEST_TIME:
        raise ValueError(f"{result.time} is not a duration")
    if any(
        _BREAK.search(pair.name + pair.value) or not pair.name for pair in result.response.headers
    ):
        raise ValueError("a header of the answer holds a control character")
    try:
        result.response.content.decoded()
    except binascii.Error:
        raise ValueError("the body of the answer is not base64") from None
    return result


def entries(file: BinaryIO, begun: Callable[[float], None] = lambda _: None) -> Iterator[bytes]:
    """Yield the texts of the entries.

    Calls `begun` with the start time of the command, if the file has one. Raises
    ValueError if the file is not a HAR file, with a reason to append to its name, and
    TooLongError if an entry is too long.
    """
    stream = JsonStream(iter(partial(file.read, _PIECE), b""), LONGEST_ENTRY)
    found = False
    for outer in _object_keys(stream):
        if outer != "log" or stream.peek() != "{":
            stream.value()
            continue
        for inner in _object_keys(stream):
            if inner == "entries" and stream.peek() == "[" and not found:
                found = True
                yield from _elements(stream)
            elif inner == STARTED:
                begun(_time(stream.value()))
            else:
                stream.value()
    if stream.peek():
        raise ValueError("is not JSON: there is text after the JSON value")
    if not found:
        raise ValueError("is not a HAR file: log.entries is missing")


def _time(text: str) -> float:
    try:
        result: float = msgspec.json.decode(
            text, type=Annotated[float, msgspec.Meta(ge=0, le=_LATEST)]
        )
    except msgspec.ValidationError as error:
        raise ValueError(f"is damaged at {STARTED!r}: {error}") from None
    return result


def _object_keys(stream: JsonStream) -> Iterator[str]:
    stream.expect("{")
    ended = stream.take("}")
    while not ended:
        key: Any = msgspec.json.decode(stream.value())
        stream.expect(":")
        yield key
        ended = stream.take("}")
        if not ended:
            stream.expect(",")


def _elements(stream: JsonStream) -> Iterator[bytes]:
    stream.expect("[")
    ended = stream.take("]")
    while not ended:
        yield stream.value().encode("utf-8", "surrogatepass")
        ended = stream.take("]")
        if not ended:
            stream.expect(",")
