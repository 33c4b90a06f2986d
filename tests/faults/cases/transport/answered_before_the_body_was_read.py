"""An answer that comes before the body was taken, and closes, is the answer, not a
broken pipe.
"""

from faults.case import Case, envelope
from faults.script import CLOSE, Answer, reply

EARLY = Answer([reply(envelope(413, "too much"), 413), CLOSE], after="head")

CASES = {
    "": Case(
        ["ticketing", "tickets", "create", "-F", "text=@big"],
        [EARLY],
        files={"big": (b"x" * 5_000_000, 0o600)},
        exit=4,
        stderr=["answered 413 to POST .*: too much"],
        never=["may or may not"],
        requests=1,
    )
}
