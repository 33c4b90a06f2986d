"""A proxy that fails is named as the one that failed, and never sees the token."""

import socket

from faults.case import CREATE, LIST, PAGE, Case
from faults.script import CLOSE, TLS, Answer, Trickle, reply

BEHIND = {"UNIFIED_BASE_URL": "https://api.example.test", "HTTPS_PROXY": "http://127.0.0.1:@PORT@"}
SECURED = {"HTTPS_PROXY": "https://127.0.0.1:@PORT@"}
CONNECT = rb"^CONNECT api\.example\.test:443 HTTP/1\.1\r\n"
OPEN = b"HTTP/1.1 200 Connection established\r\n\r\n"


def unknown(_: str) -> list[str]:
    raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")


CASES = {
    "refused": Case(
        environ={**BEHIND, "HTTPS_PROXY": "http://127.0.0.1:1"},
        exit=6,
        stderr=["proxy 127.0.0.1:1 refused"],
    ),
    "unknown": Case(
        environ={**BEHIND, "HTTPS_PROXY": "http://proxy.test:1"},
        names=unknown,
        exit=6,
        stderr=["cannot find proxy proxy.test"],
    ),
    "shows a certificate that nobody knows": Case(
        environ={**BEHIND, **SECURED},
        tls="unknown",
        exit=6,
        stderr=["the certificate of proxy 127.0.0.1 is refused"],
    ),
    "closes where TLS is spoken to it": Case(
        server=[Answer([CLOSE], after="nothing")],
        environ={**BEHIND, **SECURED},
        exit=6,
        stderr=["proxy 127.0.0.1 closed the connection during the TLS handshake"],
        requests=0,
    ),
    "wants a password": Case(
        server=[reply(b"", 407, kind=None)],
        environ=BEHIND,
        exit=6,
        stderr=[
            r"proxy 127.0.0.1:\d+ refuses to connect to api.example.test: 407",
            (
                r"\(the proxy requires a name and a password: http://NAME:PASSWORD@HOST:PORT"
                r" in HTTPS_PROXY\)"
            ),
        ],
        requests=[CONNECT],
    ),
    "wants a password and gives no reason": Case(
        server=[[b"HTTP/1.1 407 \r\n\r\n"]],
        environ=BEHIND,
        exit=6,
        stderr=[r"api.example.test: 407 \(the proxy requires a name"],
        requests=[CONNECT],
    ),
    "cannot reach the host": Case(
        LIST,
        [reply(b"", 502, kind=None)],
        environ=BEHIND,
        exit=6,
        stderr=[r"proxy 127.0.0.1:\d+.*502"],
        requests=[CONNECT] * 5,
    ),
    "cannot reach the host of a write": Case(
        CREATE,
        [reply(b"", 502, kind=None)],
        environ=BEHIND,
        exit=6,
        never=["may or may not"],
        requests=[CONNECT] * 5,
    ),
    "closes": Case(server=[[CLOSE]], environ=BEHIND, exit=6, requests=5),
    "trickles": Case(
        f"{LIST} --timeout 0.5",
        [[Trickle(b"HTTP/1.1 200 OK\r\n" * 99, 0.05)]],
        environ=BEHIND,
        exit=6,
        requests=1,
        timeout=0.5,
    ),
    "lets through": Case(
        LIST,
        [[OPEN, TLS], reply(PAGE)],
        environ=BEHIND,
        tunnel="good",
        stdout=PAGE + b"\n",
        requests=[
            CONNECT + rb"((?!uthorization).)*$",
            rb"^GET /unified.*\nAuthorization: Bearer CANARY",
        ],
    ),
    "lets through to somebody else": Case(
        LIST,
        [[OPEN, TLS]],
        environ=BEHIND,
        tunnel="wrong host",
        exit=6,
        stderr=["certificate"],
        requests=[CONNECT],
    ),
    "lets through to a name that no certificate can have": Case(
        LIST,
        [[OPEN, TLS]],
        environ={**BEHIND, "UNIFIED_BASE_URL": f"https://{'a' * 70}.example"},
        tunnel="good",
        exit=6,
        requests=[rb"^CONNECT a{70}"] * 5,
    ),
    "with a password in its URL": Case(
        f"{LIST} -vv",
        [reply(b"", 407, kind=None)],
        environ={**BEHIND, "HTTPS_PROXY": "http://me:hunter2@127.0.0.1:@PORT@"},
        exit=6,
        stderr=[r"proxy 127.0.0.1:\d+.*407.*\(check the name and the password in HTTPS_PROXY\)"],
        never=["hunter2", "bWU6aHVudGVyMg"],
        requests=[CONNECT + rb".*Proxy-Authorization: Basic "],
    ),
}
