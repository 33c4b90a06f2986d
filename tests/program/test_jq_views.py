"""A jq program passes every value on as a plain JSON parser sees it, and names the
records that it cannot hold.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from front_door import Result, Unified
from markdown_it import MarkdownIt
from odd_records import HALVES, KEYS, Number, Pairs, Speller, exact, plain
from test_record_views import (
    ENVIRON,
    LABEL,
    LIST,
    TWO,
    Pages,
    lines,
    refused,
    same,
    sent,
    stdin,
)

from unified_cli.masking import visible
from unified_cli.text_width import pad, width

Select = Callable[[Any], bool]
Shape = Callable[[Any], Any]

PROGRAMS: dict[str, tuple[Select, Shape]] = {
    ".": (lambda _: True, lambda record: record),
    "{id}": (lambda _: True, lambda record: {"id": record.get("id")}),
    "select(.id != null)": (lambda record: record.get("id") is not None, lambda record: record),
}
JQ_ESCAPES = "".join(map(chr, [*range(0x20), 0x7F]))
HALF = re.compile(f"[{''.join(HALVES[:2])}\\ud802-\\udffe]")


class ExactLoader(yaml.CSafeLoader):
    """Reads numbers with all digits."""


for _tag in ("int", "float"):
    ExactLoader.add_constructor(f"tag:yaml.org,2002:{_tag}", lambda _, node: Number(node.value))


def is_held(value: Any) -> bool:
    """Whether jq holds a value as `exact` reads it."""
    if isinstance(value, Pairs):
        names = [name for name, _ in value.members]
        return len({*names}) == len(names) and all(
            is_held(part) for pair in value.members for part in pair
        )
    if isinstance(value, list):
        return all(map(is_held, value))
    return not (isinstance(value, str) and HALF.search(value))


def by_jq(value: Any) -> Any:
    """A value with numbers as jq writes them: all digits, and an exponent as the
    decimal arithmetic of IBM has it, which is Python's too.
    """
    return with_numbers(value, lambda digits: Number(str(Decimal(digits))))


def with_numbers(value: Any, made: Callable[[str], Any]) -> Any:
    if isinstance(value, Number):
        return made(value.digits)
    if isinstance(value, dict):
        return {key: with_numbers(one, made) for key, one in value.items()}
    return [with_numbers(one, made) for one in value] if isinstance(value, list) else value


class JqRun:
    """Lists records through a program."""

    def __init__(self, unified: Unified, speller: Speller, number: int, program: str) -> None:
        self._unified = unified
        self._program = program
        texts = [*speller.records(number)]
        self._speller = speller
        self.held = [text for text in texts if is_held(exact(text))]
        self._texts = texts
        select, shape = PROGRAMS[program]

        def passed_on(held: Sequence[str]) -> list[Any]:
            found = [by_jq(plain(text)) for text in held]
            return [shape(record) for record in found if select(record)]

        self.wanted = passed_on(self.held)
        self.first = len(passed_on([text for text in texts[: number // 2] if is_held(exact(text))]))
        """How many of them are those of the first page."""

    def __call__(self, *options: str) -> Result:
        """The output of all records; those beyond jq are counted and named."""
        result = self._listed(self._texts, [*options, "--jq", self._program])
        # Objects that are the same in all bytes are one.
        number = len({text.encode() for text in self._texts} - {one.encode() for one in self.held})
        told = re.search(r"--jq left out (\d+) records? that jq cannot represent: ", result.stderr)
        assert (told is not None and int(told[1])) == number, result.stderr
        assert result.code == 9
        return result

    def document(self, *options: str) -> Result:
        """The output of one document: those that jq can hold."""
        program = f".result[] | {self._program}"
        result = self._listed(self.held, [*options, "--jq", program])
        assert result.code == 0, result.stderr
        refused = self._listed(self._texts, [*options, "--jq", program])
        assert (refused.raw, refused.code) == (b"", 9)
        return result

    def _listed(self, texts: Sequence[str], options: Sequence[str]) -> Result:
        pages = Pages(self._speller, texts)
        return self._unified([*LIST, *options], environ=ENVIRON, transport=lambda: pages)


def ndjson(run: JqRun) -> None:
    same([*map(plain, lines(run("-o", "ndjson")))], run.wanted)


def document(run: JqRun) -> None:
    same([*map(plain, lines(run.document("-o", "json")))], run.wanted)


def yaml_text(run: JqRun) -> None:
    """Each result is a document in YAML, which writes 1E+2 as 1.0e+2."""
    found = [*yaml.load_all(run.document("-o", "yaml").raw, ExactLoader)]
    same(with_numbers(found, Decimal), with_numbers(run.wanted, Decimal))


def cells(run: JqRun, form: str, rows: Callable[[str], Iterator[list[str]]]) -> None:
    result = run("-o", form)
    found = [*rows(result.raw.decode())]
    known = [*dict.fromkeys(key for record in run.wanted for key in record)]
    # The columns are those of the first page.
    heads = known[: len(found[0])]
    assert found[0] == heads
    assert all(name in result.stderr for name in map(visible, known[len(heads) :]))
    for record, row in zip(run.wanted, found[1:], strict=True):
        for head, cell in zip(heads, row, strict=True):
            assert cell == text_of(record.get(head)) or plain(cell) == record.get(head)


def text_of(value: Any) -> str | None:
    """A value in a cell; None for an object or an array, which is compared as JSON."""
    if isinstance(value, (dict, list)):
        return None
    if isinstance(value, Number):
        return value.digits
    return value if isinstance(value, str) else {None: "", True: "true", False: "false"}[value]


def comma_separated(run: JqRun) -> None:
    cells(run, "csv", lambda text: csv.reader(io.StringIO(text, newline=""), strict=True))


def tab_separated(run: JqRun) -> None:
    plain_of = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}

    def cell(text: str) -> str:
        return re.sub(r"\\(.)", lambda found: plain_of[found[1]], text)

    cells(run, "tsv", lambda text: ([*map(cell, row.split("\t"))] for row in text.split("\n")[:-1]))


COLUMNS = [name for name in KEYS if name.strip() and not HALF.search(name) and name.isprintable()]
"""Those that a command line can name."""


def picked(record: Any, column: str) -> Any:
    """The value of a column, which may be a path."""
    if column == "x[0]" and column not in record:
        found = record.get("x")
        return found[0] if isinstance(found, list) and found else None
    return record.get(column)


def shown(value: Any) -> str:
    """A value as a table shows it: an object by its name or id, else as JSON."""
    if isinstance(value, list):
        return ", ".join(map(shown, value))
    if isinstance(value, dict):
        name = next((key for key in ("name", "id") if value.get(key) not in (None, "")), None)
        return shown(value[name]) if name else json_of(value)
    found = text_of(value)
    assert found is not None
    return found


def json_of(value: Any) -> str:
    """A value as jq writes it."""
    if isinstance(value, list):
        return f"[{','.join(map(json_of, value))}]"
    if isinstance(value, dict):
        return f"{{{','.join(f'{json_of(key)}:{json_of(one)}' for key, one in value.items())}}}"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return "null" if value is None else f"{text_of(value)}"


def rows(run: JqRun) -> list[list[str]]:
    """The cells of all columns as texts."""
    return [[shown(picked(record, column)) for column in COLUMNS] for record in run.wanted]


def markdown(run: JqRun) -> None:
    """Each cell as a page shows it; blanks and breaks are alike there."""
    page = MarkdownIt("commonmark").enable("table")
    found: list[list[str]] = []
    for token in page.parse(run("-o", "markdown", "--columns", ",".join(COLUMNS)).raw.decode()):
        if token.type == "tr_open":
            found.append([])
        if token.type == "inline":
            parts = [one for one in token.children or () if one.content != "<!-- -->"]
            found[-1].append(
                "".join(" " if one.type == "html_inline" else one.content for one in parts)
            )
    same(
        [[cell.split() for cell in row] for row in found],
        [[visible(cell, but="\t\r\n").split() for cell in row] for row in [COLUMNS, *rows(run)]],
    )


def table(run: JqRun) -> None:
    """Each row, its columns as wide as those of the first page."""
    found = run("-o", "table", "--columns", ",".join(COLUMNS)).raw.decode()
    heads = [visible(column) for column in COLUMNS]
    wanted = [[visible(re.sub(r"[\t\r\n]+", " ", cell)) for cell in row] for row in rows(run)]
    sizes = [max(map(width, column)) for column in zip(heads, *wanted[: run.first], strict=True)]
    heads = [head.upper() for head in heads]
    same(
        found.split("\n"),
        ["  ".join(map(pad, row, sizes)).rstrip() for row in [heads, *wanted]] + [""],
    )


def ids(run: JqRun) -> None:
    """Those of one line; an id that is an object or an array is compared as JSON."""
    found = [record.get("id") for record in run.wanted]
    wanted = [one for one in found if one not in (None, "") and on_one_line(one)]
    result = [line.decode() for line in lines(run("-o", "ids"))]
    for cell, value in zip(result, wanted, strict=True):
        assert cell == text_of(value) or plain(cell) == value


def on_one_line(value: Any, escaped: str = "") -> bool:
    """Whether all of a value is printed as it is; within JSON `escaped` is not."""
    if isinstance(value, dict):
        return all(on_one_line(part, JQ_ESCAPES) for pair in value.items() for part in pair)
    if isinstance(value, list):
        return all(on_one_line(part, JQ_ESCAPES) for part in value)
    return (
        not isinstance(value, str)
        or value.translate(dict.fromkeys(map(ord, escaped))).isprintable()
    )


VIEWS = [ndjson, document, yaml_text, comma_separated, tab_separated, markdown, ids, table]
ROUNDS = 18
"""With a thousand records for each program and view, more than 300,000 records in
all.
"""


@pytest.fixture(autouse=True)
def two(config: Callable[[str], Path]) -> None:
    config(TWO)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.__name__)
def test_a_program_passes_on_what_a_plain_parser_sees(
    view: Callable[[JqRun], None], program: str, unified: Unified
) -> None:
    view(JqRun(unified, Speller(3), 250, program))


@pytest.mark.long(seconds=3)
@pytest.mark.parametrize("seed", range(200, 200 + ROUNDS))
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.__name__)
def test_a_program_passes_on_many_records(
    view: Callable[[JqRun], None], program: str, seed: int, unified: Unified
) -> None:
    view(JqRun(unified, Speller(seed), 1000, program))


def mapped(unified: Unified, folder: Path, speller: Speller, number: int) -> None:
    """Records of an import, shown only."""
    speller.breaks = False
    texts = [*speller.named_records(number)]
    path = folder / "records.ndjson"
    path.write_bytes(stdin(texts))
    argv = ["-p", "p0", "import", "ticketing/tickets", str(path), "--dry-run", "--map", "."]
    result = unified(argv, environ=ENVIRON, transport=lambda: httpx.MockTransport(lambda _: None))
    held = [text for text in texts if is_held(exact(text))]
    wanted = [plain(text) for text in held if not refused(text) and LABEL not in plain(text)]
    same([sent(line)[1] for line in lines(result)], by_jq(wanted))
    assert result.stderr.count("jq cannot represent") == len(texts) - len(held)


def test_a_map_passes_on_what_a_plain_parser_sees(unified: Unified, tmp_path: Path) -> None:
    mapped(unified, tmp_path, Speller(3), 250)


@pytest.mark.long(seconds=3)
@pytest.mark.parametrize("seed", range(200, 200 + ROUNDS))
def test_a_map_passes_on_many_records(seed: int, unified: Unified, tmp_path: Path) -> None:
    mapped(unified, tmp_path, Speller(seed), 1000)
