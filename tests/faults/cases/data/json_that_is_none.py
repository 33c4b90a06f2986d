"""Anything but one whole JSON value is no answer, whatever its type says."""

from faults.case import CREATE, LIST, Case
from faults.script import reply


def served(body: bytes, kind: str = "application/json") -> list[bytes]:
    return [reply(body, kind=kind)]


BROKEN = {
    "NaN": b'{"result":[NaN]}',
    "infinity": b'{"result":[Infinity]}',
    "minus infinity": b"[-Infinity]",
    "two values": b"{} {}",
    "a comma at its end": b"[1,]",
    "single quotes": b"{'a':1}",
    "a comment": b"[1] // one",
    "a line break in a text": b'["a\nb"]',
    "a leading zero": b"[01]",
    "a wrong escape": b'["\\x"]',
    "an open text": b'["a',
    "nothing but a mark": b"\xef\xbb\xbf",
    "a name without quotes": b"{a:1}",
    "a NUL": b"\0",
}

CASES = {
    **{
        name: Case(LIST, served(body), exit=5, stderr=["the answer is"], requests=5)
        for name, body in BROKEN.items()
    },
    "bytes that are no text": Case(
        LIST, served(b'{"result":["caf\xe9"]}'), exit=5, stderr=["not UTF-8 at byte 15"], requests=5
    ),
    "half a character at the end of a mebibyte": Case(
        LIST,
        served(b'["' + b"x" * (2**20 - 3) + b"\xc3" + b'"]'),
        exit=5,
        stderr=[f"not UTF-8 at byte {2**20 - 1}"],
    ),
    "a surrogate in UTF-8": Case(
        LIST, served(b'["\xed\xa0\x80"]'), exit=5, stderr=["not UTF-8 at byte 2"]
    ),
    "UTF-16": Case(
        LIST, served('{"a":1}'.encode("utf-16")), exit=5, stderr=["not UTF-8 at byte 0"], requests=5
    ),
    "UTF-16 by its own account": Case(
        LIST,
        served('{"a":1}'.encode("utf-16"), "application/json; charset=utf-16"),
        exit=5,
        stderr=["utf-16"],
    ),
    "Latin-1 by its own account": Case(
        LIST,
        served(b'["caf\xe9"]', "application/json; charset=iso-8859-1"),
        exit=5,
        stderr=["iso-8859-1"],
    ),
    "of a create": Case(
        CREATE,
        served(b"{"),
        exit=10,
        stderr=["not JSON", "may or may not"],
        requests=5,
        one_key=True,
    ),
}
