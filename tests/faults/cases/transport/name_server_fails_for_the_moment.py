"""A name server that is away for a moment is asked again, and named when it stays
away.
"""

import socket

from faults.case import CREATE, LIST, PAGE, Case


class Failing:
    def __init__(self, times: int) -> None:
        self.left = times

    def __call__(self, host: str) -> list[str]:
        self.left -= 1
        if self.left >= 0:
            raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
        return [host]


CASES = {
    "for good": Case(
        LIST,
        names=Failing(99),
        exit=6,
        stderr=["retry 4 of 4", "cannot look up 127.0.0.1"],
        requests=0,
    ),
    "then answers": Case(LIST, names=Failing(2), stdout=PAGE + b"\n", requests=1),
    "then answers a write": Case(CREATE, names=Failing(2), requests=1),
}
