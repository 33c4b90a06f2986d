"""Downloads that are killed anywhere: the name has a whole file, or no file."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from server import Reply, Seen, Service

Crashes = Callable[[list[str], dict[str, str], dict[str, str]], list[dict[str, Any]]]
CONTENT = {name: name.encode() * 1000 for name in "ab"}


def content_of(seen: Seen) -> Reply:
    """The record of an id, which has the address of its file; or the file, by its
    address or by its id.
    """
    if seen.method == "GET":
        name = seen.segments[-1]
        return Reply(
            200, json.dumps({"id": name, "file_url": f"https://files.example/{name}"}).encode()
        )
    query = dict(seen.query)
    name = query.get("id") or query["file_url"].rpartition("/")[2]
    return Reply(200, CONTENT[name], {"Content-Type": "application/octet-stream"})


def told(points: list[dict[str, Any]]) -> None:
    survived = [point for point in points if point["code"] == 0]
    sys.stdout.write(f"crash points survived / tried: {len(survived)} / {len(points)}\n")
    assert survived == points


def test_a_killed_download_leaves_no_file_of_that_name(
    crashes: Crashes, service: Service, tmp_path: Path
) -> None:
    service.reply = content_of
    argv = ["ticketing", "attachments", "download", "-q", "id=a", "--force", "--out", "a-{n}"]
    points = crashes(argv, {}, {**service.environ, "UNIFIED_RATE": "0"})
    told(points)
    assert int(points[-1]["point"]) > 5
    assert {path.read_bytes() for path in tmp_path.glob("a-*")} == {CONTENT["a"]}


def test_killed_downloads_are_all_there_after_another_run(
    crashes: Crashes, service: Service, tmp_path: Path
) -> None:
    service.reply = content_of
    argv = [
        "ticketing",
        "attachments",
        "download",
        "--from",
        "ids",
        "--out",
        "out-{n}",
        "--workers",
        "1",
    ]
    points = crashes(argv, {"ids": "a\nb\n"}, {**service.environ, "UNIFIED_RATE": "0"})
    told(points)
    assert int(points[-1]["point"]) > 20
    for point in points:
        folder = tmp_path / f"out-{point['point']}"
        entries = [
            json.loads(line) for line in (folder / "manifest.ndjson").read_text().splitlines()
        ]
        found = {entry["id"]: (folder / entry["file"]).read_bytes() for entry in entries}
        assert found == CONTENT
        assert {path.name for path in folder.iterdir()} == {
            "manifest.ndjson",
            *(entry["file"] for entry in entries),
        }
