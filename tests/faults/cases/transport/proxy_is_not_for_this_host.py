"""Loopback and what NO_PROXY lists are reached directly."""

from faults.case import PAGE, Case
from faults.script import reply

# No one listens there: a request that goes to it fails.
WRONG = "http://127.0.0.1:1"

CASES = {
    "loopback": Case(
        environ={"HTTPS_PROXY": WRONG, "HTTP_PROXY": WRONG, "ALL_PROXY": WRONG}, requests=1
    ),
    "loopback by name": Case(
        server=[reply(PAGE)],
        tls="good",
        environ={"HTTPS_PROXY": WRONG, "ALL_PROXY": WRONG},
        requests=1,
    ),
    **{
        f"NO_PROXY {listed}": Case(
            server=[reply(PAGE)],
            tls="good",
            names=lambda _: ["127.0.0.1"],
            environ={
                "UNIFIED_BASE_URL": "https://api.example.test:@PORT@",
                "HTTPS_PROXY": WRONG,
                "NO_PROXY": listed,
            },
            requests=1,
        )
        for listed in (
            "api.example.test",
            ".example.test",
            "*",
            "other, example.test",
            "api.example.test:@PORT@",
        )
    },
}
