"""Where all of many connections or lists fail alike, the end is that failure's,
whatever kind it is.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified
from server import Service

from unified_cli.errors import UnifiedError

Config = Callable[[str], Path]
TWO = '[profiles.a1]\naccount_id = "1"\n[profiles.a2]\naccount_id = "2"\n'


@pytest.fixture
def two(config: Config, service: Service) -> None:
    config(f'base_url = "{service.url}"\ntoken = "t-0123456789"\n{TWO}')


@pytest.mark.usefixtures("two")
def test_a_query_without_a_value_is_a_usage_error_of_an_export(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    result = unified(f"export ticketing/t* -p a* -q x --to {tmp_path / 'dump'}")
    assert (result.code, "a bug" in result.stderr) == (2, False)
    assert "-q 'x' is not NAME=VALUE (-q x=VALUE, or -q 'x[gt]=VALUE' in quotes;" in result.stderr
    assert (service.seen, (tmp_path / "dump").exists()) == ([], False)


@pytest.mark.usefixtures("two")
def test_an_id_that_cannot_be_sent_is_a_usage_error_of_a_fan_out(
    unified: Unified, service: Service
) -> None:
    result = unified("-p a* ticketing tickets get ..")
    assert (result.code, "a bug" in result.stderr) == (2, False)
    assert "a1: " in result.stderr
    assert service.seen == []


@pytest.mark.parametrize("kind", UnifiedError.__subclasses__())
def test_any_error_can_be_reworded(kind: type[UnifiedError]) -> None:
    error = kind("the reason", hint="a hint")
    told = error.reworded("all failed")
    assert (type(told), told.hint) == (kind, None)
    assert {told.reason, told.message, str(told)} == {"all failed"}
    assert (error.reason, error.hint) == ("the reason", "a hint")


def test_a_reworded_error_keeps_its_facts() -> None:
    error = UnifiedError("x", origin="provider", status=503, retryable=True, idempotency_key="k")
    assert error.reworded("y").facts() == {**error.facts(), "message": "y"}
