"""Find the route to an address: directly, or through a proxy from the environment."""

from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

# Typeshed lacks this function.
from urllib.request import proxy_bypass_environment  # type: ignore[attr-defined]

import httpx

from unified_cli.config.address import Address, bracketed, is_loopback
from unified_cli.errors import ConfigError
from unified_cli.masking import hide

_VARIABLES = ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
_PORTS = {"http": 80, "https": 443}
_EXAMPLE = "it must look like http://proxy:3128"


class ProxySetting(NamedTuple):
    """A proxy: the variable that sets it, its text, and its parsed URL."""

    variable: str
    text: str
    url: httpx.URL


class NetworkRoute(NamedTuple):
    """The address of the service, and the proxy if there is one. `source` names the
    setting that has the address.
    """

    address: Address
    proxy: ProxySetting | None
    source: str

    @property
    def first_peer(self) -> str:
        """The first host to connect to, for messages."""
        return f"proxy {self.proxy.url.host}" if self.proxy else self.address.host

    @property
    def first_place(self) -> str:
        """The first host to connect to, with its port.

        The port of a proxy is always included, because it is rarely the default port.
        """
        proxy = self.proxy and self.proxy.url
        return f"proxy {bracketed(proxy.host)}:{port_of(proxy)}" if proxy else self.address.netloc


def port_of(url: httpx.URL) -> int:
    """Return the URL's port, or the default port of its scheme."""
    return url.port or _PORTS[url.scheme]


def proxy_for(address: Address, environ: Mapping[str, str]) -> ProxySetting | None:
    """Return the proxy for the address, or None.

    Connections to a loopback address or to a host in NO_PROXY use no proxy. Raises
    ConfigError if a setting is invalid.
    """
    if is_loopback(address.host):
        return None
    no_proxy = environ.get("no_proxy") or environ.get("NO_PROXY") or ""
    if proxy_bypass_environment(f"{address.host}:{address.port}", {"no": no_proxy}):
        return None
    for variable in _VARIABLES:
        if text := environ.get(variable):
            return _parse(variable, text if "://" in text else f"http://{text}")
    return None


def _parse(variable: str, text: str) -> ProxySetting:
    password = text.rpartition("@")[0].rpartition("//")[2].partition(":")[2]
    hide(password)
    hide(unquote(password))
    try:
        setting = ProxySetting(variable, text, httpx.URL(text))
        # httpx accepts any number as a port.
        usable = setting.url.scheme in _PORTS and setting.url.host and urlsplit(text).port != 0
    except (httpx.InvalidURL, ValueError):
        # An invalid xn-- name is a ValueError, too.
        raise ConfigError(f"proxy setting in {variable} is not a URL", hint=_EXAMPLE) from None
    if not usable:
        raise ConfigError(f"proxy setting in {variable} cannot be used", hint=_EXAMPLE)
    return setting
