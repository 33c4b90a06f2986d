"""Bytes that keep coming, too slowly, do not move the deadline."""

from faults.case import CREATE, LIST, PAGE, Case
from faults.script import Trickle, Wait, reply

SLOW = 0.05
SHORT = "--timeout 0.6"


def slow(
    command: str,
    *steps: object,
    exit_code: int = 6,
    said: str = "did not answer in time; \\d+ bytes",
) -> Case:
    return Case(
        f"{command} {SHORT}", [steps], exit=exit_code, stderr=[said], requests=1, timeout=0.6
    )


CASES = {
    "body": slow(LIST, reply(b"", length=99), Trickle(b"x" * 99, SLOW)),
    "head": slow(LIST, b"HTTP/1.1 200 OK\r\n", Trickle(b"X-Slow: 1\r\n" * 99, SLOW)),
    "chunks": slow(
        LIST,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        Trickle(b"1\r\nx\r\n" * 99, SLOW),
    ),
    "interim answers": slow(LIST, Trickle(b"HTTP/1.1 102 Wait\r\n\r\n" * 99, SLOW / 9)),
    "nothing at all": slow(LIST, Wait(9), said="did not answer in time; nothing was received"),
    "write": slow(
        CREATE, reply(b"", length=99), Trickle(b"x" * 99, SLOW), exit_code=10, said="may or may not"
    ),
    "error": Case(
        f"{LIST} {SHORT}",
        [[reply(b"", 404, length=99), Trickle(b"x" * 99, SLOW)]],
        exit=4,
        stderr=["answered 404"],
        requests=1,
        timeout=0.6,
    ),
    "and is whole in time": Case(
        LIST, [[reply(b"", length=len(PAGE)), Trickle(PAGE, 0.001)]], stdout=PAGE + b"\n"
    ),
}
