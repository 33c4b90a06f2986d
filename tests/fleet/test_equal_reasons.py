"""A reason that many connections share is printed once, in whatever command."""

from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified

LINES = {
    "list": "-p * ticketing tickets list",
    "get": "-p * ticketing tickets get 7",
    "expect": "-p * ticketing tickets list --expect 'length > 0'",
    "write": "-p * ticketing tickets create -f name=x --yes",
    "request": "-p * request GET /unified/ticketing/tickets",
    "refresh": "-p * connections refresh --yes",
    "logs": "-p * logs",
    "schema": "-p * schema ticketing/tickets",
    "export": "-p * export ticketing/tickets ticketing/users --to DUMP",
    "report": "report -o json",
    "sql": "-p * sql 'FROM ticketing.tickets'",
}


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(line, id=name, marks=[pytest.mark.extra] * (name == "sql"))
        for name, line in LINES.items()
    ],
)
def test_a_reason_that_all_connections_share_is_printed_once(
    line: str, unified: Unified, config: Callable[[str], Path], tmp_path: Path
) -> None:
    if line.endswith("'FROM ticketing.tickets'"):
        pytest.importorskip("duckdb", reason="needs the extra sql")
    config(
        "".join(
            f'[profiles.customer-{at}]\nbase_url = "http://127.0.0.1:9"\naccount_id = "acct-{at}"\n'
            for at in range(10)
        )
    )
    environ = {"UNIFIED_TOKEN": "t-0123456789"}
    result = unified(line.replace("DUMP", f"{tmp_path}/dump"), environ=environ)
    assert result.code == (9 if line.startswith("report") else 3), result.stderr
    assert result.stderr.count("UNIFIED_TOKEN, which is used for") == 1, result.stderr
    assert all(f"customer-{at}" in result.stderr for at in range(10))
