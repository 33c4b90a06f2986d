"""A kept connection that the server has closed by then is not even a retry."""

from faults.case import PAGE, Case
from faults.script import CLOSE, reply

# The redirect keeps the case to one command: its second request may use the first one's
# connection.

CASES = {
    "": Case(
        server=[[reply(b"", 302, {"Location": "/second"}), CLOSE], reply(PAGE)],
        stdout=PAGE + b"\n",
        never=["retry"],
        requests=2,
    )
}
