"""The recipes of `unified help checks`, each run by a shell on a sandbox of its own, as
they are printed.
"""

import os
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from front_door import ROOT, Unified
from junitparser import JUnitXml

from unified_cli.sandbox.pytest_plugin import UnifiedSandbox

TOPIC = tomllib.loads(
    (ROOT / "unified_cli" / "commands" / "topics" / "checks.toml").read_text("utf-8")
)["checks"]
RECIPES = {
    name.partition(". ")[2]: text for name, text in TOPIC["code"].items() if name[0].isdigit()
}
FILES = {name: text for name, text in TOPIC["code"].items() if not name[0].isdigit()}
PAGE = "A page on the state of all connections"
# Of the sandbox's tickets many are old, and not each connection of it is well.
ENDS = {"Open tickets without an update for 30 days": 14}


def test_there_are_eleven_and_two_files() -> None:
    assert (len(RECIPES), len(FILES)) == (11, 2)


def test_the_page_is_kept_by_ci_systems_whatever_its_end() -> None:
    of_github, of_gitlab = (yaml.safe_load(text) for text in FILES.values())
    run, keep = of_github
    job = of_gitlab["connections"]
    assert run["run"] == job["script"][0] == "unified report --to connections.html"
    assert keep["with"]["path"] == job["artifacts"]["paths"][0] == "connections.html"
    assert (keep["if"], job["artifacts"]["when"]) == ("always()", "always")


@pytest.mark.extra
@pytest.mark.parametrize("name", FILES)
def test_the_page_in_ci_needs_no_more_than_its_variables(
    name: str, unified: Unified, unified_sandbox: UnifiedSandbox, tmp_path: Path
) -> None:
    pytest.importorskip("jinja2", reason="needs the extra report")
    content = yaml.safe_load(FILES[name])
    of_job = content[0]["env"] if isinstance(content, list) else content["connections"]["variables"]
    values = {
        "UNIFIED_CONFIG": f"{tmp_path}/connections.toml",
        "UNIFIED_BASE_URL": unified_sandbox.url,
        "UNIFIED_TOKEN": unified_sandbox.token,
    }
    made = unified(f"profile add hooli --base-url {unified_sandbox.url}", environ=values)
    assert made.code == 0, made.stderr
    assert unified("-p hooli connections add --prefix c- --yes", environ=values).code == 0
    # GitLab keeps the token beside the file.
    environ = {one: values[one] for one in {*of_job, "UNIFIED_TOKEN"}}
    result = unified(f"report --to {tmp_path}/page.html", environ=environ)
    assert "could not be asked" not in result.stderr, result.stderr


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.extra) if name == PAGE else name for name in RECIPES],
)
def test_a_recipe_runs_on_the_sandbox(name: str, tmp_path: Path) -> None:
    if name == PAGE:
        pytest.importorskip("jinja2", reason="needs the extra report")
    (tmp_path / "unified").write_text(
        f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m unified_cli "$@"\n'
    )
    (tmp_path / "chat").write_text('#!/bin/sh\necho "$1" >> chat.txt\n')
    for command in ("unified", "chat"):
        (tmp_path / command).chmod(0o700)
    environ = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "PYTHONPATH": str(ROOT),
    }
    if "--follow" in RECIPES[name]:
        follows(RECIPES[name], tmp_path, environ)
        return
    done = subprocess.run(
        ["bash", "-c", RECIPES[name]],
        cwd=tmp_path,
        env=environ,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == ENDS.get(name, 0), done.stderr
    if name in ENDS:
        assert b'gives ["tickets-' in done.stderr
    written = {path.name for path in tmp_path.glob("*.*") if path.is_file()}
    if "contacts.xml" in RECIPES[name]:
        assert [suite.tests for suite in JUnitXml.fromfile(str(tmp_path / "contacts.xml"))] == [3]
    if "changed.csv" in RECIPES[name]:
        assert "changed.csv" in written
    if name == PAGE:
        assert "connections.html" in written


def follows(recipe: str, home: Path, environ: dict[str, str]) -> None:
    """A ticket is created while it follows, and the chat hears of it; then a Ctrl-C
    ends all of it.
    """
    new = "unified -p sandbox ticketing tickets create -f name=Printer > created.json"
    heard = "until [[ $(cat chat.txt 2> /dev/null) = *Printer* ]]; do sleep 0.1; done"
    script = f"({new}; {recipe.strip()}) 2> told.txt & {heard}; kill -INT -$$"
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=home,
        env=environ,
        capture_output=True,
        timeout=60,
        check=False,
        start_new_session=True,
    )
    assert done.returncode != 0
    assert "Printer" in (home / "chat.txt").read_text()
