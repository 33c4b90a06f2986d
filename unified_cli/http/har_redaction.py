"""Replace in an exchange what must not reach a file: credentials, cookies, signed query
values, known secrets.

The same replacements are made in a request that is looked up in a recording, so that it
is found there.
"""

import json
import re
from collections.abc import Iterable, Iterator

import msgspec

from unified_cli.json_text import json_check
from unified_cli.json_text.json_check import DEEPEST, deeper_than
from unified_cli.json_text.json_codec import dump
from unified_cli.json_text.members import items, join, parts, string
from unified_cli.masking import masked

REPLACED = "***"
_PIECE = 256 * 1024
_LONGEST_PIECE = 4 * 1024 * 1024
_BEFORE_STRING = re.compile(r'[,:\[{]\s*(?=")')

_HEADER = re.compile(
    r"authori[sz]ation|authentication|cookie|token|secret|api-?key|password|credential|signature",
    re.IGNORECASE,
)
_RATE = re.compile(r"(x-)?rate-?limit", re.IGNORECASE)

_CREDENTIALS = frozenset(
    {
        *(
            "access_token",
            "refresh_token",
            "id_token",
            "client_secret",
            "private_key",
            "secret_key",
            "api_key",
        ),
        *(
            "accesstoken",
            "refreshtoken",
            "clientsecret",
            "privatekey",
            "apikey",
            "password",
            "passwd",
        ),
    }
)
"""The members of a JSON object, in lower case, that are credentials wherever they stand."""
_OF_CONNECTIONS = _CREDENTIALS | {"context", "credentials", "authentication", "secret", "token"}
"""The same for what the service says about connections."""
_SUSPECT = re.compile(rf'"(?:{"|".join(sorted(_CREDENTIALS))})"\s*:', re.IGNORECASE)

_SIGNED = (
    r"x-(?:amz|goog|oss|cos|obs|ms)-(?:signature|credential|security-token)|(?:q-)?signature|sig|policy|key-pair-id"
    r"|awsaccesskeyid|googleaccessid|ossaccesskeyid|jwt|hmac|hdnts|temp_url_sig|api[_-]?key|client[_-]?secret|password"
    r"|(?:(?:access|auth|id|refresh|session|security|download|upload|bearer|csrf)[_-]?)?token"
)
# In a URL, in the escapes of JSON, and in a URL that is itself a value of another one's query.
_BEGIN = r"[?&;]|\\u0026|\\u003f"
_ESCAPED_BEGIN = r"%(?:25)*(?:3f|26)"
_CHARACTER = r"""[^&"'\\\s<>#]|\\u00(?!2[236])[0-9a-f]{2}|\\/"""
_ESCAPED_CHARACTER = r"""[^&"'\\\s<>#%]|%(?:25)*(?!26|23|22|25)[0-9a-f]{2}"""
_VALUES = re.compile(
    rf"((?:{_BEGIN})(?:amp;)?(?:{_SIGNED})(?:=|\\u003d))(?:{_CHARACTER})+"
    rf"|((?:{_ESCAPED_BEGIN})(?:{_SIGNED})(?:=|%(?:25)*3d))(?:{_ESCAPED_CHARACTER})+"
    r"""|(https?:\\?/\\?/)[^/@\s"'<>\\?#]+(?=@)""",
    re.IGNORECASE,
)


def url(text: str) -> str:
    """The URL without signed values, user names and passwords."""
    return masked(_without_values(text))


def headers(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The headers without credentials and cookies."""
    return [(masked(name), REPLACED if _is_secret(name) else url(value)) for name, value in pairs]


def binary(content: bytes) -> bytes:
    """Bytes that are no text, without known secrets."""
    return masked(content.decode("latin-1")).encode("latin-1")


def text(content: str, *, private: bool = False) -> str | None:
    """The text of a body; of a `private` one, which is about connections, also without
    their credentials.

    None where it cannot be told what it holds.
    """
    if private or _SUSPECT.search(content):
        redacted = _document(content, _OF_CONNECTIONS if private else _CREDENTIALS)
        if redacted is None:
            return None
        content = redacted
    return any_text(content)


def any_text(content: str) -> str | None:
    """Any text without signed values and known secrets; None where it cannot be told
    what it holds.
    """
    return _masked(_without_values(content))


def _is_secret(name: str) -> bool:
    return _HEADER.search(name) is not None and not _RATE.match(name)


def _without_values(content: str) -> str:
    return _VALUES.sub(lambda found: f"{found[1] or found[2] or found[3]}{REPLACED}", content)


def _document(content: str, names: frozenset[str]) -> str | None:
    """The JSON text without the values of these members; None where it is no JSON.
    Digits and order stay.
    """
    body = content.encode().strip()
    if not body:
        return ""
    if body[:1] not in {b"{", b"["} or deeper_than(body, DEEPEST + 2):
        return None
    try:
        return _without(body, names).decode()
    except (msgspec.DecodeError, ValueError):
        return None


def _without(value: bytes, names: frozenset[str]) -> bytes:
    if value.startswith(b"{"):
        found = parts(value) or {}
        hidden = json.dumps(REPLACED).encode()
        return join(
            {
                name: hidden if name.lower() in names else _without(one, names)
                for name, one in found.items()
            }
        )
    if value.startswith(b"["):
        return b"[" + b",".join(_without(bytes(one), names) for one in items(value)) + b"]"
    return without_credentials(value) if names is _OF_CONNECTIONS else value


def _masked(content: str) -> str | None:
    """The text without known secrets; None where a piece of it is too large to be
    looked through.
    """
    if len(content) <= _LONGEST_PIECE:
        return masked(content)
    found = []
    for piece in _pieces(content):
        if len(piece) > _LONGEST_PIECE:
            return None
        found.append(masked(piece))
    return "".join(found)


def _pieces(content: str) -> Iterator[str]:
    """The JSON text in pieces, cut before a string begins, so that no secret is cut in two."""
    at = 0
    while at < len(content):
        found = _BEFORE_STRING.search(content, at + _PIECE)
        end = found.end() if found else len(content)
        yield content[at:end]
        at = end


_CONTEXT = "context"
# No answer of the service is nested so deep.
_DEEPEST_ANSWER = 50
# The member's name in a text that is not JSON as a whole, with the escapes of JSON in JSON.
_IN_WORDS = re.compile(rf"""["'\\]+{_CONTEXT}["'\\]""", re.IGNORECASE)


def without_credentials(body: bytes, depth: int = 0) -> bytes:
    """JSON text without the members `context` of its objects, whose numbers keep their digits.

    These are the credentials in answers about connections, dropped before anything else
    sees them. JSON within a text is looked through as well. What is nested too deeply
    for that becomes null.
    """
    # A letter of the name may be written as an escape.
    if _CONTEXT.encode() not in body and b"\\u00" not in body:
        return body
    text = body.strip()
    if text[:1] not in (b"{", b"[", b'"'):
        return body
    if depth == _DEEPEST_ANSWER:
        return b"null"
    if text.startswith(b'"'):
        return _without_in_words(text, depth)
    if text.startswith(b"["):
        return (
            b"["
            + b",".join(without_credentials(bytes(item), depth + 1) for item in items(text))
            + b"]"
        )
    members = parts(text) or {}
    return join(
        {
            name: without_credentials(value, depth + 1)
            for name, value in members.items()
            if name != _CONTEXT
        }
    )


def _without_in_words(text: bytes, depth: int) -> bytes:
    """A JSON string; where it is JSON itself, without the members, else cut off before
    the first that it names.
    """
    words = string(text)
    inner = words.strip().encode("utf-8", "surrogatepass")
    if inner[:1] in (b"{", b"[") and not json_check.flaw(inner):
        kept = without_credentials(inner, depth + 1)
        return text if kept == inner else dump(kept.decode("utf-8", "surrogatepass")).encode()
    found = _IN_WORDS.search(words)
    return text if found is None else dump(f"{words[: found.start()]}…").encode()
