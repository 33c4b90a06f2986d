"""Build and check requests to the service."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlsplit

from unified_cli.catalogue import Operation, Service
from unified_cli.config.address import Address
from unified_cli.config.settings import Settings
from unified_cli.errors import UsageError
from unified_cli.masking import visible

if TYPE_CHECKING:
    from unified_cli.http.upload import Upload

# The prefix of our own cursors, which skip records of a page. Assumption: the service's
# cursors never begin with it.
OWN_CURSOR = "after:"
_CURSOR_NUMBER = re.compile(r"[1-9][0-9]{0,99}")
Query = Sequence[tuple[str, str]]
_METHODS = ("GET", "POST", "PATCH", "PUT", "DELETE")
_UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_TARGET = re.compile(r"[!-~]+")
_PARAMETERS = re.compile(r";[^/]*")
_NO_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
LONGEST_KEY = 255
_RANGE = re.compile(r"bytes (?:(\d+)-(\d+)|\*)/(\d+|\*)")


class ByteRange(NamedTuple):
    """A range of a file to request: all bytes from `start` if the `validator` still
    matches the file, otherwise the complete file.
    """

    start: int = 0
    validator: str = ""
    accept: str = "*/*"

    @property
    def headers(self) -> dict[str, str]:
        """The headers that request the range, without content codings. A range of coded
        content could not be decoded.
        """
        headers = {"Accept": self.accept, "Accept-Encoding": "identity"}
        if self.start:
            headers |= {"Range": f"bytes={self.start}-", "If-Range": self.validator}
        return headers


def content_range(headers: Mapping[str, str]) -> tuple[int | None, int | None]:
    """Return the start of the range and the size of the file, from a Content-Range
    header.

    A missing value is None.
    """
    match = _RANGE.fullmatch(headers.get("content-range", "").strip())
    if match is None:
        return None, None
    return (int(match[1]) if match[1] else None), (int(match[3]) if match[3] != "*" else None)


def is_key(text: str) -> bool:
    """Return whether this is a valid idempotency key: printable ASCII without
    spaces.
    """
    return (
        text.isascii() and text.isprintable() and " " not in text and 1 <= len(text) <= LONGEST_KEY
    )


class Scope(NamedTuple):
    """The values that all requests of a connection share."""

    address: Address
    account: str
    service: Service
    own: bool = False
    """Whether requests name no account, as with a token for one connection."""
    honours_keys: bool = False
    """Whether the service honours idempotency keys, so that a retry with the same key
    is safe.
    """


# Requests for the pages of a list differ only in their cursor.
@lru_cache(maxsize=64)
def _encoded(text: str) -> str:
    return quote(text, safe="")


def scope_of(settings: Settings, service: Service) -> Scope:
    """Return the scope for these settings. Raises ConfigError if they do not name a
    connection.
    """
    return Scope(*settings.reachable(), service, settings.is_own, settings.idempotency_window > 0)


def number_as_cursor(text: str) -> str | None:
    """Return the text if it is a positive integer, otherwise None. 0 may mark the last
    page.
    """
    return text if _CURSOR_NUMBER.fullmatch(text) else None


class Content(NamedTuple):
    """The content of a request: its query, its body or file, and its idempotency
    key.
    """

    query: Query = ()
    body: bytes | None = None
    key: str | None = None
    upload: "Upload | None" = None


class Request(NamedTuple):
    """A request. `path` is percent-encoded, `query` is not, and `body` is JSON.

    `account` is its connection. `operation` is None if the path is not in the
    catalogue.
    """

    method: str
    address: Address
    path: str
    query: Query
    account: str
    body: bytes | None = None
    key: str | None = None
    operation: Operation | None = None
    honours_keys: bool = False
    """Whether the service honours idempotency keys, so that a retry with the same key
    is safe.
    """
    in_doubt: bool = False
    """Whether an earlier run may already have carried out this request."""
    private: bool = False
    """Whether the bodies may contain credentials, and must be redacted."""
    largest: int | None = None
    """The most bytes of a JSON response; None for the default."""
    scoped: bool = True
    """Whether the query begins with the parameter that names the connection."""
    batch: bool = False
    """Whether this is a batch of several requests, which share one idempotency key."""
    upload: "Upload | None" = None
    """The file to send instead of a body."""
    searches: bool = False
    """Whether this is a POST that lists records. Each page has its own key."""

    @property
    def own_query(self) -> Query:
        """The query without the connection's parameter."""
        return self.query[1:] if self.scoped else self.query

    @property
    def line(self) -> str:
        """Method and path, for messages."""
        return f"{self.method} {self.path}"

    @property
    def target(self) -> str:
        """Path and query, percent-encoded."""
        query = "&".join([f"{_encoded(name)}={_encoded(value)}" for name, value in self.query])
        return f"{self.path}?{query}" if query else self.path

    @property
    def url(self) -> str:
        """The URL, with origin and query."""
        return self.address.origin + self.target

    @property
    def headers(self) -> dict[str, str]:
        """The headers, without the credentials."""
        headers = {"Accept": "application/json"}
        if self.body is not None:
            headers["Content-Type"] = "application/json"
        if self.upload is not None:
            headers["Content-Type"] = self.upload.content_type
        if self.key is not None:
            headers["Idempotency-Key"] = self.key
        return headers

    @property
    def may_act_twice(self) -> bool:
        """Whether sending the request again may repeat its effect.

        True for an effect outside the connection, such as an email, which an
        idempotency key does not prevent; for a write to a path that is not in the
        catalogue; for a write with a key that the service may ignore; and for a file
        without a key, which may be stored twice.
        """
        if self.upload is not None and self.key is None:
            return True
        if self.operation is None:
            return self.writes and not (self.batch and self.key is not None and self.honours_keys)
        return self.operation.outward or (
            self.key is not None and self.writes and not self.honours_keys
        )

    @property
    def writes(self) -> bool:
        """Whether the request may change data."""
        if self.operation is not None:
            return self.operation.changes
        return self.method != "GET" and not self.searches

    def close(self) -> None:
        """Close the file to upload, if there is one."""
        if self.upload is not None:
            self.upload.close()

    def with_query(self, *more: tuple[str, str]) -> "Request":
        """Return a copy with these query parameters added or replaced."""
        names = {name for name, _ in more}
        return self._replace(
            query=(*((name, value) for name, value in self.query if name not in names), *more)
        )


def for_operation(
    scope: Scope, operation: Operation, identifier: str | None, content: Content
) -> Request:
    """Return the request for an operation.

    `identifier` replaces `{id}` in its path. Raises UsageError for values that a server
    might decode differently.
    """
    names = operation.path.strip("/").split("/")
    if identifier is None and "{id}" in names:
        raise UsageError("this operation needs an id")
    segments = [_segment(identifier or "", "the id") if name == "{id}" else name for name in names]
    return _build(scope, operation.method, segments, content, operation)


def for_service(address: Address, path: str, query: Query, account: str = "") -> Request:
    """Return the request for a path of the service itself.

    The query does not name a connection, and the response may contain credentials.
    `path` is percent-encoded. `account` selects the rate limit.
    """
    for name, value in query:
        _encodable(name, "a query parameter's name")
        _encodable(value, f"the value of query parameter {visible(name)!r}")
    return Request("GET", address, address.path + path, query, account, private=True, scoped=False)


def for_path(scope: Scope, method: str, path: str, content: Content) -> Request:
    """Return the request for a path that the user typed, below the base URL.

    The path must be percent-encoded. Raises UsageError if a server might decode it
    differently.
    """
    if method not in _METHODS:
        swapped = (
            f"unified request {path.upper()} {visible(method.lower())}"
            if path.upper() in _METHODS
            else None
        )
        raise UsageError(
            f"method {visible(method)!r} is not one of {', '.join(_METHODS)}", hint=swapped
        )
    _encodable(path, "the path")
    # Refuse invisible characters, because the standard library silently removes some.
    if any(unicodedata.category(character) in _UNSEEN for character in path):
        raise UsageError(f'the path "{visible(path)}" holds a character that cannot be seen')
    if _NO_ESCAPE.search(path):
        raise UsageError(
            f"the path {path} has a % without two hexadecimal digits (write %25 for a percent sign)"
        )
    try:
        unquote(path, errors="strict")
    except UnicodeDecodeError:
        raise UsageError(
            f"the percent-encoded characters of the path {path} are not UTF-8"
        ) from None
    parts = _split(path)
    if parts is None or parts.scheme or parts.netloc or path.startswith("//") or "#" in path:
        raise UsageError(
            "give only the path, like /unified/ticketing/tickets",
            hint="the base URL comes from the profile",
        )
    segments = [
        _segment(unquote(segment), "a part of the path")
        for segment in parts.path.strip("/").split("/")
    ]
    own = parse_qsl(parts.query, keep_blank_values=True)
    batch = f"/{segments[0]}".casefold() == scope.service.connections.batch and len(segments) == 1
    private = answers_with_credentials("/".join(("", *segments)), scope.service)
    scope = scope._replace(own=scope.own or scope.service.names_no_account(_below(segments)))
    request = _build(scope, method, segments, content._replace(query=[*own, *content.query]))
    return request._replace(private=private, batch=batch)


def answers_with_credentials(path: str, service: Service) -> bool:
    """Return whether the response to a path may contain credentials of connections.

    The path is not percent-encoded, and may begin with the path of the base URL.
    Returns True for similar paths, too, because servers parse paths differently.
    """
    plain = f"{_PARAMETERS.sub('', path.casefold())}/"
    return any(f"{root}/" in plain for root in (service.accounts, service.connections.link))


def _split(path: str) -> SplitResult | None:
    try:
        return urlsplit(path)
    except ValueError:
        return None


def _build(
    scope: Scope,
    method: str,
    segments: Sequence[str],
    content: Content,
    operation: Operation | None = None,
) -> Request:
    service, query = scope.service, (*content.query,)
    passed_on = content.upload is not None and not service.names_no_account(_below(segments))
    if passed_on and service.body_passthrough not in dict(query):
        query = (*query, (service.body_passthrough, "true"))
    request = _without_content(scope, method, (*segments,), query)
    searches = method == "POST" and segments[-1] == service.search
    request = request._replace(operation=operation, searches=searches)
    return request._replace(body=content.body, key=content.key, upload=content.upload)


# Thousands of creates differ only in their content.
@lru_cache(maxsize=64)
def _without_content(
    scope: Scope, method: str, segments: tuple[str, ...], own_query: tuple[tuple[str, str], ...]
) -> Request:
    """Return the request without content. Raises UsageError for unsafe values."""
    address, service = scope.address, scope.service
    for name, value in own_query:
        if name.partition("[")[0] == service.connection:
            raise UsageError(
                f"{service.connection} names the connection and is set for you",
                hint="choose the connection with -p or -a",
            )
        if not name.strip():
            raise UsageError("a query parameter needs a name", hint="-q NAME=VALUE")
        _encodable(name, "a query parameter's name")
        _encodable(value, f"the value of query parameter {visible(name)!r}")
    path = address.path + _below(segments)
    account = scope.account if scope.own else _segment(scope.account, "the account id")
    query = own_query if scope.own else ((service.connection, account), *own_query)
    request = Request(
        method, address, path, query, account, honours_keys=scope.honours_keys, scoped=not scope.own
    )
    _read_back(address, request.target, segments, query)
    return request


def _below(segments: Sequence[str]) -> str:
    return "".join("/" + quote(segment, safe="") for segment in segments)


def _read_back(
    address: Address, target: str, segments: tuple[str, ...], query: tuple[tuple[str, str], ...]
) -> None:
    """Raise UsageError if parsing the URL does not return these segments and this
    query.
    """
    parts = urlsplit(address.origin + target)
    path = parts.path.removeprefix(address.path)
    same = (
        _TARGET.fullmatch(target)
        and f"{parts.scheme}://{parts.netloc}" == address.origin
        and [unquote(segment, errors="strict") for segment in path.split("/")[1:]] == [*segments]
        and parse_qsl(parts.query, keep_blank_values=True, errors="strict") == [*query]
    )
    if not same:
        raise UsageError(f"cannot safely send this path and query: {visible(target)}")


def _segment(text: str, what: str) -> str:
    _encodable(text, what)
    if not text.strip():
        raise UsageError(
            f"{what} is empty",
            hint="to print the ids of records, list them with -o ids" if what == "the id" else None,
        )
    if text in {".", ".."}:
        raise UsageError(f"{what} {text!r} would look like a folder")
    if any(unicodedata.category(character) in _UNSEEN for character in text):
        raise UsageError(f'{what} "{visible(text)}" holds a character that cannot be seen')
    return text


def _encodable(text: str, what: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise UsageError(f"{what} is not UTF-8: {visible(text)}") from None
