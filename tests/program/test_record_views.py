"""Every record is seen as a plain JSON parser sees it: its keys and its values, however
they are spelled.
"""

import csv
import io
import json
import re
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from front_door import Result, Unified
from odd_records import Number, Pairs, Speller, exact, plain

from unified_cli.masking import visible

LIST = ["ticketing", "tickets", "list", "--all", "--rate", "0", "-p", "p0"]
TWO = '[profiles.p0]\naccount_id = "a-0"\n[profiles.p1]\naccount_id = "a-1"\n'
ENVIRON = {"UNIFIED_BASE_URL": "https://api.example.com", "UNIFIED_TOKEN": "t-0123456789"}
TICKETS = "https://api.example.com/unified/ticketing/tickets"
LABEL = "_profile"
COLUMNS = ["id", LABEL, "result", "name", "\x7f", "next_cursor", "x", "_profile_served", "\\ud800"]
JSON = "(as JSON)"
"""An object in a table without a name; which JSON it is, CSV shows."""


class Pages(httpx.BaseTransport):
    """A list of two pages, the same for each connection."""

    def __init__(self, speller: Speller, texts: Sequence[str]) -> None:
        half = len(texts) // 2
        self._pages = {
            None: speller.page(texts[:half], "c\u00e9"),
            "c\u00e9": speller.page(texts[half:], None),
        }

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        body = self._pages[request.url.params.get("next_cursor")]
        return httpx.Response(
            200, headers={"Content-Type": "application/json"}, stream=httpx.ByteStream(body)
        )


class Taken(httpx.BaseTransport):
    """Notes each write, and answers with a record of its own."""

    def __init__(self, speller: Speller) -> None:
        self._speller = speller
        self._lock = threading.Lock()
        self.requests: list[tuple[str, Any]] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        with self._lock:
            self.requests.append((str(request.url).removeprefix(TICKETS), plain(request.read())))
            (body,) = self._speller.records(1)
        headers = {"Content-Type": "application/json"}
        return httpx.Response(200, headers=headers, stream=httpx.ByteStream(body.encode()))


class Run:
    """Runs the program with records; `seen` counts them."""

    def __init__(self, unified: Unified, folder: Path, speller: Speller, number: int) -> None:
        self._unified = unified
        self.folder = folder
        self.speller = speller
        self.number = number

    def __call__(self, argv: Sequence[str], codes: Sequence[int] = (0,), **world: Any) -> Result:
        result = self._unified([*argv], environ=ENVIRON, **world)
        assert result.code in codes, (result.code, argv, result.stderr)
        return result

    def listed(self, *options: str, codes: Sequence[int] = (0,)) -> tuple[list[str], Result]:
        """Records, and what the program prints of a list of them."""
        texts = [*self.speller.records(self.number)]
        pages = Pages(self.speller, texts)
        return texts, self([*LIST, *options], codes, transport=lambda: pages)

    def lines(self, *names: str) -> list[str]:
        """Records with ids, each on a line."""
        self.speller.breaks = False
        return [*self.speller.named_records(self.number, *names)]


def same(found: Sequence[Any], wanted: Sequence[Any]) -> None:
    """Asserts it one by one, which shows the first that differs and takes no time for
    the others.
    """
    for one, other in zip(found, wanted, strict=False):
        assert one == other
    assert len(found) == len(wanted)


def lines(result: Result) -> list[bytes]:
    return result.raw.split(b"\n")[:-1]


def ndjson(run: Run) -> None:
    texts, result = run.listed("-o", "ndjson")
    same([*map(exact, lines(result))], [*map(exact, texts)])


def document(run: Run) -> None:
    texts, result = run.listed("-o", "json")
    (_, found), cursor = exact(result.raw).members
    assert (found, cursor) == ([*map(exact, texts)], ("next_cursor", None))


def fan_out(run: Run) -> None:
    texts, result = run.listed("-o", "ndjson", "-p", "p1", "--ordered")
    found = [exact(line).members for line in lines(result)]
    assert [pairs[0] for pairs in found] == [(LABEL, name) for name in ("p0", "p1") for _ in texts]
    same([pairs[1:] for pairs in found], [without_label(text) for text in texts] * 2)


def without_label(text: str) -> tuple[tuple[str, Any], ...]:
    """The members of a record, `_profile` under names that nothing else in it has."""
    members = exact(text).members
    taken = {key for key, _ in members}
    found = []
    for key, value in members:
        free = key
        while key == LABEL and free in taken:
            free += "_served"
        taken.add(free)
        found.append((free, value))
    return tuple(found)


def columns(run: Run) -> None:
    texts, result = run.listed("-o", "ndjson", "--columns", ",".join(COLUMNS))
    wanted = [{name: plain(text).get(name) for name in COLUMNS} for text in texts]
    same([*map(plain, lines(result))], wanted)


def table_of_values(run: Run) -> None:
    texts, result = run.listed("-o", "csv")
    seen = [*map(plain, texts)]
    heads = [*dict.fromkeys(key for record in seen for key in record)]
    found = [*csv.reader(io.StringIO(result.raw.decode(), newline=""), strict=True)]
    assert found[0] == [encoded(head) for head in heads]
    for record, row in zip(seen, found[1:], strict=True):
        for head, cell in zip(heads, row, strict=True):
            value = record.get(head)
            assert (plain(cell) if isinstance(value, (dict, list)) else cell) == text_of(value)


def text_of(value: Any) -> Any:
    """A value in a cell; objects and arrays as they are."""
    if isinstance(value, Number):
        return value.digits
    if isinstance(value, str):
        return encoded(value)
    return (
        value
        if isinstance(value, (dict, list))
        else {None: "", True: "true", False: "false"}[value]
    )


def encoded(text: str) -> str:
    """Text in UTF-8, which has no halves of surrogate pairs."""
    return text.encode("utf-8", "backslashreplace").decode()


def table(run: Run) -> None:
    """The cells of a column, one after the other, so that no widths are needed."""
    for column in ("x", "\x7f", LABEL):
        texts, result = run.listed("-o", "table", "--columns", column)
        found = result.raw.decode().split("\n")
        assert found[0] == visible(column).upper()
        wanted = [encoded(visible(shown(plain(text).get(column)))).rstrip() for text in texts]
        same(
            [None if JSON in one else cell for cell, one in zip(found[1:], wanted, strict=False)],
            [None if JSON in one else one for one in wanted],
        )
        assert len(found) == len(texts) + 2


def shown(value: Any) -> str:
    """A value as a table shows it."""
    if isinstance(value, list):
        return ", ".join(map(shown, value))
    if isinstance(value, dict):
        name = next((key for key in ("name", "id") if value.get(key) not in (None, "")), None)
        return shown(value[name]) if name else JSON
    return text_of_cell(value)


def text_of_cell(value: Any) -> str:
    if isinstance(value, str):
        return re.sub(r"[\t\r\n]+", " ", value)
    found: str = text_of(value)
    return found


def whole_table(run: Run) -> None:
    run.listed("-o", "table")


def yaml_text(run: Run) -> None:
    texts, result = run.listed("-o", "yaml")
    loader = yaml.SafeLoader if b"\\uD" in result.raw else yaml.CSafeLoader
    found = yaml.load(result.raw, loader)
    same(found.pop("result"), [as_yaml(plain(text)) for text in texts])
    assert found == {"next_cursor": None}


def as_yaml(value: Any) -> Any:
    """A value as a program sees it that reads whole numbers as they are, and others as
    doubles.
    """
    if isinstance(value, Number):
        return int(value.digits) if value.digits.lstrip("-").isdigit() else float(value.digits)
    if isinstance(value, list):
        return [*map(as_yaml, value)]
    return {key: as_yaml(one) for key, one in value.items()} if isinstance(value, dict) else value


def piped(run: Run) -> None:
    """Writes, shown only: each goes to the connection and the record that a plain
    parser finds in its line.
    """
    texts = run.lines("p0", "p1")
    result = run(
        ["-p", "p*", "ticketing", "tickets", "update", "-", "--yes", "--dry-run"],
        (0, 9),
        stdin=stdin(texts),
    )
    wanted = [request(exact(text).members) for text in texts if not refused(text, LABEL, "id")]
    same([*map(sent, lines(result))], wanted)


def written(run: Run) -> None:
    """The same, sent; the answer is odd as well."""
    texts = run.lines("p0", "p1")[: run.number // 10]
    taken = Taken(run.speller)
    argv = [
        "-p",
        "p*",
        "ticketing",
        "tickets",
        "update",
        "-",
        "--yes",
        "--rate",
        "0",
        "--token-rate",
        "0",
    ]
    result = run([*argv, "-o", "ndjson"], (0, 9), stdin=stdin(texts), transport=lambda: taken)
    wanted = [request(exact(text).members) for text in texts if not refused(text, LABEL, "id")]
    same(sorted(taken.requests, key=str), sorted(wanted, key=str))
    assert len(lines(result)) == len(wanted)


def stdin(texts: Sequence[str]) -> bytes:
    return "".join(f"{text}\n" for text in texts).encode()


def refused(text: str, *names: str) -> bool:
    """Whether it is a page and no record, or has nothing but these members."""
    return {"result", "next_cursor"} <= plain(text).keys() or not plain(text).keys() - {*names}


def request(members: Sequence[tuple[str, Any]]) -> tuple[str, Any]:
    record = simple(dict(members))
    account = {"p0": "a-0", "p1": "a-1"}[record.pop(LABEL)]
    return f"/{record.pop('id')}?integrated_account_id={account}", record


def simple(value: Any) -> Any:
    """The same where the last one of repeated keys counts."""
    if isinstance(value, Pairs):
        return {key: simple(one) for key, one in value.members}
    if isinstance(value, dict):
        return {key: simple(one) for key, one in value.items()}
    return [*map(simple, value)] if isinstance(value, list) else value


def sent(line: bytes) -> tuple[str, Any]:
    shown = plain(line)
    return shown["url"].removeprefix(TICKETS), shown["body"]


def imported(run: Run) -> None:
    texts = run.lines()
    path = run.folder / "records.ndjson"
    path.write_bytes(stdin(texts))
    result = run(["-p", "p0", "import", "ticketing/tickets", str(path), "--dry-run"], (0, 9))
    wanted = [("?integrated_account_id=a-0", plain(text)) for text in texts if not refused(text)]
    same([*map(sent, lines(result))], wanted)


def compared(run: Run) -> None:
    """Records, and what a plain parser makes of them: every third one is changed."""
    texts = run.lines()
    others = [plain(text) for text in texts]
    for record in others[::3]:
        record["\x7f"] = "another"
    one, other = run.folder / "one.ndjson", run.folder / "other.ndjson"
    one.write_bytes(stdin(texts))
    other.write_bytes(stdin([json_of(record) for record in others]))
    result = run(
        ["diff", "ticketing/tickets", "--from", str(one), "--to", str(other), "-o", "ndjson"], (14,)
    )
    found = [plain(line) for line in lines(result)]
    wanted = [plain(text).get("\x7f") for text in texts[::3]]
    assert [row["from_ids"] for row in found] == [[plain(text)["id"]] for text in texts[::3]]
    for row, old in zip(found, wanted, strict=True):
        change = {"path": "\x7f", "to": "another"}
        # Null and a missing member are the same.
        assert row["differences"] in ([change | {"from": old}], [change] if old is None else [])


def json_of(value: Any) -> str:
    """A value as JSON, its numbers as they were."""
    if isinstance(value, Number):
        return value.digits
    if isinstance(value, list):
        return f"[{','.join(map(json_of, value))}]"
    if isinstance(value, dict):
        members = (f"{json.dumps(key)}:{json_of(one)}" for key, one in value.items())
        return f"{{{','.join(members)}}}"
    return json.dumps(value)


def parquet(run: Run) -> None:
    file = pytest.importorskip("pyarrow.parquet", reason="needs the extra parquet")
    texts = [*run.speller.records(run.number), *run.speller.ids(run.number)]
    pages = Pages(run.speller, texts)
    folder = run.folder / "export"
    argv = [
        "export",
        "ticketing/tickets",
        "--to",
        str(folder),
        "--format",
        "parquet",
        "-p",
        "p0",
        "--restart",
    ]
    run(argv, transport=lambda: pages)
    rows = file.read_table(folder / "p0/ticketing/tickets.parquet").to_pylist()
    same([exact(row["record"]) for row in rows], [*map(exact, texts)])
    by_text: dict[str | None, Any] = {}
    for row in rows:
        value = plain(row["record"]).get("id")
        if isinstance(value, str):
            assert by_text.setdefault(row["id"], value) == value


View = Callable[[Run], None]
ROUNDS = 25
"""With a thousand records for each view, more than 300,000 records in all."""
VIEWS: list[Any] = [
    *(
        ndjson,
        document,
        fan_out,
        columns,
        table_of_values,
        table,
        whole_table,
        yaml_text,
        piped,
        written,
        imported,
        compared,
    ),
    pytest.param(parquet, marks=pytest.mark.extra),
]


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.__name__)
def test_a_record_is_what_a_plain_parser_sees(
    view: View, unified: Unified, config: Callable[[str], Path], tmp_path: Path
) -> None:
    config(TWO)
    view(Run(unified, tmp_path, Speller(1), 250))


@pytest.mark.long(seconds=2)
@pytest.mark.parametrize("seed", range(100, 100 + ROUNDS))
@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.__name__)
def test_many_records_are_what_a_plain_parser_sees(
    view: View, seed: int, unified: Unified, config: Callable[[str], Path], tmp_path: Path
) -> None:
    config(TWO)
    view(Run(unified, tmp_path, Speller(seed), 1000))
