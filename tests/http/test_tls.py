"""The authorities that answers are verified by: read once, however many connections there are."""

import ssl
from pathlib import Path
from typing import Any

import pytest
import trustme

from unified_cli.http.transport.tls import tls_context


def test_all_connections_of_a_run_share_what_was_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    read = []
    load = ssl.SSLContext.load_verify_locations

    def counted(context: ssl.SSLContext, *args: Any, **more: Any) -> None:
        read.append(args)
        load(context, *args, **more)

    monkeypatch.setattr(ssl.SSLContext, "load_verify_locations", counted)
    bundles = [str(tmp_path / name) for name in ("one.pem", "two.pem")]
    for bundle in bundles:
        trustme.CA().cert_pem.write_to_path(bundle)
    one, two = ({tls_context(None, {"SSL_CERT_FILE": bundle}) for _ in range(20)} for bundle in bundles)
    assert (len(one), len(two), len(one | two), len(read)) == (1, 1, 2, 2)
