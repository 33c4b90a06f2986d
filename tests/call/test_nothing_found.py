"""A list without records says why, where that can be known."""

import pytest
from front_door import Unified
from pages import served
from server import Service

LIST = "ticketing tickets list"
OPEN = "no record matches -q status=open: the value must be spelled as the provider spells it\n"


@pytest.mark.parametrize("records", [0, 1])
def test_a_filter_that_leaves_nothing_is_named(
    unified: Unified, service: Service, records: int
) -> None:
    found = [{"id": "t"}] * records
    service.reply = lambda _: served({"result": found, "next_cursor": None})
    result = unified(f"{LIST} -q status=open", environ=service.environ)
    assert (result.code, result.stderr) == (0, "" if records else OPEN)
    assert unified(LIST, environ=service.environ).stderr == ""


@pytest.mark.parametrize(
    ("since", "said"), [("2300-01-01", "--since 2300-01-01 is in the future\n"), ("7d", "")]
)
def test_a_time_to_come_is_named_once(
    unified: Unified, service: Service, since: str, said: str
) -> None:
    service.reply = lambda _: served({"result": [], "next_cursor": None})
    result = unified(f"{LIST} --since {since} -o ids --all", environ=service.environ)
    assert (result.code, result.stderr.replace("complete: 0 records in 1 page\n", "")) == (0, said)
