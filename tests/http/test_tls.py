"""The authorities that answers are verified by: the system's, as the interpreter itself
would use them.
"""

import os
import shlex
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import certifi
import pytest
import trustme
import truststore
from front_door import Unified
from installed import skip_without
from server import Reply, Seen, Service, serving

from unified_cli.http.transport import tls
from unified_cli.http.transport.tls import tls_context

LIST = "ticketing tickets list"


@pytest.fixture
def authority(tmp_path: Path) -> Path:
    """The file of an authority that issued the certificate of `secure`."""
    return tmp_path / "authority.pem"


@pytest.fixture
def secure(authority: Path) -> Iterator[Service]:
    """A service that only those believe who know the authority."""
    issuer = trustme.CA()
    issuer.cert_pem.write_to_path(str(authority))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    issuer.issue_cert("127.0.0.1").configure_cert(context)
    with serving(context) as service:
        yield service


def test_clear_text_to_a_port_that_expects_tls_names_https(
    unified: Unified, secure: Service
) -> None:
    place = secure.url.removeprefix("https://")
    environ = {**secure.environ, "UNIFIED_BASE_URL": f"http://{place}"}
    result = unified(f"{LIST} --retries 0", environ=environ)
    assert (result.code, f"(did you mean https://{place}?)" in result.stderr) == (6, True)


def test_a_service_that_answered_before_is_not_said_to_expect_tls(
    unified: Unified, service: Service
) -> None:
    def reply(seen: Seen) -> Reply:
        if "next_cursor" in seen.target:
            raise ConnectionResetError
        return Reply(200, b'{"result":[{"id":"1"}],"next_cursor":"2"}')

    service.reply = reply
    result = unified(f"{LIST} --all --retries 0", environ=service.environ)
    assert (result.code, "https" in result.stderr) == (6, False)


def test_all_connections_of_a_run_share_what_was_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    read = []
    load = ssl.SSLContext.load_verify_locations

    def counted(context: ssl.SSLContext, *args: Any, **more: Any) -> None:
        read.append(args)
        load(context, *args, **more)

    monkeypatch.setattr(ssl.SSLContext, "load_verify_locations", counted)
    bundles = [str(tmp_path / name) for name in ("one.pem", "two.pem")]
    for bundle in bundles:
        trustme.CA().cert_pem.write_to_path(bundle)
    one, two = (
        {tls_context(None, {"SSL_CERT_FILE": bundle}) for _ in range(20)} for bundle in bundles
    )
    assert (len(one), len(two), len(one | two), len(read)) == (1, 1, 2, 2)


@pytest.mark.parametrize("variable", [None, "SSL_CERT_FILE", "SSL_CERT_DIR"])
@pytest.mark.parametrize("bundled", [False, True])
def test_the_context_verifies_as_the_interpreters_own_does(
    variable: str | None, authority: Path, secure: Service, *, bundled: bool
) -> None:
    assert secure.url
    places = {"SSL_CERT_FILE": str(authority), "SSL_CERT_DIR": str(authority.parent)}
    context = tls_context(
        str(authority) if bundled else None, {variable: places[variable]} if variable else {}
    )
    own = ssl.create_default_context()
    assert (context.verify_flags, context.options) == (own.verify_flags, own.options)
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)
    assert context.minimum_version >= ssl.TLSVersion.TLSv1_2


def test_the_interpreters_own_flags_are_as_strict_as_they_were_documented() -> None:
    strict = ssl.VERIFY_X509_TRUSTED_FIRST | ssl.VERIFY_X509_PARTIAL_CHAIN | ssl.VERIFY_X509_STRICT
    expected = strict if sys.version_info >= (3, 13) else ssl.VERIFY_X509_TRUSTED_FIRST
    assert tls_context(None, {}).verify_flags == expected


def test_the_named_authorities_replace_the_systems_and_a_bundle_is_added(
    unified: Unified, secure: Service, authority: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.pem"
    trustme.CA().cert_pem.write_to_path(str(other))
    for environ, flag, code in [
        ({}, "", 6),
        ({"SSL_CERT_FILE": str(authority)}, "", 0),
        ({"SSL_CERT_FILE": str(other)}, "", 6),
        ({"SSL_CERT_FILE": str(other)}, f" --ca-bundle {authority}", 0),
        ({"SSL_CERT_FILE": str(authority)}, f" --ca-bundle {other}", 0),
    ]:
        assert unified(LIST + flag, environ={**secure.environ, **environ}).code == code, (
            environ,
            flag,
        )


def test_a_mac_verifies_by_its_keychain_and_by_a_bundle(
    unified: Unified, secure: Service, authority: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tls, "sys", SimpleNamespace(platform="darwin"))
    # Contexts are kept for the run; this one is not to be found by another test, nor
    # the other way round.
    tls._context.cache_clear()
    try:
        assert type(tls_context(None, {})) is truststore.SSLContext
        assert unified(LIST, environ=secure.environ).code == 6
        assert unified(f"{LIST} --ca-bundle {authority}", environ=secure.environ).code == 0
        assert unified(LIST, environ={**secure.environ, "SSL_CERT_FILE": str(authority)}).code == 0
    finally:
        tls._context.cache_clear()


def _in_a_namespace(
    command: str, mounts: list[str], environ: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a command as a process that sees these mounts, unlike other processes."""
    skip_without("unshare", "mount")
    alone = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]
    if sys.platform == "darwin" or subprocess.run([*alone, "true"], check=False).returncode:
        pytest.skip("this machine does not let the tests mount anything for themselves")
    program = shlex.join([sys.executable, "-m", "unified_cli", *command.split()])
    script = "\n".join([*mounts, f"exec {program}"])
    own = {"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.run(
        [*alone, "sh", "-ec", script],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        env={**own, **environ},
    )


def _hide(*folders: Path) -> list[str]:
    """Commands that put an empty folder in the place of each that is there."""
    quoted = [shlex.quote(str(folder)) for folder in folders]
    return [f"if [ -d {folder} ]; then mount -t tmpfs none {folder}; fi" for folder in quoted]


def test_an_authority_only_in_the_systems_bundle_is_trusted(
    secure: Service, authority: Path, tmp_path: Path
) -> None:
    bundle = Path(ssl.get_default_verify_paths().openssl_cafile)
    longer = tmp_path / "longer.pem"
    there = bundle.read_bytes() if bundle.exists() else b""
    longer.write_bytes(there + authority.read_bytes())
    mounts = (
        [f"mount --bind {shlex.quote(str(longer))} {shlex.quote(str(bundle.resolve()))}"]
        if there
        else []
    )
    environ = {"HOME": str(tmp_path), **secure.environ}
    refused = _in_a_namespace(LIST, [], environ)
    trusted = _in_a_namespace(LIST, mounts, environ)
    assert (refused.returncode, trusted.returncode) == (6, 0 if mounts else 6), trusted.stderr


def test_a_bundle_is_left_unread_where_a_folder_has_all_its_authorities(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, bundle = tmp_path / "certs", tmp_path / "cert.pem"
    folder.mkdir()
    issuers = [trustme.CA().cert_pem.bytes() for _ in range(2)]
    for name, issuer in zip(("0a1b2c3d.0", "0a1b2c3d.1"), issuers, strict=True):
        (folder / name).write_bytes(issuer)
    # Under this name OpenSSL looks for no authority.
    (folder / "authority.pem").write_bytes(issuers[0])
    paths = SimpleNamespace(openssl_cafile=str(bundle), openssl_capath=str(folder))
    monkeypatch.setattr(ssl, "get_default_verify_paths", lambda: paths)
    for found, lazily in [(issuers, True), (issuers[:1], False), ([*issuers, b"\n"], False)]:
        bundle.write_bytes(b"".join(found))
        assert (tls._complete_folder() == str(folder)) is lazily
    bundle.write_bytes(b"".join(issuers))
    (folder / "0a1b2c3d.1").chmod(0o600)
    assert tls._complete_folder() is None
    for name in folder.iterdir():
        name.unlink()
    bundle.write_bytes(b"")
    assert tls._complete_folder() is None
    bundle.unlink()
    assert tls._complete_folder() is None


@pytest.mark.parametrize("store", ["gone", "empty", "there"])
def test_certifis_authorities_are_used_where_the_system_has_none(
    store: str, secure: Service, authority: Path, tmp_path: Path
) -> None:
    paths = ssl.get_default_verify_paths()
    file, folder = Path(paths.openssl_cafile), Path(paths.openssl_capath)
    mounts = {
        "gone": _hide(folder.resolve().parent, file.parent),
        "empty": [*_hide(folder), f"if [ -e {file} ]; then mount --bind /dev/null {file}; fi"],
        "there": [],
    }
    # The service's authority in place of certifi's own: who believes the service has it
    # from there.
    known = f"mount --bind {shlex.quote(str(authority))} {shlex.quote(certifi.where())}"
    environ = {"HOME": str(tmp_path), **secure.environ}
    done = _in_a_namespace(LIST, [*mounts[store], known], environ)
    examined = _in_a_namespace("doctor", mounts[store], environ)
    if store == "there":
        assert (done.returncode, "the certificate of 127.0.0.1 is refused" in done.stderr) == (
            6,
            True,
        ), done.stderr
        assert "those of the system can be used" in examined.stdout
    else:
        assert (done.returncode, done.stdout) == (0, "{}\n"), done.stderr
        assert "those of certifi, as the system has none, can be used" in examined.stdout
