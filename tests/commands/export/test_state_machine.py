"""Nights of exports in any order, with wrong clocks, wrong stamps and kills: each
change of which the property speaks arrives by the night after, all others with the next
full read.

A change counts if its stamp is in the future, or not older than the newest stamp read
before, less the lag; in each run the service's clock or this machine's is right.
"""

import io
import itertools
import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import campaigns
import nights
import pytest
import stores
from front_door import Clock, Unified
from hypothesis import Phase, settings, strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    rule,
    run_state_machine_as_test,
)
from many_connections import Config
from pages import cursor_of, served
from server import Reply, Seen, Service

START = datetime(2026, 1, 1, tzinfo=UTC)
LAG, PAGE = 60, 2
HOUR, DAY = 3600, 86_400
LIST = "ticketing/tickets"
KINDS = st.sampled_from(["plain", "task", "shard"])
WRONG = st.sampled_from([-2 * DAY, -2 * HOUR, -90, 90, 2 * HOUR, 2 * DAY])
"""How many seconds a wrong clock is ahead."""


class Clocks(NamedTuple):
    """How many seconds the service's clock and this machine's are ahead; without `date`
    the service has none. After some looks this machine's jumps.
    """

    date: int | None = 0
    here: int = 0
    jump: int = 0


CLOCKS = st.one_of(
    st.sampled_from([Clocks(), Clocks(date=None)]),
    WRONG.map(lambda ahead: Clocks(date=ahead)),
    st.tuples(WRONG, st.just(0) | WRONG).map(lambda two: Clocks(here=two[0], jump=two[1])),
)
STAMPS = ["now", "future", "2099", "lag", "past", "zoneless", "wrong zone", "missing", "no time"]


class Folder:
    """A place for an export in a folder of this machine, also as a URL."""

    def __init__(self, folder: Path, kind: str) -> None:
        self._folder = folder
        self.place = nights.Place.of(kind, folder)
        self.to = self.place.to
        self.environ: dict[str, str] = {}

    def files(self) -> dict[str, bytes]:
        """The files of the list by their names."""
        root = self._folder / "dump"
        return {
            str(path.relative_to(root)): path.read_bytes()
            for path in root.rglob("*")
            if path.is_file() and path.name != "gone.tickets.ndjson" and ".lease" not in path.parts
        }

    def keep(self) -> None:
        """Keep what there is now, as a kill leaves it: with nothing that another thread
        wrote while it was copied.
        """
        copied = None
        while copied is None or copied != self._moments():
            shutil.rmtree(self._folder / "kept", ignore_errors=True)
            copied = self._moments()
            try:
                shutil.copytree(self._folder / "dump", self._folder / "kept")
            except OSError:
                # What is gone again was not to be copied.
                assert copied != self._moments()

    def _moments(self) -> dict[Path, tuple[int, int, int]]:
        """When each file and folder was changed, and how large it is."""
        found = {}
        for path in (self._folder / "dump").rglob("*"):
            with suppress(FileNotFoundError):
                stat = path.stat()
                found[path] = (stat.st_ino, stat.st_mtime_ns, stat.st_size)
        return found

    def kill(self) -> None:
        """Put what was kept in the place of what there is, if anything was."""
        if (self._folder / "kept").exists():
            shutil.rmtree(self._folder / "dump")
            (self._folder / "kept").rename(self._folder / "dump")


class InBucket:
    """A place for an export in a bucket."""

    def __init__(self, url: str, name: str) -> None:
        self._bucket = stores.Bucket(url, name)
        self._kept: dict[str, bytes] | None = None
        self.place = self._bucket.place
        self.to = self.place.to
        self.environ = dict(self._bucket.environ)

    def files(self) -> dict[str, bytes]:
        names = self._bucket.names("dump")
        return {name.removeprefix("dump/"): self._bucket.get(name) for name in names}

    def keep(self) -> None:
        found = None
        while found is None or found != self._kept:
            self._kept = found
            with suppress(FileNotFoundError):
                found = self.files()

    def kill(self) -> None:
        if self._kept is not None:
            for name in self._bucket.names("dump"):
                self._bucket.delete(name)
            for name, data in self._kept.items():
                self._bucket.put(f"dump/{name}", data)
            self._kept = None


class Nights(RuleBasedStateMachine):
    """A list of records, and the nights in which it is exported."""

    counts: Counter[str]
    """The events of all nights of all machines of a test."""

    def __init__(
        self, unified: Unified, service: Service, place: "Folder | InBucket", form: str
    ) -> None:
        super().__init__()
        self._unified, self._service = unified, service
        self._place, self._form = place, form
        self._environ = {**service.environ, **place.environ, "UNIFIED_RATE": "0"}
        del self._environ["UNIFIED_ACCOUNT_ID"]
        self._now = 100 * DAY
        self._there: dict[str, dict[str, Any]] = {}
        self._owed: set[str] = set()
        """The records whose last change has to arrive in the next night."""
        self._newest = 0.0
        """The newest stamp that was read, and was not in the future."""
        self._read: list[float] = []
        self._stamps: dict[str, float] = {}
        """The newest stamp of each record that was read since the last full read."""
        self._numbers = itertools.count()
        self._on_page: Callable[[int], Reply | None] = lambda _: None
        self._omit = False
        service.reply = self._reply

    @initialize(size=st.integers(0, 5), kind=KINDS, clocks=CLOCKS, incremental=st.booleans())
    def begin(self, size: int, kind: str, clocks: Clocks, *, incremental: bool) -> None:
        """The first read is a plain one or not."""
        for number in range(size):
            self.change(number, "past")
        assert self._night(kind, clocks, "--incremental" if incremental else "") == 0

    @rule(number=st.integers(0, 9), stamp=st.sampled_from(STAMPS))
    def change(self, number: int, stamp: str) -> None:
        """Create or change a record; it is visible from now on."""
        at: float | None = {
            "now": self._now,
            "future": self._now + 5 * HOUR,
            "2099": 73 * 366 * DAY,
            "lag": self._newest - LAG + 1,
            "past": self._now - 3 * DAY - number * HOUR,
            "zoneless": self._now,
            "wrong zone": self._now + 2 * HOUR,
        }.get(stamp)
        record: dict[str, Any] = {"id": f"t{number}", "value": next(self._numbers)}
        if at is not None:
            text = (START + timedelta(seconds=at)).isoformat()
            zone = "" if stamp in {"zoneless", "wrong zone"} else "Z"
            record["updated_at"] = text.replace("+00:00", zone)
        elif stamp == "no time":
            record["updated_at"] = "yesterday"
        self._there[record["id"]] = record
        counts = at is not None and (at > self._now or at > self._newest - LAG)
        if self._form == "delta" and at is not None:
            # A row of a table is replaced by a newer state only.
            counts = counts and at >= self._stamps.get(record["id"], at)
        (self._owed.add if counts else self._owed.discard)(record["id"])
        self.counts["changes of the property" if counts else "other changes"] += 1

    @rule(seconds=st.sampled_from([1, 30, 70, HOUR, DAY, 3 * DAY]))
    def wait(self, seconds: int) -> None:
        """Let time pass."""
        self._now += seconds

    @rule(kind=KINDS, clocks=CLOCKS)
    def add(self, kind: str, clocks: Clocks) -> None:
        """Export the changes: all that are due arrive."""
        assert self._night(kind, clocks, "--incremental") == 0
        held = self._held()
        missing = [one for one in self._owed if held.get(one) != self._there[one]]
        assert not missing, f"lost: {missing}"
        late = [one for one in self._there if held.get(one) != self._there[one]]
        self.counts["later with a full read"] += len(late)
        self._owed.clear()

    @rule(clocks=CLOCKS)
    def read_all(self, clocks: Clocks) -> None:
        """After a full read the state is that of the service."""
        self._stamps.clear()
        assert self._night("plain", clocks, "--restart") == 0
        assert self._held() == self._there
        assert self._call(["export", "--verify", self._place.to], Clocks()) == 0
        self._owed.clear()

    @rule(kind=KINDS, clocks=CLOCKS, at=st.integers(1, 3), more=st.booleans())
    def be_killed_at_a_page(self, kind: str, clocks: Clocks, at: int, *, more: bool) -> None:
        """A kill while a page is asked for."""
        self._on_page = lambda page: self._place.keep() if page == at else None
        self._night(kind, clocks, "--incremental" if more or kind == "task" else "--restart")
        self._on_page = lambda _: None
        self._place.kill()
        self.counts["killed nights"] += 1

    @rule(kind=KINDS, clocks=CLOCKS, at=st.integers(1, 12), more=st.booleans())
    def be_killed_at_a_moment(self, kind: str, clocks: Clocks, at: int, *, more: bool) -> None:
        """A kill at one of the moments in which the program looks at its clock."""
        self._night(
            kind, clocks, "--incremental" if more or kind == "task" else "--restart", kill=at
        )
        self._place.kill()
        self.counts["killed nights"] += 1

    @rule(kind=KINDS, clocks=CLOCKS, at=st.integers(1, 3))
    def be_offline(self, kind: str, clocks: Clocks, at: int) -> None:
        """No network from some page on."""

        def reply(page: int) -> None:
            if page >= at:
                raise ConnectionResetError

        self._on_page = reply
        code = self._night(kind, clocks, "--incremental", tries=0)
        self._on_page = lambda _: None
        assert code in {0, 6}
        self.counts["offline nights"] += code == 6

    @rule(kind=KINDS, clocks=CLOCKS)
    def leave_something_out(self, kind: str, clocks: Clocks) -> None:
        """The provider leaves a record out, and says so."""
        self._omit = True
        code = self._night(kind, clocks, "--incremental")
        self._omit = False
        assert code in {0, 9}
        self.counts["partial nights"] += code == 9

    @rule(more=st.sampled_from(["--incremental", "--restart"]))
    def filter_otherwise(self, more: str) -> None:
        """A night with another filter is refused, and changes nothing."""
        before, asked = self._held(), self._service.seen[:]
        code = self._night("plain", Clocks(), f"{more} -q status=Open")
        assert (code, self._held()) == (2 if more == "--restart" else 12, before)
        assert self._service.seen == asked
        self.counts["filtered nights"] += 1

    def _night(self, kind: str, clocks: Clocks, more: str, *, tries: int = 4, kill: int = 0) -> int:
        words = f"export {LIST} -p p0 --to {self._place.to} --format {self._form} {more}".split()
        words += ["--retries", str(tries)]
        self.counts[f"nights: {kind} {more.split(maxsplit=1)[0] if more else ''}"] += 1
        self._read.clear()
        if kind == "task":
            (task,) = self._unified([*words, "--tasks"], environ=self._environ).stdout.splitlines()
            words = ["export", "--task", task]
        elif kind == "shard":
            words += ["--shard", "1/1"]
        code = self._call(words, clocks, kill=kill)
        self._now += 1
        passed = [at for at in self._read if at <= self._now]
        self._newest = max([self._newest, *passed])
        return code

    def _call(self, words: list[str], clocks: Clocks, *, kill: int = 0) -> int:
        clock, looks = Clock(), itertools.count(1)

        def wall() -> float:
            look = next(looks)
            if look == kill:
                self._place.keep()
            jumped = clocks.jump if look > 3 else 0
            return START.timestamp() + self._now + clocks.here + jumped

        date = clocks.date
        self._service.clock = None if date is None else lambda: START.timestamp() + self._now + date
        result = self._unified(
            words, environ=self._environ, wall=wall, monotonic=clock.now, sleep=clock.sleep
        )
        assert result.code != 1, result.stderr
        return int(result.code)

    def _reply(self, seen: Seen) -> Reply:
        start = int(cursor_of(seen) or 0)
        if (instead := self._on_page(1 + start // PAGE)) is not None:
            return instead
        since = dict(seen.query).get("updated_at[gt]")
        found = [one for one in self._there.values() if since is None or _is_later(one, since)]
        page = found[start : start + PAGE]
        stamps = {one["id"]: at for one in page if (at := _seconds(one)) is not None}
        self._read += stamps.values()
        for name, at in stamps.items():
            self._stamps[name] = max(at, self._stamps.get(name, at))
        onward = str(start + PAGE) if start + PAGE < len(found) else None
        more: dict[str, Any] = {}
        if self._omit and page:
            page, more = page[1:], {"is_partial_response": True}
        return served({"result": page, "next_cursor": onward, **more})

    def _held(self) -> dict[str, Any]:
        """The newest state of each record, by the order of files or in the table."""
        if self._form == "delta":
            rows = nights.READERS["delta"]["DuckDB"](self._place.place, LIST)
            return {name: json.loads(text) for (_, name), text in rows.items()}
        found = {}
        for data in _in_order(self._place.files(), self._form):
            found |= {one["id"]: one for one in map(json.loads, _texts(data, self._form))}
        return found


def _seconds(record: dict[str, Any]) -> float | None:
    try:
        at = datetime.fromisoformat(record["updated_at"])
    except (KeyError, ValueError):
        return None
    return (at.replace(tzinfo=at.tzinfo or UTC) - START).total_seconds()


def _is_later(record: dict[str, Any], since: str) -> bool:
    at = _seconds(record)
    return at is not None and at > (datetime.fromisoformat(since) - START).total_seconds()


def _in_order(files: dict[str, bytes], form: str) -> Iterator[bytes]:
    """Yield the files of a list in their order, the whole list first."""
    names = [
        name
        for name in files
        if PurePosixPath(name).suffix == f".{form}" and name.startswith("p0/ticketing/tickets")
    ]
    yield from (files[name] for name in sorted(names, key=lambda one: (len(one), one)))


def _texts(data: bytes, form: str) -> list[str]:
    if form == "ndjson":
        return data.decode().splitlines()
    from pyarrow import parquet  # noqa: PLC0415  an extra

    table = parquet.ParquetFile(io.BytesIO(data)).read()
    texts: list[str] = table.column("record").to_pylist()
    return texts


def run_nights(
    make: Callable[[], "Folder | InBucket"],
    unified: Unified,
    service: Service,
    form: str,
    examples: int,
    steps: int,
    *,
    chance: bool = False,
) -> Counter[str]:
    """Run this many machines of this many steps, and return their events."""
    counts: Counter[str] = Counter()

    class Counted(Nights):
        pass

    Counted.counts = counts
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        lambda: Counted(unified, service, make(), form),
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            derandomize=not chance,
            # To make a failure shorter takes minutes.
            phases=[Phase.generate],
        ),
    )
    return counts


@pytest.fixture(autouse=True)
def profile(config: Config, service: Service) -> Iterator[None]:
    config(f'base_url = "{service.url}"\n[profiles.p0]\naccount_id = "of-p0"\n')
    before = os.umask(0o077)
    yield
    os.umask(before)


def needs(form: str, place: str) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow", reason="needs the extra parquet")
    if form == "delta":
        pytest.importorskip("deltalake", reason="needs the extra delta")
        pytest.importorskip("duckdb", reason="needs the extra test-all")
    if place in {"file", "s3"}:
        pytest.importorskip("obstore", reason="needs the extra cloud")


PLACES = [
    pytest.param(form, place, marks=[pytest.mark.extra] if extra else [])
    for form in ("ndjson", "parquet")
    for place in ("folder", "file")
    for extra in [(form, place) != ("ndjson", "folder")]
]


@pytest.mark.parametrize(("form", "place"), PLACES)
def test_no_night_loses_a_change(
    form: str, place: str, unified: Unified, service: Service, tmp_path: Path, record_property: Any
) -> None:
    needs(form, place)
    numbers = itertools.count()
    counts = run_nights(
        lambda: Folder(_made(tmp_path / str(next(numbers))), place), unified, service, form, 6, 10
    )
    record_property("nights", str(counts))


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


@pytest.mark.long(seconds=20)
@pytest.mark.extra
@pytest.mark.parametrize(
    ("form", "place"),
    [
        (form, place)
        for form in ("ndjson", "parquet", "delta")
        for place in ("folder", "file", "s3")
    ],
)
def test_hundreds_of_nights_lose_no_change(
    form: str,
    place: str,
    unified: Unified,
    service: Service,
    tmp_path: Path,
    record_property: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    needs(form, place)
    numbers = itertools.count()
    examples = campaigns.size(40, 4)

    def run(make: Callable[[], "Folder | InBucket"]) -> None:
        counts = run_nights(make, unified, service, form, examples, 25, chance=True)
        record_property("nights", str(counts))
        print(dict(sorted(counts.items())))  # noqa: T201  a campaign says what it did

    if place == "s3":
        pytest.importorskip("moto.server", reason="needs the extra test-all")
        with stores.s3_server(tmp_path / "log") as url:
            for name, value in {**stores.CREDENTIALS, "AWS_ENDPOINT_URL": url}.items():
                monkeypatch.setenv(name, value)
            run(lambda: InBucket(url, f"bucket{next(numbers)}"))
    else:
        run(lambda: Folder(_made(tmp_path / str(next(numbers))), place))
