"""A host name that no name server could hold is a name that does not exist."""

import socket

from faults.case import LIST, Case


def unknown(_: str) -> list[str]:
    raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")


CASES = {
    "an emoji in its ASCII form": Case(
        LIST,
        environ={"UNIFIED_BASE_URL": "https://xn--ls8h.example"},
        exit=3,
        stderr=["has an invalid name"],
        requests=0,
    ),
    "a broken ASCII form": Case(
        LIST,
        environ={"UNIFIED_BASE_URL": "https://xn--a.example"},
        exit=3,
        stderr=["has an invalid name"],
        requests=0,
    ),
} | {
    name: Case(
        LIST,
        environ={"UNIFIED_BASE_URL": f"https://{host}"},
        names=unknown,
        exit=6,
        stderr=["cannot find"],
        requests=0,
    )
    for name, host in {
        "a label that is too long": f"{'a' * 70}.example",
        "an underscore": "my_host.example",
        "another alphabet in its ASCII form": "xn--bcher-kva.example",
        "a dot at its end": "api.example.",
        "digits": "1.2.3.4.5",
    }.items()
}
