"""A certificate that cannot be verified ends the run after one handshake, and nothing
switches that off.
"""

from faults.case import CREATE, LIST, PAGE, Case
from faults.script import reply

CASES = {
    **{
        kind: Case(
            LIST,
            tls=kind,
            exit=6,
            stderr=["certificate of localhost is refused", reason, hint],
            never=["insecure", "retry"],
            requests=0,
            connections=1,
        )
        for kind, (reason, hint) in {
            "unknown": ("unable to get local issuer certificate|self.signed", "--ca-bundle"),
            "wrong host": ("[Hh]ostname mismatch", "check the address, which comes from"),
            "expired": ("expired", "--ca-bundle"),
        }.items()
    },
    "not yet valid": Case(
        LIST,
        tls="not yet valid",
        exit=6,
        stderr=["not yet valid", "check this machine's clock"],
        never=["insecure", "retry"],
        connections=1,
    ),
    "of a write": Case(
        CREATE,
        tls="unknown",
        exit=6,
        stderr=["certificate"],
        never=["may or may not"],
        requests=0,
        connections=1,
    ),
    "with variables that other programs heed": Case(
        LIST,
        tls="unknown",
        environ={
            "PYTHONHTTPSVERIFY": "0",
            "SSL_NO_VERIFY": "1",
            "CURL_INSECURE": "1",
            "UNIFIED_VERIFY": "0",
        },
        exit=6,
        stderr=["certificate"],
        requests=0,
    ),
    "not at all": Case(LIST, [reply(PAGE)], tls="good", stdout=PAGE + b"\n", requests=1),
}
