"""Proxies that others wrote, with and without credentials and TLS of their own, before
a service that speaks TLS.
"""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from signal import SIGCONT, SIGSTOP

import pytest
from faults import authority
from faults.script import Listener, reply
from front_door import Process

pytestmark = pytest.mark.long(nightly="needs tinyproxy, squid and privoxy")
# A name that is not known for this machine's, as for localhost no proxy is used.
HOST = socket.gethostname()
ME = "me:s%20cret@"
ANSWER = b'{"result":[{"id":"1"}],"next_cursor":null}'


def tinyproxy(folder: Path, port: int, *, login: bool) -> list[str]:
    """Its command, after its settings were written."""
    lines = [f"Port {port}", "Listen 127.0.0.1", "Timeout 60", f'LogFile "{folder}/log"']
    # Its settings hold no blank in a password.
    lines += ["BasicAuth me s3cret"] * login
    (folder / "conf").write_text("\n".join([*lines, ""]))
    return ["tinyproxy", "-d", "-c", str(folder / "conf")]


def squid(
    folder: Path, port: int, *, login: bool = False, secure: bool = False, closed: bool = False
) -> list[str]:
    """The same for squid; `secure` with TLS, `closed` to everybody."""
    # Squid's own user cannot read the folder.
    asking = "/bin/sed -u s/^me.s%20cret/OK/;t;s/.*/ERR/"
    authority.write_identity(folder / "identity.pem", "127.0.0.1")
    listening = f"https_port 127.0.0.1:{port} tls-cert={folder}/identity.pem"
    lines = [
        listening if secure else f"http_port 127.0.0.1:{port}",
        "access_log none",
        "cache deny all",
    ]
    lines += [f"cache_log {folder}/log", f"pid_filename {folder}/pid", f"coredump_dir {folder}"]
    lines += [f"auth_param basic program {asking}", "acl known proxy_auth REQUIRED"] * login
    lines += [
        "http_access deny all" if closed else f"http_access allow {'known' if login else 'all'}"
    ]
    (folder / "conf").write_text("\n".join([*lines, ""]))
    return ["squid", "-N", "-f", str(folder / "conf")]


def privoxy(folder: Path, port: int) -> list[str]:
    """The same for privoxy, which knows no credentials."""
    (folder / "conf").write_text(
        f"listen-address 127.0.0.1:{port}\nlogdir {folder}\nconfdir /etc/privoxy\ntoggle 0\n"
    )
    return ["privoxy", "--no-daemon", str(folder / "conf")]


PROXIES = {
    "tinyproxy": (lambda folder, port: tinyproxy(folder, port, login=False), ""),
    "tinyproxy with a login": (
        lambda folder, port: tinyproxy(folder, port, login=True),
        "me:s3cret@",
    ),
    "squid": (squid, ""),
    "squid with a login": (lambda folder, port: squid(folder, port, login=True), ME),
    "squid in TLS": (lambda folder, port: squid(folder, port, login=True, secure=True), ME),
    "privoxy": (privoxy, ""),
}


@contextmanager
def running(
    command: Callable[[Path, int], list[str]], folder: Path
) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """The port on which a proxy listens, and its process; the test is skipped where it
    is not installed.
    """
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    folder.chmod(0o777)
    name, *options = command(folder, port)
    program = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        pytest.skip(f"{name} is not installed")
    with subprocess.Popen(
        [program, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            until = time.monotonic() + 30
            while not _listens(port) and process.poll() is None and time.monotonic() < until:
                time.sleep(0.1)
            yield port, process
        finally:
            process.send_signal(SIGCONT)
            process.kill()


def _listens(port: int) -> bool:
    with socket.socket() as one:
        return not one.connect_ex(("127.0.0.1", port))


@pytest.fixture
def origin() -> Iterator[Listener]:
    """A service in TLS, whose name is that of this machine."""
    listener = Listener([reply(ANSWER)], authority.context("good"), host=socket.gethostbyname(HOST))
    listener.start({})
    yield listener
    listener.stop()


Ask = Callable[..., tuple[int, str]]


@pytest.fixture
def ask(process: Process, tmp_path: Path, origin: Listener) -> Ask:
    """Runs a command through a proxy: its exit code, and what it said."""
    authority.write(tmp_path / "authority.pem")

    def run(proxy: str, words: str = "ticketing tickets list", port: int = 0) -> tuple[int, str]:
        environ = {
            "UNIFIED_BASE_URL": f"https://{HOST}:{port or origin.port}",
            "UNIFIED_CA_BUNDLE": str(tmp_path / "authority.pem"),
            "UNIFIED_TOKEN": "t-0123456789",
            "UNIFIED_ACCOUNT_ID": "1",
            "HTTPS_PROXY": proxy,
        }
        done = process(f"{words} --timeout 6 --retries 1", environ=environ)
        return done.returncode, done.stderr.decode()

    return run


@pytest.mark.parametrize("name", PROXIES)
def test_a_call_goes_through(name: str, tmp_path: Path, origin: Listener, ask: Ask) -> None:
    command, me = PROXIES[name]
    scheme = "https" if name.endswith("TLS") else "http"
    with running(command, tmp_path) as (port, _):
        assert ask(f"{scheme}://{me}127.0.0.1:{port}") == (0, "")
        assert ask(f"{scheme}://{me}127.0.0.1:{port}", "ticketing tickets create -f name=x")[0] == 0
    assert [request.split()[0] for request in origin.requests] == [b"GET", b"POST"]
    assert not any(b"Proxy-" in request for request in origin.requests)


@pytest.mark.parametrize("name", [one for one in PROXIES if PROXIES[one][1]])
@pytest.mark.parametrize("me", ["", "me:wrong@"])
def test_without_its_login_a_proxy_refuses(
    name: str, me: str, tmp_path: Path, origin: Listener, ask: Ask
) -> None:
    scheme = "https" if name.endswith("TLS") else "http"
    with running(PROXIES[name][0], tmp_path) as (port, _):
        code, said = ask(f"{scheme}://{me}127.0.0.1:{port}")
    assert code == 6
    assert f"proxy 127.0.0.1:{port} refuses to connect to {HOST}: 40" in said
    assert "wrong" not in said
    assert origin.requests == []


def test_a_proxy_that_refuses_everyone_is_reported(
    tmp_path: Path, origin: Listener, ask: Ask
) -> None:
    with running(lambda folder, port: squid(folder, port, closed=True), tmp_path) as (port, _):
        code, said = ask(f"http://127.0.0.1:{port}")
    assert (code, said.count(f"proxy 127.0.0.1:{port} refuses to connect to {HOST}: 403")) == (6, 1)
    assert origin.requests == []


@pytest.mark.parametrize("name", [one for one in PROXIES if not PROXIES[one][1]])
def test_a_service_that_a_proxy_cannot_reach_is_reported(
    name: str, tmp_path: Path, ask: Ask
) -> None:
    with running(PROXIES[name][0], tmp_path) as (port, _):
        code, said = ask(f"http://127.0.0.1:{port}", port=1)
    assert (code, f"proxy 127.0.0.1:{port} refuses to connect to {HOST}: 50" in said) == (6, True)


@pytest.mark.parametrize("name", PROXIES)
def test_a_proxy_that_hangs_times_out(
    name: str, tmp_path: Path, origin: Listener, ask: Ask
) -> None:
    command, me = PROXIES[name]
    scheme = "https" if name.endswith("TLS") else "http"
    with running(command, tmp_path) as (port, process):
        process.send_signal(SIGSTOP)
        began = time.monotonic()
        code, said = ask(f"{scheme}://{me}127.0.0.1:{port}")
    assert code == 6
    assert "127.0.0.1" in said
    assert time.monotonic() - began < 15
    assert origin.requests == []
