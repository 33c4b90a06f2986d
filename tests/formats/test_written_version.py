"""Files say which version wrote them, so that they differ from those of older ones."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import ROOT, Unified
from server import Reply, Service

from unified_cli import PRODUCT, __version__

CONFIG = "".join(
    f'[profiles.{name}]\nbase_url = "sandbox:"\naccount_id = "{account}"\n'
    for name, account in (("old", "full"), ("new", "empty"))
)


@pytest.fixture(name="at_home", autouse=True)
def _at_home(
    config: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config(CONFIG)
    monkeypatch.chdir(tmp_path)


def first_line(path: Path) -> dict[str, object]:
    found = json.loads(path.read_text().splitlines()[0])
    assert isinstance(found, dict)
    return found


def test_the_version_is_that_of_the_changelog(unified: Unified) -> None:
    assert unified("--version").stdout == f"unified {__version__}\n"
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert changes.partition("\n## ")[2].startswith(f"{__version__} - 20")
    assert tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dynamic"] == [
        "version"
    ]


def test_an_export_and_its_run(unified: Unified, tmp_path: Path) -> None:
    assert unified("export ticketing/tags -p old --to dump").code == 0
    assert json.loads(Path("dump/manifest.json").read_text())["tool"] == PRODUCT
    (run,) = (tmp_path / "data" / "runs").glob("*.ndjson")
    assert first_line(run)["version"] == __version__


def test_a_list_that_broke_off(unified: Unified, service: Service) -> None:
    pages = [
        Reply(body=b'{"result":[{"id":"1"}],"next_cursor":"c"}'),
        Reply(401, b'{"statusCode":401,"error":"x","message":"x"}'),
    ]
    service.reply = lambda _: pages.pop(0)
    command = "ticketing tags list --all -o ndjson --out tags.ndjson"
    assert unified(command, environ=service.environ).code == 7
    assert first_line(Path("tags.ndjson.ckpt"))["tool"] == PRODUCT
    assert {seen.headers["user-agent"] for seen in service.seen} == {PRODUCT}


def test_an_import(unified: Unified) -> None:
    Path("tags.ndjson").write_text('{"name":"a"}\n')
    assert unified("import ticketing/tags tags.ndjson -p new").code == 0
    assert first_line(Path("tags.ndjson.unified-journal"))["version"] == __version__


def test_a_plan_and_what_became_of_it(unified: Unified, tmp_path: Path) -> None:
    Path("p.plan").write_text(
        unified("plan ticketing/accounts --from old --to new --ids ids").stdout
    )
    assert first_line(Path("p.plan"))["tool"] == PRODUCT
    assert unified("apply p.plan -p new --ids ids --yes").code == 0
    (journal,) = (tmp_path / "data" / "plans").glob("*.ndjson")
    assert first_line(journal)["version"] == __version__


def test_a_recording(unified: Unified) -> None:
    assert unified("-p old ticketing tags list --record list.har").code == 0
    made = json.loads(Path("list.har").read_text())["log"]["creator"]
    assert f"{made['name']}/{made['version']}" == PRODUCT
