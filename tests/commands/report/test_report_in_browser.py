"""The page of `unified report` in a real browser: nothing runs or is loaded, nothing is
cut, and all can read it.
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified
from pages import offer, served
from server import Service

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
FOUND = [Path(folder).parent / "axe-core" / "axe.min.js" for folder in os.get_exec_path()]
# A folder of another user cannot be looked into.
AXE = next((path for path in FOUND if os.access(path, os.R_OK)), None)
pytestmark = [
    pytest.mark.extra,
    pytest.mark.long(nightly="needs Chromium, and axe-core of npm"),
    pytest.mark.skipif(BROWSER is None, reason="needs chromium or google-chrome"),
]
pytest.importorskip("jinja2", reason="needs the extra report")

FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run
--disable-background-networking --disable-component-update --disable-sync
--disable-dev-shm-usage --enable-logging=stderr --virtual-time-budget=9000"""
HOSTILE = "</style><script>document.title='ran'</script><img src=x onerror=alert(1)>" + "W" * 10_000
TOLD = "CONSOLE"
"""The beginning of the browser's lines with a page's console output."""


@pytest.fixture(params=["plain", HOSTILE], ids=["plain", "hostile"])
def page(
    request: pytest.FixtureRequest, unified: Unified, service: Service, tmp_path: Path
) -> Path:
    """The page of a connection of which the service says this."""
    text = request.param
    one = {
        "id": "acct-1",
        "tenant_id": text,
        "integration": {"name": text},
        "status": "needs_reauth",
        "last_error": text,
    }
    offered = offer({"ticketing": {"tickets": ["list"]}})
    service.reply = lambda seen: served(offered if seen.path.endswith("/capabilities") else one)
    path = tmp_path / "page.html"
    assert unified(f"report --to {path}", environ=service.environ).code == 0
    return path


def browse(page: Path, *options: str) -> tuple[str, str]:
    """The document after it was loaded, and what the browser logs."""
    assert BROWSER
    done = subprocess.run(
        [
            BROWSER,
            *FLAGS.split(),
            f"--user-data-dir={page.parent / 'profile'}",
            "--dump-dom",
            *options,
            page.as_uri(),
        ],
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.stdout, done.stderr


def with_script(page: Path, script: str, *, policy: bool = False) -> Path:
    """A copy with this script at the end; with the page's own policy or, so that it
    runs, without.
    """
    text = page.read_text("utf-8").replace("</body>", f"<script>{script}</script></body>")
    copy = page.with_name("copy.html")
    copy.write_text(
        text if policy else re.sub("<meta http-equiv[^>]*>", "", text, count=1), "utf-8"
    )
    return copy


def title(document: str) -> Any:
    """The title that a script set."""
    found = re.search("<title>(.*?)</title>", document, re.DOTALL)
    assert found
    return found[1]


@pytest.mark.parametrize("scheme", ["0", "1"], ids=["dark", "light"])
def test_nothing_is_said_to_the_console(page: Path, scheme: str) -> None:
    document, log = browse(page, f"--blink-settings=preferredColorScheme={scheme}")
    assert TOLD not in log
    assert title(document).startswith("1 connection, ")


def test_the_policy_forbids_scripts_and_loads(page: Path) -> None:
    script = "document.title = 'ran'"
    document, log = browse(with_script(page, script, policy=True))
    assert title(document) != "ran"
    assert TOLD in log
    assert title(browse(with_script(page, script))[0]) == "ran"


@pytest.mark.parametrize("width", [400, 1280])
def test_nothing_is_cut_and_nothing_overlaps(page: Path, width: int) -> None:
    # The window itself may not become as narrow.
    wider = (
        f"e.getBoundingClientRect().right > {width + 1} || (e.clientWidth && e.scrollWidth >"
        " e.clientWidth + 1)"
    )
    count = (
        "[...document.querySelectorAll('body *')].filter(e => !e.closest('svg') &&"
        f" ({wider})).length"
    )
    copy = with_script(
        page, f"document.documentElement.style.width = '{width}px'; document.title = {count}"
    )
    assert title(browse(copy, f"--window-size={width},900")[0]) == "0"


@pytest.mark.skipif(AXE is None, reason="needs axe-core of npm beside a folder of PATH")
@pytest.mark.parametrize("scheme", ["0", "1"], ids=["dark", "light"])
def test_a_checker_of_accessibility_finds_nothing(page: Path, scheme: str) -> None:
    assert AXE
    shutil.copy(AXE, page.with_name("axe.js"))
    run = (
        "axe.run().then(found => document.title = JSON.stringify(found.violations.map(one =>"
        " one.id)))"
    )
    copy = with_script(page, f'</script><script src="axe.js"></script><script>{run}')
    document, _ = browse(copy, f"--blink-settings=preferredColorScheme={scheme}")
    assert json.loads(title(document)) == []


def test_it_is_printed_whole(page: Path) -> None:
    pdf = page.with_suffix(".pdf")
    browse(page, f"--print-to-pdf={pdf}")
    assert pdf.read_bytes().startswith(b"%PDF")
