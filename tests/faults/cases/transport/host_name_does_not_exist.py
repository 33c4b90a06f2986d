"""A name that no server knows ends the run at once: asking again would give the
same.
"""

import socket

from faults.case import Case


def unknown(_: str) -> list[str]:
    raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")


CASES = {
    "": Case(names=unknown, exit=6, stderr=["cannot find 127.0.0.1"], requests=0, waits=(0, 0))
}
