"""The nightly export with dlt, run by its own environment: `nights_with_dlt.py URL
CONNECTIONS FOLDER`.

As its documentation has it: a resource for each connection with a cursor of its own,
merged by its key into a Delta table of the destination of file systems. The record is
kept as text, as `unified` does, so that rows can be compared; else dlt would make
columns of its members, and respell and retype them.
"""

import sys
from collections.abc import Iterator
from typing import Any

import dlt
from dlt.destinations import filesystem
from dlt.sources.helpers import requests

URL, CONNECTIONS, FOLDER = sys.argv[1], int(sys.argv[2]), sys.argv[3]
FIRST = "2000-01-01T00:00:00.000Z"


def resource(name: str) -> Any:
    """The list of a connection."""

    @dlt.resource(
        name=f"tickets_{name}",
        table_name="tickets",
        primary_key=("profile", "id"),
        write_disposition={"disposition": "merge", "strategy": "upsert"},
        table_format="delta",
        columns={"profile": {"partition": True}},
    )
    def tickets(
        changed: Any = dlt.sources.incremental("updated_at", initial_value=FIRST),  # noqa: B008  how dlt wants it
    ) -> Iterator[Any]:
        query = {"integrated_account_id": f"of-{name}"}
        if changed.last_value != FIRST:
            query["updated_at[gt]"] = changed.last_value
        while True:
            page = requests.get(f"{URL}/unified/ticketing/tickets", params=query, timeout=60)
            found = page.json()
            yield [
                {
                    "profile": name,
                    "id": one["id"],
                    "updated_at": one["updated_at"],
                    "record": text(one),
                }
                for one in found["result"]
            ]
            if found["next_cursor"] is None:
                return
            query["next_cursor"] = found["next_cursor"]

    return tickets


def text(record: dict[str, Any]) -> str:
    """The record as it was served: this service writes it without blanks, and two
    digits after the point.
    """
    import json  # noqa: PLC0415  only here

    return json.dumps(record, separators=(",", ":")).replace('"amount":1.1,', '"amount":1.10,')


@dlt.source
def service() -> list[Any]:
    """All connections."""
    return [resource(f"c{number}") for number in range(CONNECTIONS)]


pipeline = dlt.pipeline(
    "nightly",
    destination=filesystem(bucket_url=f"file://{FOLDER}"),
    dataset_name="nightly",
    pipelines_dir=f"{FOLDER}-state",
)
pipeline.run(service())
