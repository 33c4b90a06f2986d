"""Brackets beyond two hundred levels are refused before a parser falls over them."""

from faults.case import LIST, Case
from faults.script import reply

CASES = {
    name: Case(LIST, [reply(body)], exit=5, stderr=["nested deeper than 200 levels"], requests=1)
    for name, body in {
        "lists": b"[" * 100_000 + b"]" * 100_000,
        "objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
        "more than allowed": b"[" * 250 + b"]" * 250,
        "never closed": b"[" * 5_000_000,
        "behind a long text": b'["' + b"x" * 2_000_000 + b'",' + b"[" * 999 + b"]" * 999 + b"]",
    }.items()
}
