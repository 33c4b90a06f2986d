"""A body that is wrongly called gzip, or is not whole, is damage."""

import gzip

from faults.case import DELETE, LIST, PAGE, Case
from faults.script import reply

PACKED = gzip.compress(PAGE)


def packed(body: bytes, status: int = 200) -> list[bytes]:
    return [reply(body, status, {"Content-Encoding": "gzip"})]


CASES = {
    "not gzip": Case(LIST, packed(PAGE), exit=5, stderr=["is not valid gzip"], requests=5),
    "cut": Case(LIST, packed(PACKED[:-9]), exit=5, stderr=["gzip data is cut short"], requests=5),
    "cut once": Case(LIST, [*packed(PACKED[:-9]), reply(PAGE)], stdout=PAGE + b"\n", requests=2),
    "a wrong checksum": Case(
        LIST, packed(PACKED[:-8] + b"\0" * 8), exit=5, stderr=["gzip"], requests=5
    ),
    "more behind its end": Case(
        LIST, packed(PACKED + b"more"), exit=5, stderr=["after its end"], requests=5
    ),
    "of a delete": Case(DELETE, packed(PACKED[:-9]), requests=1),
    "of an error": Case(LIST, packed(PAGE, 404), exit=4, stderr=["answered 404"], requests=1),
    "nothing at all, where nothing is due": Case(DELETE, packed(b"", 200), requests=1),
}
