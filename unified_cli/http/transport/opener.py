"""The one place that opens a way to the service: the sandbox in this process, or TLS with proxy and authorities."""

import logging
import os
import ssl
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpx

from unified_cli.config.address import Address, is_loopback
from unified_cli.errors import ConfigError
from unified_cli.http.transport.network import ConnectionState, WatchedBackend
from unified_cli.runtime import Runtime

if TYPE_CHECKING:
    from unified_cli.config.settings import Settings

# Their logs hold headers; whoever turns logging on for everything gets none of that.
for _name in ("httpcore", "httpx"):
    logging.getLogger(_name).propagate = False

_BUNDLES = ("/etc/ssl/certs", "/etc/pki/tls/certs")


Sandbox = Callable[[], httpx.BaseTransport]


def open_transport(
    settings: "Settings", address: Address, runtime: Runtime, exchange: ConnectionState, sandbox: Sandbox
) -> httpx.BaseTransport:
    """A transport with one connection, whose sockets the exchange watches; `sandbox` gives the one in this process.

    Raises ConfigError for proxy and authority settings that cannot be used.
    """
    if runtime.transport is not None:
        return runtime.transport()
    if address.is_sandbox:
        return sandbox()
    proxy = proxy_for(address, runtime.environ)
    plain = address.scheme == "http"
    context = _no_authorities() if plain else tls_context(settings.ca_bundle, runtime.environ)
    try:
        transport = httpx.HTTPTransport(
            verify=context,
            trust_env=False,
            proxy=httpx.Proxy(proxy[1], ssl_context=_for_proxy(proxy[1], context)) if proxy else None,
            limits=httpx.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=30),
        )
    except (ImportError, ValueError, httpx.InvalidURL):
        assert proxy is not None  # noqa: S101  nothing else can be wrong here
        raise ConfigError(f"proxy setting in {proxy[0]} cannot be used (it must look like http://proxy:3128)") from None
    # httpcore takes the sockets it is to use only when its pool is made, and httpx makes the pool. The one private
    # attribute this program relies on; a test watches that it is still there.
    transport._pool._network_backend = WatchedBackend(exchange)  # noqa: SLF001
    return transport


def _for_proxy(url: str, context: ssl.SSLContext) -> ssl.SSLContext | None:
    # A proxy that is spoken to in TLS is verified by the same authorities as the service.
    return context if url.startswith("https:") else None


def proxy_for(address: Address, environ: Mapping[str, str]) -> tuple[str, str] | None:
    """The variable that names a proxy for the address, and its URL; None for this machine and what NO_PROXY lists."""
    # typeshed leaves it out, though the standard library exports it.
    from urllib.request import (  # type: ignore[attr-defined]  # noqa: PLC0415  httpx has imported it already
        proxy_bypass_environment,
    )

    if is_loopback(address.host):
        return None
    no_proxy = environ.get("no_proxy") or environ.get("NO_PROXY") or ""
    if proxy_bypass_environment(f"{address.host}:{address.port}", {"no": no_proxy}):
        return None
    for variable in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        if url := environ.get(variable):
            url = url if "://" in url else f"http://{url}"
            try:
                parts = urlsplit(url)
                usable = parts.hostname is not None and parts.port != 0
            except ValueError:
                usable = False
            if not usable:
                raise ConfigError(f"proxy setting in {variable} is no URL (it must look like http://proxy:3128)")
            return variable, url
    return None


def tls_context(ca_bundle: str | None, environ: Mapping[str, str]) -> ssl.SSLContext:
    """A context that always verifies, by the system's authorities or SSL_CERT_FILE's, and `ca_bundle`'s besides.

    All connections of a run share it: where the system has one large bundle, reading that takes 25 ms each time.
    Raises ConfigError for authorities that cannot be read.
    """
    return _context(ca_bundle, environ.get("SSL_CERT_FILE"), environ.get("SSL_CERT_DIR"))


@cache
def _no_authorities() -> ssl.SSLContext:
    """What httpx is given where no TLS is spoken; without it, it would look for authorities of its own."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


@cache
def _context(ca_bundle: str | None, file: str | None, folder: str | None) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if folder and not Path(folder).is_dir():
        raise ConfigError(f"SSL_CERT_DIR {folder} cannot be used: there is no such folder")
    if file or folder:
        _load(context, file, folder, "SSL_CERT_FILE" if file else "SSL_CERT_DIR")
    elif hashed := next((path for path in _BUNDLES if _is_hashed(path)), None):
        # A folder of hashed names is read certificate by certificate when needed: 20 ms less than one large bundle.
        context.load_verify_locations(capath=hashed)
    else:
        context.load_default_certs()
    if ca_bundle:
        _load(context, os.path.expanduser(ca_bundle), None, "the CA bundle")  # noqa: PTH111  ssl takes text
    return context


def _is_hashed(folder: str) -> bool:
    try:
        return any(name.endswith(".0") for name in os.listdir(folder))  # noqa: PTH208  a name is all that is wanted
    except OSError:
        return False


def _load(context: ssl.SSLContext, file: str | None, folder: str | None, what: str) -> None:
    try:
        context.load_verify_locations(file or None, folder or None)
    except (OSError, ssl.SSLError) as error:
        # OpenSSL's own errors are OSErrors too, and speak in its tongue.
        reason = "it holds no certificate" if isinstance(error, ssl.SSLError) else error.strerror
        raise ConfigError(f"{what} {file or folder} cannot be used: {reason}") from None
