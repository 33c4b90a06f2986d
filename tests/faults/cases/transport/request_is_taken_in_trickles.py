"""A server that does not read what it is sent cannot hold a write beyond its
deadline.
"""

from faults.case import Case
from faults.script import Answer, Wait

CASES = {
    "": Case(
        ["ticketing", "tickets", "create", "-F", "text=@big", "--timeout", "0.6"],
        [Answer([Wait(9)], after="head")],
        files={"big": (b"x" * 20_000_000, 0o600)},
        exit=10,
        stderr=["did not answer in time", "may or may not"],
        requests=1,
        timeout=0.6,
    )
}
