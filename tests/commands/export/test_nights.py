"""Ten nights of exports that add what changed: after each one readers find the state of
the provider, exactly.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nights
import pytest
import stores
from front_door import Result, Unified
from nights import Place, Provider
from server import Service

pytestmark = pytest.mark.extra
pytest.importorskip("obstore", reason="needs the extra cloud")
pytest.importorskip("moto.server", reason="needs the extra test-all")
pytest.importorskip("duckdb", reason="needs the extra test-all")
pytest.importorskip("polars", reason="needs the extra test-all")

FORMS = ["ndjson", "delta"]
NIGHTS = 10
KILLED, OFFLINE, AHEAD = 3, 5, 7
"""The nights in which the export is killed, has no network, and in which clocks of
providers are wrong.
"""


@pytest.fixture
def place(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Place]:
    bucket = None
    if request.param == "s3":
        name = f"b{abs(hash(request.node.nodeid))}"
        bucket = stores.Bucket(request.getfixturevalue("s3"), name)
    for name, value in (bucket.environ if bucket else {}).items():
        monkeypatch.setenv(name, value)
    # A store in a folder sets it for the whole process.
    before = os.umask(0o077)
    yield bucket.place if bucket else Place.of(request.param, tmp_path)
    os.umask(before)


class Nightly:
    """The nightly export of all lists of a provider, and those who read it."""

    def __init__(
        self,
        provider: Provider,
        form: str,
        service: Service,
        unified: Unified,
        place: Place,
        config: Path,
        home: Path,
    ) -> None:
        self._form = form
        self._provider = provider
        self._unified = unified
        self._place = place
        self._home = home
        self._environ = {
            **place.environ,
            **service.environ,
            "UNIFIED_RATE": "0",
            "UNIFIED_CONFIG": str(config),
        }
        del self._environ["UNIFIED_ACCOUNT_ID"]

    def words(self, more: str) -> list[str]:
        return [
            "export",
            *self._provider.lists,
            "-p",
            "*",
            "--to",
            self._place.to,
            "--format",
            self._form,
            *more.split(),
        ]

    def run(self, more: str = "--incremental") -> Result:
        environ = {**os.environ, **self._environ}
        return self._unified(self.words(more), environ=environ, wall=self._provider.clock)

    def killed(self, at: int) -> None:
        """Run it as a process that is killed while this request is under way."""
        count = iter(range(1, at + 1))

        def kill() -> None:
            if next(count, None) == at:
                process.send_signal(signal.SIGKILL)

        self._provider.before = kill
        process = stores.start(self.words("--incremental"), self._home, self._environ)
        assert stores.ended(process)[0] == -signal.SIGKILL
        self._provider.before = lambda: None

    def is_read(self, expected: Callable[[str], nights.State]) -> None:
        """Hold that all readers find this."""
        for who, read in nights.READERS[self._form].items():
            for name in self._provider.lists:
                said = nights.differing(read(self._place, name), expected(name))
                assert not said, f"{who}, {name}: {said}"


@pytest.fixture
def nightly(
    unified: Unified, service: Service, place: Place, config: Callable[[str], Path], tmp_path: Path
) -> Callable[[Provider, str], Nightly]:
    def made(provider: Provider, form: str) -> Nightly:
        return Nightly(
            provider, form, service, unified, place, config(provider.config), tmp_path / "home"
        )

    return made


def no_network() -> None:
    """The service's action instead of an answer."""
    raise ConnectionResetError


def ten_nights(provider: Provider, export: Nightly, record: Callable[[str], None]) -> None:
    """First the lists are read as they are; then nights, each with what may happen in
    it.
    """
    assert export.run().code == 0
    export.is_read(provider.state)
    for night in range(1, NIGHTS + 1):
        before = {name: provider.state(name) for name in provider.lists}
        provider.pass_a_night(ahead=night == AHEAD)
        if night == OFFLINE:
            provider.before = no_network
            assert export.run("--incremental --retries 1").code == 6
            provider.before = lambda: None
            export.is_read(before.__getitem__)
            continue
        if night == NIGHTS:
            assert export.run("--restart").code == 0
            provider.forget_the_gone()
        else:
            if night == KILLED:
                export.killed(len(provider.names))
            with provider.counted(record, f"night {night}"):
                result = export.run()
            assert result.code == 0, result.stderr
        export.is_read(provider.state)


@pytest.mark.parametrize(
    ("form", "place"),
    [
        ("delta", "folder"),
        ("ndjson", "file"),
        pytest.param("delta", "file", marks=pytest.mark.long(seconds=3)),
        pytest.param("ndjson", "folder", marks=pytest.mark.long(seconds=3)),
    ],
    indirect=["place"],
)
def test_after_each_night_readers_find_the_state(
    service: Service, nightly: Callable[[Provider, str], Nightly], form: str, record_property: Any
) -> None:
    provider = Provider(service, 2, 40, nights.LISTS[:1])
    ten_nights(provider, nightly(provider, form), lambda said: record_property("nights", said))


@pytest.mark.long(seconds=35)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("place", ["folder", "file", "s3"], indirect=True)
def test_after_each_night_readers_find_the_state_of_twenty_connections(
    service: Service, nightly: Callable[[Provider, str], Nightly], form: str, record_property: Any
) -> None:
    provider = Provider(service, 20, 200)

    def record(said: str) -> None:
        record_property("nights", said)
        sys.stdout.write(f"{said}\n")

    ten_nights(provider, nightly(provider, form), record)
