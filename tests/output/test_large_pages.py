"""A page that is written in slices looks like one that is not."""

import csv
import errno
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified
from pages import by_cursor, envelope
from server import Service

LIST = "ticketing tickets list"
COUNT = 1500
RECORDS = [
    b'{"id":"%d","name":"%s","text":"%s"%s}'
    % (
        number,
        b"n" * (number == COUNT - 1) * 40,
        b"x" * 1000,
        b',"last":"\\ud83d"' * (number == COUNT - 1),
    )
    for number in range(COUNT)
]
PAGE = envelope(b"[" + b",\r\n".join(RECORDS) + b"]")


class Full(io.BytesIO):
    """A disk with room for one piece."""

    def write(self, data: Any, /) -> int:
        if self.getvalue():
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(data)


@pytest.fixture(autouse=True)
def page(service: Service) -> None:
    by_cursor(service, {None: PAGE})


@pytest.mark.parametrize("how", ["ndjson", "ndjson --all", "ndjson --all --out {}"])
def test_ndjson_of_large_pages_has_the_served_bytes(
    how: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    result = unified(f"{LIST} -o {how.format(tmp_path / 'list')}", environ=service.environ)
    written = (tmp_path / "list").read_bytes() if "--out" in how else result.raw
    assert (written.splitlines(), result.code) == (RECORDS, 0)


def test_json_is_one_document(unified: Unified, service: Service) -> None:
    for how in ("--all", "--limit 1499", "--columns id,name,text,last"):
        result = unified(f"{LIST} -o json {how}", environ=service.environ)
        assert len(result.json["result"]) == (1499 if "limit" in how else COUNT)
        assert result.json["result"][7]["id"] == "7"


def test_the_columns_of_csv_are_those_of_all_records(unified: Unified, service: Service) -> None:
    result = unified(f"{LIST} --all -o csv", environ=service.environ)
    rows = list(csv.DictReader(io.StringIO(result.raw.decode(), newline=""), strict=True))
    assert (len(rows), result.code, [*rows[0]]) == (COUNT, 0, ["id", "name", "text", "last"])
    assert (rows[0]["last"], rows[-1]["last"], rows[-1]["name"]) == ("", "\\ud83d", "n" * 40)


def test_the_columns_of_a_table_are_as_wide_as_the_widest_cell(
    unified: Unified, service: Service
) -> None:
    lines = unified(
        f"{LIST} --all -o table --columns id,name,text", environ=service.environ
    ).stdout.splitlines()
    assert (len(lines), lines[0].index("TEXT")) == (COUNT + 1, 4 + 2 + 40 + 2)
    assert {line.index("xxx") for line in lines[1:]} == {4 + 2 + 40 + 2}
    assert (
        unified(f"{LIST} --all -o table", environ=service.environ, tty=True).stdout.count("\n")
        == COUNT + 1
    )


@pytest.mark.parametrize("how", ["", "--all"])
def test_yaml_is_one_document(how: str, unified: Unified, service: Service) -> None:
    result = unified(f"{LIST} -o yaml {how}", environ=service.environ)
    assert re.findall(r"^- id: '(\d+)'$", result.stdout, re.MULTILINE) == [
        str(number) for number in range(COUNT)
    ]
    assert result.stdout.startswith("result:\n- id: '0'\n  name: ''\n  text: x")
    assert result.stdout.endswith('\n  last: "\\uD83D"\nnext_cursor: null\n')


@pytest.mark.parametrize("output", ["ndjson", "csv"])
def test_a_jq_program_gets_each_record_once(
    output: str, unified: Unified, service: Service
) -> None:
    result = unified(f"{LIST} --all -o {output} --jq '{{id}}'", environ=service.environ)
    # The last one holds half a surrogate pair.
    assert result.stdout.count("\n") == COUNT - 1 + (output == "csv")
    assert "--jq left out 1 record that jq cannot represent" in result.stderr


def test_each_record_of_a_fan_out_gets_its_profile(
    unified: Unified, service: Service, config: Callable[[str], Path]
) -> None:
    profiles = "".join(f'[profiles.{name}]\naccount_id = "{name}"\n' for name in ("one", "two"))
    config(f'base_url = "{service.url}"\ntoken = "t-0123456789"\n{profiles}')
    result = unified(f"{LIST} -p one -p two --all -o ndjson")
    found = [json.loads(line)["_profile"] for line in result.stdout.splitlines()]
    assert (found.count("one"), found.count("two"), result.code) == (COUNT, COUNT, 0)


def test_a_torn_page_is_reported(unified: Unified, service: Service) -> None:
    full = Full()
    result = unified(f"{LIST} --all -o yaml", environ=service.environ, stdout=full)
    assert (result.code, full.getvalue().startswith(b"result:\n- id: '0'\n")) == (11, True)
    assert (
        "stopped after 0 records in 0 pages and part of another; to continue: from the start"
        in result.stderr
    )
