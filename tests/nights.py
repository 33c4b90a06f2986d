"""A provider whose lists change from night to night, and readers of what an export
keeps of them.
"""

import json
import random
import threading
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

from front_door import ROOT
from pages import JSON, cursor_of
from server import Reply, Seen, Service

LISTS = ("ticketing/tickets", "ticketing/users", "ats/candidates")
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
PAGE = 10
_CODE = tomllib.loads((ROOT / "unified_cli/commands/topics/engines.toml").read_text("utf-8"))[
    "engines"
]["code"]
Key = tuple[str, str]
"""A connection, and the id of a record."""
State = dict[Key, str]
"""The text of each record of a list in all connections."""


class Version(NamedTuple):
    """A record as it is since some time, and the text that is served."""

    at: datetime
    text: str


class Provider:
    """Lists of several connections, served some records a page, with or without a
    filter; each night they change.

    `gone` are the last versions of what was deleted. `before` may answer instead.
    """

    def __init__(
        self, service: Service, connections: int, records: int, lists: Iterable[str] = LISTS
    ) -> None:
        self.lists = tuple(lists)
        self.names = [f"c{number:02}" for number in range(connections)]
        self.now = datetime(2026, 3, 1, 2, tzinfo=UTC)
        self.asked: Counter[tuple[str, str]] = Counter()
        self.before: Callable[[], None] = lambda: None
        self._dice = random.Random(connections)
        self._made = 0
        self._lock = threading.Lock()
        self._there: dict[tuple[str, str], dict[str, Version]] = {
            (name, one): {} for name in self.names for one in self.lists
        }
        self._gone: dict[tuple[str, str], dict[str, Version]] = {key: {} for key in self._there}
        self._changed: dict[tuple[str, str], set[str]] = {key: set() for key in self._there}
        for key in self._there:
            for _ in range(records):
                self._put(key, f"r{self._made}", self._some_time())
        self.was_read()
        service.clock = self.clock
        service.reply = self._reply

    @property
    def config(self) -> str:
        """A profile for each connection."""
        return "".join(f'[profiles.{name}]\naccount_id = "of-{name}"\n' for name in self.names)

    def clock(self) -> float:
        """The time at the service."""
        return self.now.timestamp()

    def pass_a_night(self, *, ahead: bool = False) -> None:
        """Change 2 % of each list, add 1 % and delete 0.5 %; `ahead`, the clocks of
        some providers are wrong.
        """
        self.now += DAY
        for number, (key, there) in enumerate(self._there.items()):
            late = HOUR if ahead and number % 4 == 0 else timedelta()
            size = len(there)
            changed, gone = self._share(size, 0.02), self._share(size, 0.005)
            # A record deleted before its change was read is known in its old state
            # before.
            chosen = self._dice.sample(
                [one for one in there if one not in self._changed[key]], changed + gone
            )
            for identifier in chosen[:changed]:
                self._put(key, identifier, self._some_time() + late)
            for _ in range(self._share(size, 0.01)):
                self._put(key, f"r{self._made}", self._some_time() + late)
            for identifier in chosen[changed:]:
                self._gone[key][identifier] = there.pop(identifier)

    def forget_the_gone(self) -> None:
        """After a full read, what was deleted is not expected any more."""
        for gone in self._gone.values():
            gone.clear()

    def state(self, name: str) -> State:
        """The expected rows of a table of this list: also records that were deleted
        since the last full read.
        """
        return {
            (of, identifier): version.text
            for held in (self._gone, self._there)
            for (of, one), versions in held.items()
            if one == name
            for identifier, version in versions.items()
        }

    @contextmanager
    def counted(self, record: Callable[[str], None], what: str) -> Iterator[None]:
        """Hold that no list is asked more often than for the pages of what changed, and
        once more.
        """
        self.asked.clear()
        yield
        pages = {key: ceil(len(self._changed[key]) / PAGE) for key in self._there}
        record(
            f"{what}: {self.asked.total()} requests, {sum(pages.values())} changed pages in"
            f" {len(pages)} lists"
        )
        assert {key: self.asked[key] for key in pages if self.asked[key] > pages[key] + 1} == {}
        self.was_read()

    def was_read(self) -> None:
        """Nothing changed since."""
        for changed in self._changed.values():
            changed.clear()

    def _some_time(self) -> datetime:
        """Some time since the night before; often right after it, or right before this
        one.
        """
        seconds = self._dice.choice([self._dice.uniform(1, 3000), self._dice.uniform(1, 86_400)])
        return self.now - timedelta(seconds=self._dice.choice([seconds, 86_400 - seconds]))

    def _share(self, size: int, share: float) -> int:
        return max(1, round(size * share))

    def _put(self, key: tuple[str, str], identifier: str, at: datetime) -> None:
        # With digits and spellings that a parser would not keep.
        when = at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        text = (
            f'{{"id": "{identifier}", "name": "{key[1]} \\u00e9 \\ud83d\\ude00 {self._made}",'
            f' "amount": 1.10, "big": 123456789012345678901{self._made:06}, "created_at":'
            f' "2026-02-01T00:00:00Z", "updated_at": "{when}", "tags": [{{"id": "x"}}], "text":'
            f' "{"z" * self._dice.randrange(80)}"}}'
        )
        self._made += 1
        self._changed[key].add(identifier)
        self._there[key][identifier] = Version(at, text)

    def _reply(self, seen: Seen) -> Reply:
        query = dict(seen.query)
        key = (query["integrated_account_id"].removeprefix("of-"), "/".join(seen.segments[-2:]))
        with self._lock:
            self.asked[key] += 1
            self.before()
        since = query.get("updated_at[gt]")
        after = datetime.fromisoformat(since) if since else None
        found = [one.text for one in self._there[key].values() if after is None or one.at > after]
        start = int(cursor_of(seen) or 0)
        onward = f'"{start + PAGE}"' if start + PAGE < len(found) else "null"
        body = f'{{"result": [{", ".join(found[start : start + PAGE])}], "next_cursor": {onward}}}'
        return Reply(200, body.encode(), dict(JSON))


class Place(NamedTuple):
    """Where an export goes: `to` as it is typed, `root` as readers spell it, and what
    they need to get there.

    In a store a list is a folder of files.
    """

    to: str
    root: str
    environ: Mapping[str, str] = {}

    @classmethod
    def of(cls, kind: str, folder: Path) -> "Place":
        """A folder, or one as a URL."""
        return cls(f"{'file://' if kind == 'file' else ''}{folder}/dump", f"{folder}/dump")

    @property
    def is_store(self) -> bool:
        """Whether a list is a folder of files."""
        return "://" in self.to

    @property
    def options(self) -> dict[str, str]:
        """The options for readers of object stores."""
        return {name.lower(): value for name, value in self.environ.items()}

    def files(self, name: str, form: str = "ndjson") -> str:
        """The files of a list."""
        return f"{self.root}/*/{name}{f'/*.{form}' if self.is_store else f'.*{form}'}"

    @property
    def profile_at(self) -> int:
        """At which part of a file's path, from its end, its profile is."""
        return -4 if self.is_store else -3

    def duckdb(self) -> Any:
        """A connection of DuckDB; to a store through pyarrow, since its own extension
        is a download.
        """
        import duckdb  # noqa: PLC0415  an extra

        connection = duckdb.connect()
        if self.environ:
            from fsspec.implementations.arrow import ArrowFSWrapper  # noqa: PLC0415  an extra
            from pyarrow.fs import S3FileSystem  # noqa: PLC0415  an extra

            files = S3FileSystem(
                access_key=self.environ["AWS_ACCESS_KEY_ID"],
                secret_key=self.environ["AWS_SECRET_ACCESS_KEY"],
                region=self.environ["AWS_REGION"],
                endpoint_override=self.environ["AWS_ENDPOINT_URL"],
            )
            connection.register_filesystem(ArrowFSWrapper(files))
        return connection


def _ndjson_by_duckdb(place: Place, name: str) -> State:
    """The findings of the recipe of `unified help engines`."""
    recipe = _CODE["DuckDB, the newest state after --incremental, of a folder"].replace(
        "VIEW tickets", "VIEW newest"
    )
    recipe = recipe.replace("'dump/*/ticketing/tickets.*ndjson'", f"'{place.files(name)}'")
    recipe = recipe.replace("filename, '/', -3", f"filename, '/', {place.profile_at}")
    connection = place.duckdb()
    connection.sql(recipe)
    return _once(connection.sql("SELECT _profile, id, json FROM newest").fetchall())


def _ndjson_by_polars(place: Place, name: str) -> State:
    """The same of polars: of an id the last file has the newest state, and names sort
    by their length first.
    """
    import polars as pl  # noqa: PLC0415  an extra

    lines: dict[str, Any] = {"separator": "\x1f", "quote_char": None, "has_header": False}
    text = pl.col("json").str
    found = (
        pl.scan_csv(
            place.files(name),
            **lines,
            schema={"json": pl.String},
            include_file_paths="filename",
            storage_options=place.options or None,
        )
        .with_columns(
            _profile=pl.col("filename").str.split("/").list.get(place.profile_at),
            id=text.json_path_match("$.id"),
            updated_at=text.json_path_match("$.updated_at"),
        )
        .sort(pl.col("filename").str.len_bytes(), "filename", "updated_at")
        .unique(["_profile", "id"], keep="last", maintain_order=True)
        .select("_profile", "id", "json")
        .collect()
    )
    return _once(found.rows())


def _parquet_by_duckdb(place: Place, name: str) -> State:
    """Read with the recipe for Parquet of `unified help engines`."""
    recipe = _CODE["The same of Parquet files"].replace("VIEW tickets", "VIEW newest")
    recipe = recipe.replace(
        "'dump/*/ticketing/tickets.*parquet'", f"'{place.files(name, 'parquet')}'"
    )
    connection = place.duckdb()
    connection.sql(recipe)
    return _once(connection.sql("SELECT _profile, id, record FROM newest").fetchall())


def _parquet_by_polars(place: Place, name: str) -> State:
    import polars as pl  # noqa: PLC0415  an extra

    found = (
        pl.scan_parquet(
            place.files(name, "parquet"),
            include_file_paths="filename",
            storage_options=place.options or None,
        )
        .sort(pl.col("filename").str.len_bytes(), "filename", "updated_at")
        .unique(["_profile", "id"], keep="last", maintain_order=True)
        .select("_profile", "id", "record")
        .collect()
    )
    return _once(found.rows())


def _csv_by_duckdb(place: Place, name: str) -> State:
    cells = ", ".join(f'"{column}"' for column in _CELLS)
    connection = place.duckdb()
    files = f"read_csv('{place.files(name, 'csv')}', header = true, all_varchar = true"
    found = connection.sql(
        f"SELECT split_part(filename, '/', {place.profile_at}), id, {cells}"
        f" FROM {files}, filename = true)"
    ).fetchall()
    return _once([(of, one, json.dumps(values)) for of, one, *values in found])


_CELLS = ("name", "updated_at")


def as_read(state: State, form: str) -> State:
    """Return the records as readers of a format find them: of CSV some of the cells."""
    if form != "csv":
        return state
    found = {key: json.loads(text) for key, text in state.items()}
    return {key: json.dumps([record[column] for column in _CELLS]) for key, record in found.items()}


def _delta_by_duckdb(place: Place, name: str, version: int | None = None) -> State:
    """The table of a list, through pyarrow: the extension of DuckDB is a download."""
    connection = place.duckdb()
    connection.register("found", table(place, name, version).to_pyarrow_dataset())
    return _once(connection.sql("SELECT _profile, id, record FROM found").fetchall())


def _delta_by_polars(place: Place, name: str, version: int | None = None) -> State:
    import polars as pl  # noqa: PLC0415  an extra

    found = pl.scan_delta(
        f"{place.root}/{name}", version=version, storage_options=place.options or None
    )
    return _once(found.select("_profile", "id", "record").collect().rows())


def table(place: Place, name: str, version: int | None = None) -> Any:
    """The Delta table of a list."""
    from deltalake import DeltaTable  # noqa: PLC0415  an extra

    return DeltaTable(
        f"{place.root}/{name}", version=version, storage_options=place.options or None
    )


READERS: dict[str, dict[str, Callable[[Place, str], State]]] = {
    "ndjson": {"DuckDB": _ndjson_by_duckdb, "polars": _ndjson_by_polars},
    "csv": {"DuckDB": _csv_by_duckdb},
    "parquet": {"DuckDB": _parquet_by_duckdb, "polars": _parquet_by_polars},
    "delta": {"DuckDB": _delta_by_duckdb, "polars": _delta_by_polars},
}
"""Those who read a list, by the format."""


def _once(rows: list[tuple[Any, ...]]) -> State:
    """The state that rows of profile, id and text tell, each record once."""
    found = {(profile, identifier): text for profile, identifier, text in rows}
    assert len(found) == len(rows), "a record stands there twice"
    return found


def differing(found: State, expected: State) -> str:
    """How two states differ, in a few words; empty where they do not."""
    if found == expected:
        return ""
    missing, more = expected.keys() - found.keys(), found.keys() - expected.keys()
    other = [key for key in expected.keys() & found.keys() if expected[key] != found[key]]
    sizes = f"{len(found)} records instead of {len(expected)}"
    return (
        f"{sizes}; missing {sorted(missing)[:3]}, too many {sorted(more)[:3]}, other"
        f" {json.dumps(other[:3])}"
    )
