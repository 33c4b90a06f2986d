"""A field typed with dots, like a column, is sent as one name, with a warning."""

import json

import pytest
from front_door import Unified
from server import Service

UPDATE = "ticketing tickets update 7"


@pytest.mark.parametrize(
    ("field", "said"),
    [
        (
            "-f status.name=x",
            "\"status.name\" is sent as the name of one field (within status: 'status[name]=…')\n",
        ),
        (
            "-F status.a.b=1",
            "\"status.a.b\" is sent as the name of one field (within status: 'status[a][b]=…')\n",
        ),
        ("-f status[name]=x", ""),
        ("-f custom.name=x", ""),
        ("-f status.=x", ""),
        ("-f name=a.b", ""),
    ],
)
def test_a_path_is_warned_about_if_it_begins_with_a_known_field(
    field: str, said: str, unified: Unified, service: Service
) -> None:
    result = unified(f"{UPDATE} {field}", environ=service.environ)
    assert (result.code, result.stderr) == (0, said)


def test_it_is_sent_as_it_was_typed(unified: Unified, service: Service) -> None:
    unified(f"{UPDATE} -f status.name=x", environ=service.environ)
    assert json.loads(service.seen[0].body) == {"status.name": "x"}
