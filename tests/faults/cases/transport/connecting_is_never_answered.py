"""A host that drops all packets ends the run at the deadline, in the phase of
connecting.
"""

from faults.case import Case

CASES = {
    "": Case(
        "ticketing tickets list --timeout 0.5",
        names=lambda _: ["127.0.0.9"],
        hole=True,
        exit=6,
        stderr=["127.0.0.1:\\d+ while connecting"],
        requests=0,
        timeout=0.5,
    )
}
