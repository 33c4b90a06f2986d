"""Any combination of the options that decide how a result is delivered means something,
or is refused before anything is sent: each run in whole, against the sandbox.
"""

import csv
import io
import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import httpx
import pytest
import yaml
from campaigns import dice, size
from combinations import KINDS, Combination, chosen, every
from front_door import Result, Unified
from markdown_it import MarkdownIt

from unified_cli.sandbox.in_process import InProcess

# The parts that differ each time: times, and the keys of writes.
OWN = re.compile(rb"\d{4}-\d\d-\d\dT[\d:.]+Z|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
DOWNLOADED = "screenshot.png"
_MARKDOWN = MarkdownIt("commonmark").enable("table")


def documents(data: bytes) -> list[object]:
    """The JSON documents that follow each other."""
    found, text, decoder = [], data.decode(), json.JSONDecoder()
    while text := text.lstrip():
        value, end = decoder.raw_decode(text)
        found.append(value)
        text = text[end:]
    return found


def lines(data: bytes) -> list[str]:
    return data.decode("utf-8-sig").splitlines()


SHAPES: Mapping[str, Callable[[bytes], object]] = {
    "json": documents,
    "ndjson": lambda data: [json.loads(line) for line in lines(data)],
    "table": lines,
    "markdown": lambda data: [
        one for one in _MARKDOWN.parse(data.decode()) if one.type == "tr_open"
    ],
    "csv": lambda data: [*csv.reader(io.StringIO(data.decode("utf-8-sig")), strict=True)],
    "tsv": lambda data: [line.split("\t") for line in lines(data)],
    "yaml": lambda data: [*yaml.safe_load_all(data)],
    "ids": lambda data: [line for line in lines(data) if re.fullmatch(r"[\w-]+", line)],
    "raw": lambda data: data,
}


class World:
    """Runs combinations in a folder of its own, each from the same state of the
    sandbox.
    """

    def __init__(self, unified: Unified, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._unified, self._folder = unified, folder
        self._sent: list[str] = []
        self._references: dict[Combination, bytes] = {}
        self._config = folder / "config" / "config.toml"
        self._config.parent.mkdir(mode=0o700)
        (folder / "here").mkdir()
        monkeypatch.chdir(folder / "here")
        answer = InProcess.handle_request

        def counted(transport: InProcess, request: httpx.Request) -> httpx.Response:
            self._sent.append(f"{request.method} {request.url}")
            return answer(transport, request)

        monkeypatch.setattr(InProcess, "handle_request", counted)

    def _run(self, one: Combination) -> Result:
        shutil.rmtree(self._folder / "data", ignore_errors=True)
        shutil.rmtree("out", ignore_errors=True)
        Path("out").mkdir()
        self._config.touch(0o600)
        self._config.write_text(one.config)
        self._sent.clear()

        def stop(_: float) -> None:
            # Until the next poll of --follow.
            raise KeyboardInterrupt

        ids = b"attachments-1\n" if one.kind == "download" else b"tags-1\n"
        return self._unified(
            one.words,
            environ=one.environ,
            stdin=ids if one.mode == "lines" else b"",
            **({"sleep": stop} if one.mode == "--follow" else {}),
        )

    def wrong(self, one: Combination) -> str:
        """The problem with the result of a combination, or empty."""
        result = self._run(one)
        files = {
            path.relative_to("out").as_posix(): path.read_bytes()
            for path in Path("out").rglob("*")
            if path.is_file()
        }
        if result.code == 2:
            left = self._sent or files or result.raw or self._runs()
            return f"refused, and left {left}" if left else ""
        if result.code != (130 if one.mode == "--follow" else 0):
            return f"ended with {result.code}: {result.stderr}"
        if one.mode == "--dry-run":
            sent = self._sent or files
            shown = all(
                isinstance(each, dict) and "method" in each for each in documents(result.raw)
            )
            return "" if result.raw and shown and not sent else f"shown, and left {sent}"
        if one.kind == "download" and one.mode == "lines":
            expected = self._expected(one._replace(mode="one"))
            whole = files.get(f"{'file/' * (one.out == 'file')}{DOWNLOADED}") == expected
            return "" if whole and not result.raw else f"{[*files]} are not the file"
        return self._misplaced(one, result.raw, files)

    def _runs(self) -> list[Path]:
        """The journals of runs, of which a refusal leaves none."""
        return [*(self._folder / "data").rglob("*.ndjson")]

    def _misplaced(self, one: Combination, printed: bytes, files: Mapping[str, bytes]) -> str:
        """The outputs that are missing, or in a second place."""
        expected = self._expected(one)
        if one.out in {"file", "folder"}:
            name = "file" if one.out == "file" else DOWNLOADED if one.kind == "download" else None
            name = name or next(iter(files), "")
            return (
                ""
                if self._alike(one, {"": printed, **files}, {"": b"", name: expected})
                else (f"printed {printed[:200]!r}, wrote {files}, not {expected[:200]!r}")
            )
        there = self._alike(one, {"": printed, **files}, {"": expected})
        return "" if there else f"printed {printed[:200]!r}, not {expected[:200]!r}; {files}"

    def _alike(
        self, one: Combination, found: Mapping[str, bytes], expected: Mapping[str, bytes]
    ) -> bool:
        """Whether places hold the same but for times and the order of connections."""

        def plain(data: bytes) -> object:
            data = OWN.sub(b"", data).rstrip(b"\n")
            if one.mode != "several":
                return data
            # The page that comes first decides on the widths, and on the columns of a
            # table.
            return bool(data) if one.form == "table" else sorted(data.translate(None, b" -"))

        return {name: plain(data) for name, data in found.items()} == {
            name: plain(data) for name, data in expected.items()
        }

    def _expected(self, one: Combination) -> bytes:
        """The output without `--out`, which has the shape of the format."""
        # The profiles of several connections do not decide on the format of all.
        own = one.mode == "several" and one.source == "profile"
        plain = one._replace(out="none", source="config", form="json" if own else one.form)
        if plain not in self._references:
            result = self._run(plain)
            assert result.code in {0, 130}, (plain, result)
            if plain.kind != "download":
                assert SHAPES[plain.form](result.raw) or not result.raw, (plain, result)
            self._references[plain] = result.raw
        return self._references[plain]


@pytest.fixture
def world(unified: Unified, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(unified, tmp_path, monkeypatch)


def report(world: World, combinations: Iterator[Combination] | list[Combination]) -> None:
    found = {one: wrong for one in combinations if (wrong := world.wrong(one))}
    shown = [f"{' '.join(one.words)}: {one}: {wrong}" for one, wrong in [*found.items()][:30]]
    assert not found, f"{len(found)} combinations\n" + "\n".join(shown)


@pytest.mark.parametrize("kind", KINDS)
def test_a_combination_means_something_or_is_refused(kind: str, world: World) -> None:
    report(world, [one for one in chosen() if one.kind == kind])


@pytest.mark.long(seconds=25)
@pytest.mark.parametrize("kind", KINDS)
def test_each_combination_means_something_or_is_refused(kind: str, world: World) -> None:
    whole = [*every(kind)]
    report(world, dice("combinations").sample(whole, size(len(whole), 500)))
