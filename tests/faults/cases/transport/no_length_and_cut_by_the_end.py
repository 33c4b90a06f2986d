"""An answer without a length is whole only if its JSON is."""

from faults.case import CREATE, LIST, PAGE, Case
from faults.script import CLOSE, reply


def ended(body: bytes) -> list[object]:
    return [reply(body, length=None), CLOSE]


CASES = {
    "whole": Case(LIST, [ended(PAGE)], stdout=PAGE + b"\n", requests=1),
    "cut": Case(LIST, [ended(PAGE[:20])], exit=5, stderr=["not JSON"], requests=5),
    "cut once": Case(LIST, [ended(PAGE[:20]), reply(PAGE)], stdout=PAGE + b"\n", requests=2),
    "nothing": Case(LIST, [ended(b"")], exit=5, stderr=["the answer is empty"], requests=5),
    "of a create": Case(
        CREATE,
        [ended(PAGE[:20])],
        exit=10,
        stderr=["not JSON", "may or may not"],
        requests=5,
        one_key=True,
    ),
}
