"""Certificates of every kind, good and bad, from an authority that lives as long as the
test run.
"""

import socket
import ssl
import warnings
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path

import trustme

NOW = datetime.now(UTC)
_DAY = timedelta(days=1)
_NAMES = ["localhost", "127.0.0.1", "api.example.test", socket.gethostname()]


@lru_cache
def _authority() -> trustme.CA:
    return trustme.CA()


def write(path: Path) -> None:
    """Write the authority's certificate, for `--ca-bundle`."""
    _authority().cert_pem.write_to_path(str(path))


def write_identity(path: Path, *names: str) -> None:
    """Write a certificate for these names with its key, for a server of others."""
    _authority().issue_cert(*names).private_key_and_cert_chain_pem.write_to_path(str(path))


@lru_cache
def context(kind: str) -> ssl.SSLContext:
    """A server's context: `good`, `unknown`, `wrong host`, `expired`, `not yet valid`
    or `old`.
    """
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    issuer = trustme.CA() if kind == "unknown" else _authority()
    names = ["other.example"] if kind == "wrong host" else _NAMES
    span = {"expired": (-30 * _DAY, -_DAY), "not yet valid": (_DAY, 30 * _DAY)}.get(
        kind, (-_DAY, 30 * _DAY)
    )
    issuer.issue_cert(*names, not_before=NOW + span[0], not_after=NOW + span[1]).configure_cert(
        made
    )
    if kind == "old":
        # Ciphers of an age that OpenSSL otherwise no longer offers.
        made.set_ciphers("ALL:@SECLEVEL=0")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            made.maximum_version = ssl.TLSVersion.TLSv1_1
            made.minimum_version = ssl.TLSVersion.TLSv1
    return made
