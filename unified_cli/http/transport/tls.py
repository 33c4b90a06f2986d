"""The authorities that services and proxies are verified by, in one TLS context for all connections of a run."""

import os
import ssl
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from unified_cli.errors import ConfigError

_BUNDLES = ("/etc/ssl/certs", "/etc/pki/tls/certs")


def tls_context(ca_bundle: str | None, environ: Mapping[str, str]) -> ssl.SSLContext:
    """A context that always verifies, by the system's authorities or SSL_CERT_FILE's, and `ca_bundle`'s besides.

    All connections of a run share it: where the system has one large bundle, reading that takes 25 ms each time.
    Raises ConfigError for authorities that cannot be read.
    """
    return _context(ca_bundle, environ.get("SSL_CERT_FILE"), environ.get("SSL_CERT_DIR"))


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
