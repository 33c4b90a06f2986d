"""A request as httpx's transports take it."""

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

import httpx

from unified_cli.config.address import Address
from unified_cli.errors import ConfigError, UsageError
from unified_cli.http.request import Request

if TYPE_CHECKING:
    from unified_cli.http.upload import UploadBody

# Longer URLs are looked at by httpx, which refuses some.
_SHORT_TARGET = 8192


@lru_cache(maxsize=256)
def place_of(address: Address, path: str) -> httpx.URL:
    """The URL of a path without a query. Raises UsageError or ConfigError for one that httpx refuses."""
    url = _url(address.origin + path)
    try:
        _ = url.host
    except ValueError:
        # The xn-- form of a name that does not exist.
        raise ConfigError(f"the host {address.host} has no name that can be called") from None
    return url


def _url(text: str) -> httpx.URL:
    try:
        return httpx.URL(text)
    except httpx.InvalidURL as error:
        raise UsageError(f"the request's URL cannot be sent: {str(error).lower()}") from None


class OutgoingRequest(httpx.Request):
    """A request as transports take it, with its target as httpx documents that: all that a socket needs of the URL.

    The URL is parsed when it is asked for, because that takes longer than all else here.
    """

    def __init__(self, request: Request, headers: Mapping[str, str], body: "bytes | UploadBody") -> None:
        """Raises UsageError or ConfigError for a URL that cannot be sent as it is."""
        self._asked = request
        target, place = request.target, place_of(request.address, request.path)
        extensions: dict[str, bytes | str] = {"target": target.encode("ascii")}
        if request.upload:
            extensions["unified_body"] = request.upload.told
        if isinstance(body, bytes):
            stream = httpx.ByteStream(body)
            super().__init__(request.method, place, headers=headers, stream=stream, extensions=extensions)
            self.read()
        else:
            super().__init__(request.method, place, headers=headers, content=body, extensions=extensions)
        # The base class has set it to where the request goes, without the query.
        self._whole: httpx.URL | None = None
        # Of the query every character that means something in a URL is escaped, so httpx can only refuse its length.
        if place.raw_path != request.path.encode("ascii"):
            raise UsageError(f"these words cannot be put into a URL safely: {target}")
        if len(target) > _SHORT_TARGET:
            _ = self.url

    @property
    def url(self) -> httpx.URL:
        """The URL. Raises UsageError for one that httpx refuses."""
        if self._whole is None:
            self._whole = _url(self._asked.url)
        return self._whole

    @url.setter
    def url(self, url: httpx.URL) -> None:
        self._whole = url
