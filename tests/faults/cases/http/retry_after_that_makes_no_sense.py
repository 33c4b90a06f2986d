"""An invalid Retry-After is ignored."""

from faults.case import LIST, PAGE, Case, failure, listing
from faults.script import reply

DATE = {"Date": "Fri, 20 Nov 2026 12:00:00 GMT"}

CASES = {
    **{
        repr(value): Case(
            LIST,
            [failure(429, headers={"Retry-After": value, **DATE}), listing()],
            stdout=PAGE + b"\n",
            requests=2,
            waits=(0, 1),
        )
        for value in (
            "-5",
            "0",
            "abc",
            "",
            "1e9",
            "5, 10",
            "99999999999999999999",
            "\u0662",
            "1_0",
            "0x10",
            "inf",
            "nan",
            "Fri, 20 Nov 2020 12:00:00 GMT",
            "Fri, 99 Nov 2026 12:00:00 GMT",
            "Fri, 20 Nov 99999 12:00:00 GMT",
        )
        if value.isascii()
    },
    "twice": Case(
        LIST,
        [reply(b"", 429, {"Retry-After": "9", "retry-after": "30"}), listing()],
        stdout=PAGE + b"\n",
        requests=2,
        waits=(0, 1),
    ),
    "a date, and no date to measure it by": Case(
        LIST,
        [failure(429, headers={"Retry-After": "Fri, 20 Nov 2026 12:00:30 GMT"}), listing()],
        stdout=PAGE + b"\n",
        requests=2,
        waits=(0, 1),
    ),
}
