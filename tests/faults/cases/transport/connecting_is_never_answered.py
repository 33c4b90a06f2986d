"""A host that drops what is sent to it ends the run at the deadline, in the phase of connecting."""

from faults.case import Case

# A network that is set aside for documents, and routed nowhere.

CASES = {
    "": Case(
        "ticketing tickets list --timeout 0.5",
        names=lambda _: ["192.0.2.1"],
        exit=6,
        stderr=["127.0.0.1 while connecting|cannot connect to 127.0.0.1"],
        requests=0,
        timeout=0.5,
    )
}
