"""Look through a HAR file that is to be passed on: whether it is one, and holds nothing that a recording leaves out."""

import io

import msgspec

from unified_cli.errors import StateError, UnsafeError
from unified_cli.http import har_reader, har_redaction, recording
from unified_cli.http.har_reader import HarBody, HarContent, HarPair
from unified_cli.json_text.json_stream import TooLongError
from unified_cli.masking import excerpt


class _Message(msgspec.Struct):
    headers: list[HarPair]
    url: str = ""
    body: HarBody | None = msgspec.field(default=None, name="postData")
    content: HarContent = msgspec.field(default_factory=HarContent)


class _Exchange(msgspec.Struct):
    request: _Message
    response: _Message


def check(content: bytes, name: str) -> None:
    """Raise StateError for what is no HAR file; UnsafeError for one that holds credentials, or that others made.

    What a browser records holds cookies and forms, in more places than are known here.
    """
    number = 0
    try:
        for number, text in enumerate(har_reader.entries(io.BytesIO(content)), 1):
            har_reader.entry(text)
            if _holds_credentials(text):
                raise _unsafe(f"entry {number} of {name} holds credentials")
    except (ValueError, RecursionError) as error:
        raise StateError(
            f"{name} is no HAR file, or damaged after entry {number}: {excerpt(str(error), 200)}"
        ) from None
    except TooLongError:
        raise StateError(f"{name} has an entry that is too long after entry {number}") from None
    if not recording.is_own(content):
        raise _unsafe(f"{name} was not made by --record")
    whole = content.decode("utf-8", "surrogatepass")
    if har_redaction.any_text(whole) != whole:
        raise _unsafe(f"{name} holds credentials outside its entries")


def _unsafe(found: str) -> UnsafeError:
    return UnsafeError(f"{found}, so it is not passed on", hint="--record makes a file without them")


def _holds_credentials(text: bytes) -> bool:
    found = msgspec.json.decode(text, type=_Exchange)
    sent, came = found.request, found.response
    headers = [(one.name, one.value) for one in (*sent.headers, *came.headers)]
    if har_redaction.headers(headers) != headers or har_redaction.url(sent.url) != sent.url:
        return True
    if came.content.encoding:
        body = came.content.decoded()
        return har_redaction.binary(body) != body
    texts = [sent.body.text if sent.body else "", came.content.text]
    return any(har_redaction.text(one) != one for one in texts)
