"""Parse and check base URLs, and compare origins."""

import re
from functools import lru_cache
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from unified_cli import hints
from unified_cli.errors import ConfigError, UnifiedError, UnsafeError

SANDBOX = "sandbox:"
_SANDBOX_ORIGIN = "http://sandbox"
# Host names, which may have underscores, or an IPv6 address without its brackets.
_HOST = re.compile(r"[a-z0-9._-]+|[0-9a-f:.]+")
_PORTS = {"http": 80, "https": 443}


class Address(NamedTuple):
    """The parts of a base URL. The path has no slash at its end.

    With the scheme `sandbox`, requests go to the sandbox in this process.
    """

    scheme: str
    host: str
    port: int
    path: str = ""

    @property
    def origin(self) -> str:
        """Scheme, host and port. Credentials are never sent to another origin."""
        return _origin(self)

    @property
    def netloc(self) -> str:
        """The host, and the port unless it is the default."""
        return self.origin.partition("://")[2]

    @property
    def is_sandbox(self) -> bool:
        """Whether requests go to the sandbox in this process."""
        return self.scheme == "sandbox"

    def __str__(self) -> str:
        return self.origin + self.path


# Cached, because the origin is compared before each request is sent.
@lru_cache(maxsize=256)
def _origin(address: Address) -> str:
    if address.is_sandbox:
        return _SANDBOX_ORIGIN
    port = "" if address.port == _PORTS[address.scheme] else f":{address.port}"
    return f"{address.scheme}://{bracketed(address.host)}{port}"


def bracketed(host: str) -> str:
    """Return the host with brackets around an IPv6 address."""
    return f"[{host}]" if ":" in host else host


@lru_cache(maxsize=256)
def parse(url: str, source: str) -> Address:
    """Parse a base URL. Error messages name `source` as the place of the URL.

    Raises ConfigError if the URL is not a valid base URL, and UnsafeError if requests
    would be sent to another machine without TLS.
    """
    if url == SANDBOX:
        return Address("sandbox", "sandbox", 0)
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        # The standard library's message repeats the text, which may contain a password.
        raise ConfigError(
            f"base URL in {source} is not a URL", hint="it must look like https://api.example.com"
        ) from None
    if parts.scheme not in _PORTS or not parts.hostname:
        raise ConfigError(f"base URL in {source} must look like {hints.with_scheme(url)}")
    if "@" in parts.netloc:
        raise ConfigError(
            f"base URL in {source} contains a user name or password",
            hint="tokens are configured separately",
        )
    if parts.query or parts.fragment or "?" in url or "#" in url:
        raise ConfigError(f"base URL in {source} must end before any ? or #")
    _check(url, parts.path, source)
    host = parts.hostname
    if not _HOST.fullmatch(host):
        raise ConfigError(f"base URL in {source} has an invalid host name")
    if parts.scheme == "http" and not is_loopback(host):
        raise UnsafeError(
            f"base URL in {source} would send the token in clear text",
            hint=f"use https://{parts.netloc}",
        )
    return Address(parts.scheme, host, port or _PORTS[parts.scheme], parts.path.rstrip("/"))


def from_text(text: str, source: str) -> Address:
    """Parse the text of an Address, as `str(address)` returns it.

    Raises the same errors as `parse`.
    """
    return parse(SANDBOX if text == _SANDBOX_ORIGIN else text, source)


def origin_of(url: object) -> str | None:
    """Return the origin of a base URL, or None if invalid."""
    try:
        return parse(url, "it").origin if isinstance(url, str) else None
    except UnifiedError:
        return None


def masked(url: str) -> str:
    """Return the URL without a user name and password."""
    scheme, slashes, rest = url.partition("//")
    _, at, host = rest.rpartition("@")
    return f"{scheme}{slashes}***@{host}" if at else url


def _check(url: str, path: str, source: str) -> None:
    if not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        raise ConfigError(
            f"base URL in {source} must be plain ASCII without blanks",
            hint="use the xn-- form of a host",
        )
    if any(unquote(segment) in {".", ".."} for segment in path.split("/")) or "//" in path:
        raise ConfigError(
            f"base URL in {source} must not have // or the segments . and .. in its path"
        )


def is_loopback(host: str) -> bool:
    """Return whether the host is always this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
