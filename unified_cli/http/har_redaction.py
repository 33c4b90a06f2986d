"""Replace secrets in an exchange before it is recorded: credentials, cookies, signed
query values and known secrets.

A replay changes its requests in the same way before it looks them up.
"""

import json
import re
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import cache
from http import HTTPStatus
from urllib.parse import parse_qsl, quote, unquote, urlsplit

import msgspec

from unified_cli.catalogue import Service
from unified_cli.http.request import Request, answers_with_credentials
from unified_cli.json_text import json_check
from unified_cli.json_text.json_check import DEEPEST, deeper_than
from unified_cli.json_text.json_codec import dump, encoded
from unified_cli.json_text.members import items, join, parts, string
from unified_cli.masking import Find, lower, masked

REPLACED = "***"
_PIECE = 256 * 1024
_LONGEST_PIECE = 4 * 1024 * 1024
_BEFORE_STRING = re.compile(r'[,:\[{]\s*(?=")')

_HEADER = re.compile(
    r"authori[sz]ation|authentication|cookie|token|secret|api-?key|password|credential|signature",
    re.IGNORECASE,
)
_RATE = re.compile(r"(x-)?rate-?limit", re.IGNORECASE)


class Holding(Enum):
    """The kind of a body, which decides which names mark a credential."""

    RECORDS = "records"
    """Records of unified APIs, where a name like `invite_token` is a normal field."""
    CONNECTIONS = "connections"
    """The service's own data about connections."""
    OTHER = "other"
    REFUSAL = "refusal"
    """An error. A member named `password` may contain a sentence about that field."""


def holding(path: str, status: int, service: Service) -> Holding:
    """Return the kind of the bodies of an exchange. `path` is percent-encoded."""
    plain = unquote(path)
    if answers_with_credentials(plain, service):
        return Holding.CONNECTIONS
    of_records = f"{service.prefix}/" in plain and status < HTTPStatus.BAD_REQUEST
    return Holding.RECORDS if of_records else Holding.OTHER


# Names in lower case, without dashes and underscores.
_ANYWHERE = {
    *("accesstoken", "refreshtoken", "idtoken", "clientsecret", "privatekey"),
    *("secretkey", "apikey", "password", "passwd"),
}
"""Members that are credentials in any JSON object."""
_OF_CONNECTIONS = {"context", "credentials", "authentication", "secret", "token"}
"""Members that are private in data about connections."""
_ENDS = ("token", "secret", "password", "apikey", "authorization")
"""Endings of names whose values are credentials, except in unified records."""
_POSITIONS = ("cursortoken", "pagetoken", "synctoken")
"""Names that end like this have a position in a list, which is no credential."""


@cache
def _suspect(*, of_records: bool) -> re.Pattern[str]:
    """Return the pattern for members with suspect names, even if a name has escapes.

    It is compiled when first used, because few calls record an exchange.
    """
    names = _ANYWHERE if of_records else {*_ANYWHERE, *_ENDS}
    before = r'["\\][-_]*' if of_records else ""
    words = "|".join("[-_]*".join(name) for name in names)
    escape = r"\\u00[2-7][0-9a-f](?:[^\"\\]|\\u[0-9a-f]{4}){0,100}"
    return re.compile(rf'(?:{before}(?:{words})[-_]*|{escape})["\\]+\s*:', re.IGNORECASE)


# Any name that ends like the name of a credential, but not those in `_POSITIONS`.
_IN_NAME = r"(?:[\w.~\[\]-]|%5[bd])*"
_CREDENTIAL = (
    rf"(?!{_IN_NAME}(?:cursor|page|sync)[_-]*token\b)"
    rf"{_IN_NAME}(?:token|secret|password|api[_-]*key|authorization)(?:\]|%5d)?"
)
_SIGNED = (
    r"x-(?:amz|goog|oss|cos|obs|ms)-(?:signature|credential|security-token)"
    r"|(?:q-)?signature|sig|policy|key-pair-id"
    rf"|awsaccesskeyid|googleaccessid|ossaccesskeyid|jwt|hmac|hdnts|temp_url_sig|{_CREDENTIAL}"
)
# A query parameter begins like this in a URL, in escaped JSON, and in a URL within
# another URL's query.
_BEGIN = r"[?&;]|\\u0026|\\u003f"
_ESCAPED_BEGIN = r"%(?:25)*(?:3f|26)"
_CHARACTER = r"""[^&"'\\\s<>#]|\\u00(?!2[236])[0-9a-f]{2}|\\/"""
_ESCAPED_CHARACTER = r"""[^&"'\\\s<>#%]|%(?:25)*(?!26|23|22|25)[0-9a-f]{2}"""
_VALUES = (
    rf"((?:\A|{_BEGIN})(?:amp;)?(?:{_SIGNED})(?:=|\\u003d))(?:{_CHARACTER})+"
    rf"|((?:{_ESCAPED_BEGIN})(?:{_SIGNED})(?:=|%(?:25)*3d))(?:{_ESCAPED_CHARACTER})+"
    r"""|(https?:\\?/\\?/)[^/@\s"'<>\\?#]+(?=@)"""
    # The URL of an MCP server contains its token.
    r"""|((?:\\?/|%(?:25)*2f)mcp(?:\\?/|%(?:25)*2f))[^/"'\s<>\\?#]{12,}"""
)


@cache
def _signed_name() -> re.Pattern[str]:
    return re.compile(_SIGNED, re.IGNORECASE)


@cache
def _values() -> re.Pattern[str]:
    return re.compile(_VALUES, re.IGNORECASE)


class Redaction:
    """Replaces secrets in the texts of one exchange.

    A credential found in one text is replaced in all texts, if it is long enough. So
    redact all texts before you print any.
    """

    _SHORTEST = 12

    def __init__(self) -> None:
        self._values: set[str] = set()
        self._lengths: dict[str, set[int]] = {}
        """The lengths of remembered values by their prefix. Thousands may share a
        prefix.
        """

    def query(self, address: str) -> None:
        """Remember the credentials in the query of a URL."""
        for name, value in parse_qsl(urlsplit(address).query):
            self.parameter(name, value)

    def parameter(self, name: str, value: str) -> None:
        """Remember a query parameter's value if it is a credential."""
        if _signed_name().fullmatch(name):
            self._remember(value)

    def body(self, content: str, holds: Holding) -> str | None:
        """Return a body without its credentials, and remember them.

        Returns None if the body cannot be analysed.
        """
        if holds is not Holding.CONNECTIONS and not _is_suspect(content, holds):
            return content
        text = content.encode("utf-8", "surrogatepass").strip()
        if not text:
            return ""
        if text[:1] not in {b"{", b"["} or deeper_than(text, DEEPEST + 2):
            return None
        try:
            return self._without_credentials(text, holds).decode("utf-8", "surrogatepass")
        except (msgspec.DecodeError, ValueError, RecursionError):
            return None

    def url(self, text: str) -> str:
        """Return the URL without signed values and user info."""
        return masked(_without_values(text), self._find)

    def headers(self, pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
        """Return the headers without credentials and cookies."""
        return [
            (masked(name), REPLACED if _is_secret(name) else self.url(value))
            for name, value in pairs
        ]

    def binary(self, content: bytes) -> bytes:
        """Return binary content without known secrets."""
        return masked(content.decode("latin-1"), self._find).encode("latin-1")

    def text(self, content: str) -> str | None:
        """Return text without signed values and known secrets.

        Returns None if the text cannot be analysed.
        """
        content = _without_values(content)
        if len(content) <= _LONGEST_PIECE:
            return masked(content, self._find)
        found = []
        for piece in _pieces(content):
            if len(piece) > _LONGEST_PIECE:
                return None
            found.append(masked(piece, self._find))
        return "".join(found)

    def whole(self, content: str, holds: Holding) -> str | None:
        """Return a body without credentials. Secrets that were found before are also
        removed.
        """
        found = self.body(content, holds)
        return None if found is None else self.text(found)

    @property
    def _find(self) -> Find | None:
        return self._places if self._values else None

    def _places(self, plain: str) -> Iterator[tuple[int, int]]:
        lengths, size = self._lengths, self._SHORTEST
        for at in range(len(plain) - size + 1):
            for length in lengths.get(plain[at : at + size], ()):
                if plain[at : at + length] in self._values:
                    yield at, at + length

    def _remember(self, value: str) -> None:
        """Replace a value in all later texts, also within URLs and JSON."""
        if len(value) >= self._SHORTEST:
            for form in (value, quote(value, safe="", errors="replace"), json.dumps(value)[1:-1]):
                found = lower(form)
                self._values.add(found)
                self._lengths.setdefault(found[: self._SHORTEST], set()).add(len(found))

    def _without_credentials(self, value: bytes, holds: Holding) -> bytes:
        if value.startswith(b"{"):
            members = parts(value) or {}
            return join({name: self._member(name, one, holds) for name, one in members.items()})
        if value.startswith(b"["):
            return (
                b"["
                + b",".join(self._without_credentials(bytes(item), holds) for item in items(value))
                + b"]"
            )
        # A string may contain JSON.
        words = string(value) if value.startswith((b'"{', b'"[')) else ""
        if words and _is_suspect(words, holds):
            return encoded(self.body(words, holds) or REPLACED)
        return without_credentials(value) if holds is Holding.CONNECTIONS else value

    def _member(self, name: str, value: bytes, holds: Holding) -> bytes:
        plain = name.replace("-", "").replace("_", "").lower()
        ends = plain.endswith(_ENDS) and not plain.endswith(_POSITIONS)
        is_text = value.startswith(b'"')
        credential = plain in _ANYWHERE or (ends and is_text and holds is not Holding.RECORDS)
        private = holds is Holding.CONNECTIONS and plain in _OF_CONNECTIONS
        if value in (b"null", b'""') or not (credential or private):
            return self._without_credentials(value, holds)
        found = string(value) if is_text else ""
        sentence = not (is_text and (" " not in found or plain.endswith("authorization")))
        if holds is Holding.REFUSAL and sentence:
            return self._without_credentials(value, holds)
        if credential and is_text:
            self._remember(found)
            if plain.endswith("authorization"):
                # Also remember the token alone, for example from `Bearer …`.
                self._remember(found.partition(" ")[2])
        return encoded(REPLACED)


def of_request(sent: Request, service: Service) -> tuple[Redaction, str | None]:
    """Return a redaction that knows the request's credentials, and the redacted
    body.
    """
    redaction = Redaction()
    for name, value in sent.query:
        redaction.parameter(name, value)
    text = sent.upload.description if sent.upload else (sent.body or b"").decode("utf-8", "replace")
    return redaction, redaction.body(text, holding(sent.path, 0, service))


def refusal(sent: Request, body: bytes, service: Service) -> bytes:
    """Return the body of an error without its credentials and those of the request.

    Empty if the body cannot be analysed.
    """
    redaction, _ = of_request(sent, service)
    return (redaction.whole(body.decode("utf-8", "replace"), Holding.REFUSAL) or "").encode()


def _is_suspect(content: str, holds: Holding) -> bool:
    return _suspect(of_records=holds is Holding.RECORDS).search(content) is not None


def _is_secret(name: str) -> bool:
    return _HEADER.search(name) is not None and not _RATE.match(name)


def _without_values(content: str) -> str:
    return _values().sub(
        lambda found: f"{found[1] or found[2] or found[3] or found[4]}{REPLACED}", content
    )


def _pieces(content: str) -> Iterator[str]:
    """Yield JSON text in pieces.

    Each piece ends before a string, so that no secret is split.
    """
    at = 0
    while at < len(content):
        found = _BEFORE_STRING.search(content, at + _PIECE)
        end = found.end() if found else len(content)
        yield content[at:end]
        at = end


_CONTEXT = "context"
# No response of the service is nested this deep.
_DEEPEST_ANSWER = 50
# The member's name in text that contains JSON, possibly with escaped quotes.
_IN_WORDS = re.compile(rf"""["'\\]+{_CONTEXT}["'\\]""", re.IGNORECASE)


def without_credentials(body: bytes, depth: int = 0) -> bytes:
    """Return JSON text without the members `context`.

    They contain the credentials of connections. JSON in strings is also searched.
    Values nested too deeply become null. Numbers keep their digits.
    """
    # JSON may escape the letters of the name.
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
    """Return a JSON string without the members.

    If the string contains JSON, the members are removed. Any other string is cut off
    before the first `context`.
    """
    words = string(text)
    inner = words.strip().encode("utf-8", "surrogatepass")
    if inner[:1] in (b"{", b"[") and not json_check.flaw(inner):
        cleaned = without_credentials(inner, depth + 1)
        return text if cleaned == inner else dump(cleaned.decode("utf-8", "surrogatepass")).encode()
    found = _IN_WORDS.search(words)
    return text if found is None else dump(f"{words[: found.start()]}…").encode()
