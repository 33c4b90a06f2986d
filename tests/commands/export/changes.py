"""A list that changes, and rounds of exports of what changed in it."""

import json
import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from front_door import Result
from pages import cursor_of, served
from server import Reply, Seen, Service

START = datetime(2026, 1, 1, tzinfo=UTC)


class World:
    """A list whose records change; it is served two records a page, with or without a
    filter.

    A `late` change has happened already, and is seen later: its provider has not
    committed it yet.
    """

    def __init__(self, service: Service) -> None:
        self.records: dict[str, dict[str, Any]] = {}
        self.filters = True
        self.broken: Callable[[Seen], Reply | None] = lambda _: None
        self.asked: list[str | None] = []
        self.late: dict[str, dict[str, Any]] = {}
        self.bytes = 0
        self.service = service
        service.reply = self.reply

    def change(self, identifier: str, seconds: float, **more: Any) -> None:
        at = (START + timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")
        self.records[identifier] = {"id": identifier, "updated_at": at, **more}

    def reply(self, seen: Seen) -> Reply:
        if (instead := self.broken(seen)) is not None:
            return instead
        since = dict(seen.query).get("updated_at[gt]")
        if cursor_of(seen) is None:
            self.asked.append(since)
        found = [
            record
            for record in self.records.values()
            if not (self.filters and since) or self._at(record) > datetime.fromisoformat(since)
        ]
        start = int(cursor_of(seen) or 0)
        onward = str(start + 2) if start + 2 < len(found) else None
        reply = served({"result": found[start : start + 2], "next_cursor": onward})
        self.bytes += len(reply.body)
        return reply

    @staticmethod
    def _at(record: dict[str, Any]) -> datetime:
        return datetime.fromisoformat(
            record["updated_at"]
        )  # cut to microseconds, as many products do

    def seconds(self, record: dict[str, Any]) -> float:
        """When the record changed, as it says: seconds after the beginning."""
        return (self._at(record) - START).total_seconds()

    def now(self, seconds: float) -> None:
        """Set the service's clock to this many seconds after the beginning."""
        self.service.clock = lambda: START.timestamp() + seconds

    def commit(self) -> None:
        """Show the late changes."""
        self.records |= self.late
        self.late = {}

    @property
    def size(self) -> int:
        """The bytes of all pages."""
        return len(json.dumps([*self.records.values()]))


def records_of(folder: Path, name: str, form: str) -> Iterator[str]:
    """The records of a list in all files of an export, the oldest file first."""
    if form == "delta":
        from deltalake import DeltaTable  # noqa: PLC0415  an extra

        yield from DeltaTable(str(folder / name)).to_pyarrow_table().column("record").to_pylist()
        return
    files = [*folder.glob(f"*/{name}*.{form}"), *folder.glob(f"*/{name}/*.{form}")]
    for path in sorted(files, key=lambda one: (len(one.name), one.name)):
        if form == "ndjson":
            yield from path.read_text().splitlines()
        else:
            from pyarrow import parquet  # noqa: PLC0415  an extra

            yield from parquet.ParquetFile(path).read().column("record").to_pylist()


def five_rounds(
    world: World,
    export: Callable[[], Result],
    union: Callable[[], dict[str, Any]],
    record_property: Callable[..., None],
) -> None:
    """Change records and export what changed, five times, while requests fail and
    changes are seen late.

    In the end nothing is missed, and less was read than by reading everything each
    time.
    """
    dice = random.Random(5)
    clock, everything, read = 0.0, 0, 0
    for round_ in range(5):
        for _ in range(60 if round_ == 0 else 12):
            clock += dice.uniform(1, 400)
            world.change(f"t{dice.randrange(60)}", clock, value=dice.random(), text="x" * 200)
        world.commit()
        late = f"late{round_}"
        world.change(late, clock - dice.uniform(0, 59))
        world.late[late] = world.records.pop(late)
        hits = {dice.randrange(6): dice.choice([500, 403, 429]) for _ in range(2)}
        count = iter(range(1000))

        def fail(_: Seen, hits: dict[int, int] = hits, count: Any = count) -> Reply | None:
            status = hits.pop(next(count), None)
            return Reply(status, b"{}") if status else None

        world.broken = fail
        world.bytes = 0
        assert 0 in [export().code for _ in range(4)], "never complete"
        assert union() == world.records
        everything, read = everything + world.size, read + world.bytes
    said = f"bytes read in five rounds: {read}, of {everything} in all lists"
    record_property("increments", said)
    assert read < everything / 2, said
