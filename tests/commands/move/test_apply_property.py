"""For any two lists of records: a plan that is applied makes the one like the other,
and does it once.
"""

import json
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from campaigns import seeded, size
from front_door import Result, Unified
from hypothesis import HealthCheck, given, settings, strategies as st
from record_files import TWO, ndjson

from unified_cli.sandbox import application

NAMES = st.sampled_from(["a", "b", "c", "é ", "0", "\U0001f600"])
NUMBERS = st.sampled_from(
    ["0", "1.10", "1.1", "12345678901234567890", "12345678901234567891", "-1e-7", "1E+2"]
)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=3).map(json.dumps)
VALUES = st.recursive(
    st.sampled_from(["null", "true", "[]", "{}"]) | NUMBERS | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda found: f"[{','.join(found)}]")
        | st.dictionaries(NAMES, inner, max_size=2).map(
            lambda found: (
                "{" + ",".join(f"{json.dumps(name)}:{value}" for name, value in found.items()) + "}"
            )
        )
    ),
    max_leaves=6,
)
FIELDS = ("color", "workspace", "status", "parent")
# Each record has all fields: of one that is not there a plan says nothing.
RECORDS = st.dictionaries(NAMES, st.tuples(*(VALUES for _ in FIELDS)), max_size=4).map(
    lambda found: [
        "{"
        + ",".join(
            [
                f'"id":{json.dumps(name + "-id")},"name":{json.dumps(name)}',
                *map('"{}":{}'.format, FIELDS, values),
            ]
        )
        + "}"
        for name, values in found.items()
    ]
)
SERVED = "--ignore created_at,updated_at"


class Connection:
    """The connection `new` of a sandbox of its own, and the commands that change it."""

    def __init__(self, unified: Unified, folder: Path) -> None:
        self._unified = unified
        self._own = folder / secrets.token_hex(8)
        self._own.mkdir()
        self._folders = {"config": folder / "config", "data": self._own}

    def run(self, command: str) -> Result:
        return self._unified(command, folders=self._folders)

    def side(self, records: list[str]) -> str:
        return ndjson(self._own / secrets.token_hex(4), *records)

    def make(self, side: str, options: str) -> None:
        """Plan and apply; the second time there is nothing to do."""
        plan = self._own / f"{secrets.token_hex(4)}.plan"
        for calls in (None, 0):
            result = self.run(f"plan ticketing/tags --from {side} --to new --same-ids {options}")
            assert result.code == 0, result.stderr
            assert calls is None or json.loads(result.stdout.splitlines()[0])["calls"] == calls
            plan.write_bytes(result.raw)
            for _ in range(2):
                result = self.run(f"apply {plan} -p new --yes --max-deletes 100")
                assert result.code == 0, result.stderr

    def diff(self, side: str, options: str) -> set[str]:
        """Which kinds of differences there are."""
        lines = self.run(
            f"diff ticketing/tags --from {side} --to new --same-ids {options}"
        ).stdout.splitlines()
        return {json.loads(line)["change"] for line in lines}


def check(connection: Connection, before: list[str], after: list[str], options: str) -> None:
    """The records before become the wanted records after."""
    connection.make(connection.side(before), options)
    side = connection.side(after)
    ignored = f"{options} {SERVED}{',id' if 'key' in options else ''}"
    connection.make(side, options)
    assert connection.diff(side, ignored) <= {"only to"}
    connection.make(side, f"{options} --delete")
    assert connection.diff(side, ignored) == set()


pytestmark = pytest.mark.usefixtures("kept_ids", "any_type")


@pytest.fixture
def any_type(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the sandbox take fields of any type, as some providers do: nothing of a
    record may be lost.
    """
    monkeypatch.setattr(application, "check_types", lambda *_: None)


def _property(
    unified: Unified, config: Callable[[str], Path], tmp_path: Path, examples: int
) -> None:
    config(TWO)

    @settings(
        max_examples=examples,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(RECORDS, RECORDS, st.sampled_from(["", "--key name"]))
    def run(before: list[str], after: list[str], options: str) -> None:
        check(Connection(unified, tmp_path), before, after, options)

    seeded(run, "plans")()


def test_a_plan_makes_any_records_like_any_others(
    unified: Unified, config: Callable[[str], Path], tmp_path: Path
) -> None:
    _property(unified, config, tmp_path, 4)


@pytest.mark.long(seconds=8)
def test_a_plan_makes_any_records_like_any_others_at_length(
    unified: Unified, config: Callable[[str], Path], tmp_path: Path
) -> None:
    _property(unified, config, tmp_path, size(300, 40))


def test_an_example_with_values_that_are_easily_lost(
    unified: Unified, config: Callable[[str], Path], tmp_path: Path
) -> None:
    config(TWO)
    one: Any = (
        '{{"id":"a","name":"a","color":{},"workspace":{{"id":1.10,"n":null}},'
        '"status":"s","parent":{}}}'
    )
    before, after = (
        [one.format("12345678901234567890", "[1,2]")],
        [one.format("12345678901234567891", "[2,1]")],
    )
    check(Connection(unified, tmp_path), before, after, "")
    connection = Connection(unified, tmp_path)
    connection.make(connection.side(before), "")
    assert (
        '"color":12345678901234567890'
        in connection.run("-p new ticketing tags list -o ndjson").stdout
    )
    assert connection.diff(connection.side(after), f"{SERVED},color --set parent") == set()
