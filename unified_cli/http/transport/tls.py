"""Create the TLS context that verifies services and proxies, which all connections
share.
"""

import os
import re
import ssl
import stat
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import certifi

from unified_cli.errors import ConfigError
from unified_cli.storage import input_bounds

_reading = threading.Lock()
_HASHED = re.compile(r"[0-9a-f]{8}\.[0-9]+")


def tls_context(ca_bundle: str | None, environ: Mapping[str, str]) -> ssl.SSLContext:
    """Return a context that trusts the system's authorities and those in `ca_bundle`.

    SSL_CERT_FILE and SSL_CERT_DIR replace the system's authorities. All connections of
    a run share the context. Raises ConfigError if authorities cannot be read.
    """
    # Several workers may call this function at the same time. Only the first call loads
    # the authorities.
    with _reading:
        return _context(ca_bundle, environ.get("SSL_CERT_FILE"), environ.get("SSL_CERT_DIR"))


def system_has_authorities() -> bool:
    """Return whether the system has certificate authorities. If not, those of certifi
    are used.
    """
    return sys.platform == "darwin" or _has_authorities(ssl.create_default_context())


@cache
def _context(ca_bundle: str | None, file: str | None, folder: str | None) -> ssl.SSLContext:
    if folder and not Path(folder).is_dir():
        raise ConfigError(f"SSL_CERT_DIR {folder} cannot be used: there is no such folder")
    if file or folder:
        with _naming(f"SSL_CERT_FILE {file}" if file else f"SSL_CERT_DIR {folder}"):
            context = ssl.create_default_context(cafile=file or None, capath=folder or None)
    else:
        context = _by_system()
    context.minimum_version = max(context.minimum_version, ssl.TLSVersion.TLSv1_2)
    context.set_alpn_protocols(["http/1.1"])
    if ca_bundle:
        bundle = os.path.expanduser(ca_bundle)  # noqa: PTH111  ssl takes text

        if input_bounds.is_named_pipe(bundle):
            # OpenSSL would wait forever for a writer.
            raise ConfigError(f"the CA bundle {bundle} cannot be used: it is a named pipe")
        with _naming(f"the CA bundle {bundle}"):
            # OpenSSL does not say which file is missing.
            os.stat(bundle)  # noqa: PTH116  as above
            context.load_verify_locations(bundle)
    return context


def _by_system() -> ssl.SSLContext:
    if sys.platform == "darwin":
        # On macOS the authorities are in the keychain, which OpenSSL cannot read, so
        # let macOS verify.
        import truststore  # noqa: PLC0415  other systems do not need it

        return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if folder := _complete_folder():
        return ssl.create_default_context(capath=folder)
    context = ssl.create_default_context()
    if not _has_authorities(context):
        context.load_verify_locations(certifi.where())
    return context


def _complete_folder() -> str | None:
    """Return the system's folder of authorities, or None if it lacks authorities of the
    system's bundle.

    The folder is faster than the bundle: OpenSSL reads only one authority from the
    folder, but reads the complete bundle, which takes 20 ms.
    """
    paths = ssl.get_default_verify_paths()
    try:
        bundle = Path(paths.openssl_cafile).stat().st_size
        with os.scandir(paths.openssl_capath) as entries:
            found = [entry.stat() for entry in entries if _HASHED.fullmatch(entry.name)]
    except OSError:
        return None
    # This user may be unable to read files that are not public, so skip them.
    size = sum(status.st_size for status in found if status.st_mode & stat.S_IROTH)
    # The bundle is made from these files. If it is larger, it has other authorities,
    # too.
    return paths.openssl_capath if size and size == bundle else None


def _has_authorities(context: ssl.SSLContext) -> bool:
    """Return whether the context has authorities.

    OpenSSL has already loaded a file of authorities, but reads a folder at each
    handshake.
    """
    folder = ssl.get_default_verify_paths().capath
    try:
        return bool(context.cert_store_stats()["x509"]) or (
            folder is not None and any(Path(folder).iterdir())
        )
    except PermissionError:
        # OpenSSL opens files by name without listing the folder, so it may find
        # authorities.
        return True


@contextmanager
def _naming(what: str) -> Iterator[None]:
    """Raise ConfigError if authorities cannot be read. `what` names the authorities in
    the message.
    """
    try:
        yield
    except OSError as error:
        # OpenSSL's own errors are also OSErrors, but without a readable message.
        reason = "it holds no certificate" if isinstance(error, ssl.SSLError) else error.strerror
        raise ConfigError(f"{what} cannot be used: {reason}") from None
