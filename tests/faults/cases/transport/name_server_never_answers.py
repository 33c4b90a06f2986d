"""A name server that keeps silent cannot hold the run beyond its deadline."""

import threading

from faults.case import Case


def silent(_: str) -> list[str]:
    threading.Event().wait(5)
    return []


CASES = {
    "": Case(
        "ticketing tickets list --timeout 0.5",
        names=silent,
        exit=6,
        stderr=["no answer from 127.0.0.1:\\d+ while connecting"],
        requests=0,
        timeout=0.5,
    )
}
