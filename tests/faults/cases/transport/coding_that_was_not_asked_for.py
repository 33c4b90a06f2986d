"""A content coding other than the gzip that was asked for is named, and never
undone.
"""

import gzip

from faults.case import PAGE, Case
from faults.script import reply


def coded(coding: str, body: bytes = PAGE) -> list[bytes]:
    return [reply(body, headers={"Content-Encoding": coding})]


TWICE = gzip.compress(gzip.compress(PAGE))

CASES = {
    **{
        f"{coding}": Case(
            server=coded(coding),
            exit=5,
            stderr=[f"'{coding}', which was not requested"],
            requests=5,
        )
        for coding in ("br", "zstd", "deflate", "compress")
    },
    "gzip twice": Case(
        server=coded("gzip, gzip", TWICE),
        exit=5,
        stderr=["'gzip, gzip', which was not"],
        requests=5,
    ),
    "six codings": Case(
        server=coded(", ".join(["gzip"] * 6)), exit=5, stderr=["which was not requested"]
    ),
    "gzip": Case(server=coded("gzip", gzip.compress(PAGE)), stdout=PAGE + b"\n", requests=1),
    "identity": Case(server=coded("identity"), stdout=PAGE + b"\n", requests=1),
}
