"""`unified help sandbox`: every fault and every control route, and examples that run
unchanged.
"""

import contextlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Mapping
from pathlib import Path

import httpx
import pytest
import yaml
from front_door import ROOT, Unified

from unified_cli.errors import UsageError
from unified_cli.sandbox.application import CONTROL_METHODS
from unified_cli.sandbox.fault_plan import FAULT_WORDS, parse
from unified_cli.sandbox.pytest_plugin import UnifiedSandbox

CODE = tomllib.loads((ROOT / "unified_cli/commands/topics/sandbox.toml").read_text("utf-8"))[
    "sandbox"
]["code"]


@pytest.mark.parametrize("word", FAULT_WORDS, ids=lambda word: word.name)
def test_the_example_of_a_fault_is_understood(word: object) -> None:
    spelled = next(one for one in FAULT_WORDS if one is word)
    (rule,) = parse(spelled.example)
    assert spelled.example.partition("=")[0] == spelled.name or rule.name == "status"


def test_an_unknown_fault_names_the_known_ones() -> None:
    with pytest.raises(UsageError) as error:
        parse("nothing=5%")
    assert (
        str(error.value)
        == "cannot understand fault 'nothing=5%' (known: 429, reset, truncate, html, lose-reply,"
        " slow, rate, rate-headers, page-size, cursor-ttl, empty-pages, dup-cursor, drift,"
        " idempotency, actions, delete; unified help sandbox)"
    )


def test_code_is_shown_unchanged(unified: Unified) -> None:
    for shown in (
        unified("help sandbox").stdout,
        unified("help sandbox", tty=True, columns=50).stdout,
    ):
        plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
        for text in CODE.values():
            assert (
                "\n".join(f"  {line}".rstrip() for line in text.strip("\n").splitlines()) in plain
            )


def shell(script: str, folder: Path, environ: Mapping[str, str]) -> str:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    command = ["bash", "-e", "-c", script]
    world = {"PATH": path, "HOME": str(folder), **environ}
    # Its own group: what it leaves in the background is ended with it.
    with subprocess.Popen(
        command,
        cwd=folder,
        env=world,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            out, said = process.communicate(timeout=30)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 0, said
    return out


@pytest.mark.needs("curl")
def test_the_control_routes_answer_the_curl_lines(
    unified_sandbox: UnifiedSandbox, tmp_path: Path
) -> None:
    text = CODE["Control routes of a served sandbox"]
    environ = {"UNIFIED_BASE_URL": unified_sandbox.url, "UNIFIED_TOKEN": unified_sandbox.token}
    seen = []
    for one in re.split(r"^#.*\n", text, flags=re.MULTILINE)[1:]:
        assert json.loads(shell(one, tmp_path, environ)).keys() == {"seed", "requests", "effects"}
        method = re.search(r"-X (\w+)", one)
        route = re.search(r"/-/sandbox([/\w]*)", one)
        seen.append((route[1] if route else "", method[1] if method else "GET"))
    assert sorted(seen) == sorted(
        (path, method) for path, methods in CONTROL_METHODS.items() for method in methods
    )


@pytest.mark.parametrize(
    ("name", "after"),
    [
        ("Serve it to a shell", "unified ticketing teams list -o ids; kill $!; wait"),
        (
            "GitHub Actions",
            "set -a; . ./environment; unified ticketing teams list -o ids; kill $!; wait",
        ),
    ],
)
def test_a_shell_waits_until_it_is_ready(name: str, after: str, tmp_path: Path) -> None:
    text = CODE[name]
    script = yaml.safe_load(text)[1]["run"] if name == "GitHub Actions" else text
    told = shell(
        f"{script}\n{after} || true", tmp_path, {"GITHUB_ENV": str(tmp_path / "environment")}
    )
    assert told.split()[-8:] == [f"teams-{number}" for number in range(1, 9)]


def test_the_compose_file_serves_another_container(tmp_path: Path) -> None:
    services = yaml.safe_load(CODE["Docker Compose, with a checkout in ./unified"])["services"]
    words = shlex.split(shlex.split(services["sandbox"]["command"])[2])
    options = words[words.index("serve") + 1 :]
    options[options.index("--port") + 1] = "0"
    ready = tmp_path / "ready"
    options[options.index("--ready-file") + 1] = str(ready)
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        **services["sandbox"]["environment"],
    }
    command = [sys.executable, "-m", "unified_cli", "sandbox", "serve", *options]
    with subprocess.Popen(
        command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        try:
            until = time.monotonic() + 20
            while not ready.exists() and time.monotonic() < until:
                time.sleep(0.05)
            port = int(ready.read_text().splitlines()[0].rpartition(":")[2])
            client = services["tests"]["environment"]
            host = client["UNIFIED_BASE_URL"].removeprefix("http://").replace("8080", str(port))
            headers = {"Authorization": f"Bearer {client['UNIFIED_TOKEN']}", "Host": host}
            path = f"/unified/ticketing/teams?integrated_account_id={client['UNIFIED_ACCOUNT_ID']}"
            assert (
                httpx.get(f"http://127.0.0.1:{port}{path}", headers=headers, timeout=60).status_code
                == 200
            )
        finally:
            process.terminate()


# A program of the reader: it makes a ticket where there are as few as usual, and sends
# it again where no answer comes.
SYNC = """
import httpx

def sync(url, token, account):
    headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": "my-key"}
    path, found = f"{url}/unified/ticketing/tickets", 0
    query = {"integrated_account_id": account, "limit": "50"}
    while query.get("next_cursor", "") is not None:
        page = httpx.get(path, params=query, headers=headers, timeout=60).json()
        query["next_cursor"], found = page["next_cursor"], found + len(page["result"])
    for _ in range(2 if found == 120 else 0):
        try:
            scope = {"integrated_account_id": account}
            httpx.post(path, params=scope, headers=headers, json={"name": "x"})
            break
        except httpx.TransportError:
            continue
"""


def test_the_tests_of_the_page_pass(tmp_path: Path) -> None:
    _, first, second = re.split(
        r"^# (?:conftest|test_sync)\.py\n", CODE["pytest"], flags=re.MULTILINE
    )
    (tmp_path / "conftest.py").write_text(first)
    (tmp_path / "mine.py").write_text(SYNC)
    # A tenth of the pages is as good.
    second = second.replace('": 5000', '": 500').replace("== 100", "== 10")
    (tmp_path / "test_sync.py").write_text(f"from mine import sync\n{second}")
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "PYTHONPATH": f"{ROOT}:{tmp_path}",
    }
    argv = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "--rootdir",
        str(tmp_path),
    ]
    done = subprocess.run(
        argv, cwd=tmp_path, env=environ, check=False, capture_output=True, text=True, timeout=90
    )
    assert (done.returncode, done.stdout.splitlines()[-1][:8]) == (0, "3 passed"), done.stdout


def test_each_block_is_tried_here() -> None:
    source = Path(__file__).read_text("utf-8")
    assert [head for head in CODE if f'"{head}"' not in source] == []


@pytest.mark.long(nightly="needs node")
@pytest.mark.needs("node")
def test_the_setup_of_vitest_serves_and_stops(tmp_path: Path) -> None:
    (tmp_path / "setup.mjs").write_text(CODE["vitest"])
    (tmp_path / "main.mjs").write_text("""
        import { setup } from "./setup.mjs";
        const stop = await setup();
        const { UNIFIED_BASE_URL: url, UNIFIED_TOKEN: token } = process.env;
        const account = process.env.UNIFIED_ACCOUNT_ID;
        const headers = { Authorization: `Bearer ${token}` };
        const teams = `${url}/unified/ticketing/teams?integrated_account_id=${account}`;
        const answer = await fetch(teams, { headers });
        console.log(answer.status);
        stop();
    """)
    assert shell("node main.mjs", tmp_path, {}) == "200\n"
