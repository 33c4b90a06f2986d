"""A field typed with dots is refused if it begins with a known field."""

import json

import pytest
from front_door import Unified
from server import Service

UPDATE = "ticketing tickets update 7"


@pytest.mark.parametrize(
    ("field", "name", "meant"),
    [
        ("-f status.name=x", "status.name", "status[name]"),
        ("-F status.a.b=1", "status.a.b", "status[a][b]"),
    ],
)
def test_a_path_is_refused_if_it_begins_with_a_known_field(
    field: str, name: str, meant: str, unified: Unified, service: Service
) -> None:
    result = unified(f"{UPDATE} {field}", environ=service.environ)
    assert (result.code, service.seen) == (2, [])
    assert result.stderr == (
        f'error: ticketing tickets update has no field named "{name}"'
        f" ('{meant}=…' sets a field within status; -d sends any name)\n"
    )


@pytest.mark.parametrize(
    "field", ["-f status[name]=x", "-f custom.name=x", "-f status.=x", "-f name=a.b"]
)
def test_other_names_are_sent(field: str, unified: Unified, service: Service) -> None:
    result = unified(f"{UPDATE} {field}", environ=service.environ)
    assert (result.code, result.stderr) == (0, "")


def test_a_body_may_have_any_name(unified: Unified, service: Service) -> None:
    unified(f"""{UPDATE} -d '{{"status.name":"x"}}'""", environ=service.environ)
    assert json.loads(service.seen[0].body) == {"status.name": "x"}
