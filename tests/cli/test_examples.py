"""Every command that help prints runs on a fresh sandbox: examples as they are printed,
those in sentences completed.

Code in blocks for other programs is run in tests/commands/topics.
"""

import re
import shlex
import signal
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from entries import ENTRIES
from front_door import ROOT, Unified

from unified_cli.commands.help import topics

# The needs of an example that a fresh machine lacks: the profiles it names.
CONFIG = """
[alias]
t = "ticketing tickets"
[profiles.acme]
base_url = "sandbox:"
account_id = "full"
token = "t-0123456789"
tags = ["prod"]
[profiles.prod-eu]
base_url = "sandbox:"
account_id = "empty"
tags = ["eu"]
"""
FILES = {
    "people.csv": "first_name,last_name\nAda,Lovelace\n",
    "connections.csv": "name,account_id\nnew-one,7\n",
}
# A command that runs until it is stopped, asks a person at a terminal, or continues a
# run: it is run further down.
RUN = "20261121-7f3a"
RUNS = [f"unified runs {name} {RUN}" for name in ("show", "resume", "retry", "remove")]
SERVERS = ["unified sandbox serve", "unified mcp serve -p 'prod-*'"]
NOT_ALONE = {*SERVERS, "unified profile login acme", *RUNS}
# Commands in sentences: how an incomplete one continues, and the exit code.
BOTH = "ticketing/tags --from acme --to prod-eu --ids ids"
SENTENCES = {
    "unified help": ("", 0),
    "unified doctor": ("", 0),
    "unified --help": ("", 0),
    "unified ci-cd pull-requests list --help": ("", 0),
    "unified operations --source": ("", 0),
    "unified operations add crm": ("unified -p sandbox -a sales operations add crm --yes", 0),
    "unified operations": ("", 0),
    "unified operations --openapi": ("", 0),
    "unified operations WORDS -o json": ("unified operations suspend user -o json", 0),
    "unified profile use": ("unified profile use acme", 0),
    "unified help runs": ("", 0),
    "unified help exit-codes": ("", 0),
    "unified help agents --skill": ("", 0),
    "unified help API RESOURCE OPERATION": ("unified help ticketing tickets create", 0),
    "unified t list": ("unified t list -p acme", 0),
    "unified ticketing tickets list": ("unified ticketing tickets list -p acme", 0),
    "unified API RESOURCE OPERATION [ID] [options]": (
        "unified ticketing tickets get tickets-1 -p acme",
        0,
    ),
    "unified runs resume ID": (f"unified runs resume {RUN}", 0),
    "unified runs retry ID": (f"unified runs retry {RUN}", 0),
    "unified runs remove": (f"unified runs remove {RUN}", 0),
    "unified diff": (f"unified diff {BOTH}", 14),
    "unified plan": (f"unified plan {BOTH} --ignore workspace", 0),
    "unified apply": ("unified apply tags.plan -p prod-eu --ids ids --yes", 0),
    "unified export API -p NAME --to DIR": ("unified export voice -p acme --to dump", 0),
    "unified export --task -": ("", 0),
    "unified export --verify": ("unified export --verify done", 0),
    "unified request GET": ("unified request GET /unified/ticketing/tags -p acme", 0),
    "unified import API/RESOURCE FILE": (
        "unified import ticketing/contacts contacts.ndjson -p prod-eu",
        0,
    ),
    "unified mcp serve -p NAME": ("unified mcp serve -p acme", 0),
    "unified mcp config": ("unified mcp config -p acme", 0),
    "unified sandbox serve": ("", 143),
    "unified sandbox reset": ("", 0),
    "unified sandbox status": ("", 0),
    "unified doctor --bundle report.zip --har session.har": ("", 0),
}
# The assumptions of a sentence: commands that are run before it.
BEFORE = {
    "unified apply": f"plan {BOTH} --ignore workspace > tags.plan",
    "unified export --task -": "export voice -p acme --to dump --tasks > task",
    "unified export --verify": "export voice -p acme --to done",
    "unified doctor --bundle report.zip --har session.har": (
        "-p acme voice calls list --record session.har"
    ),
}

# The pages whose examples need an extra: its name, and the package.
EXTRAS = {
    "report --help": ("report", "jinja2"),
    "sql --help": ("sql", "duckdb"),
    "help sql": ("sql", "duckdb"),
}
PAGES = [f"{' '.join(place.path)} --help".strip() for place in ENTRIES] + [
    f"help {topic}" for topic in topics()
]


def examples(text: str) -> list[str]:
    """The command lines of a page, put together again as a shell would."""
    found = re.findall(r"^Examples?:\n((?:  .*\n)+)", text, re.MULTILINE)
    return [line.strip() for block in found for line in block.replace("\\\n", "").splitlines()]


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=pytest.mark.extra) if page in EXTRAS else page for page in PAGES],
)
def test_the_examples_of_a_page_run_as_printed(
    page: str,
    unified: Unified,
    config: Callable[[str], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if page in EXTRAS:
        extra, package = EXTRAS[page]
        pytest.importorskip(package, reason=f"needs the extra {extra}")
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)
    lines = examples(unified(page).stdout)
    assert lines
    for line in lines:
        if line in NOT_ALONE:
            continue
        if line.startswith("unified profile ") and not line.startswith("unified profile add"):
            config(CONFIG)
        typed, _, redirected = map(str.strip, line.partition(" > "))
        result = unified(shlex.split(typed)[1:], environ={"HOME": str(tmp_path / "home")})
        if redirected:
            (tmp_path / redirected).write_bytes(result.raw)
        assert (result.code, result.stdout != "" or result.stderr != "") == (0, True), (
            line,
            result.stderr,
        )


def test_each_level_has_an_example() -> None:
    assert len(PAGES) > 338


@pytest.fixture(name="at_home")
def _at_home(
    config: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The profiles and the files that are named."""
    monkeypatch.chdir(tmp_path)
    config(CONFIG)
    Path("contacts.ndjson").write_text('{"name":"Ada"}\n')


def a_run(unified: Unified) -> str:
    """The id of a run of two connections."""
    done = unified("-p acme -p prod-eu ticketing tags create -f name=new --yes")
    return re.findall(r"^run (\S+)$", done.stderr, re.MULTILINE)[0]


def test_every_command_in_a_sentence_is_known_here(unified: Unified) -> None:
    pages = [" ".join(unified(page).stdout.split()) for page in PAGES]
    assert {
        one for text in pages for one in re.findall(r"`(unified [^`]+)`", text)
    } == SENTENCES.keys()
    for words in {
        one for text in pages for one in re.findall(r"unified help ([a-z][a-z-]*)", text)
    }:
        assert unified(f"help {words}").code == 0


SERVED = {"unified sandbox serve", "unified mcp serve -p NAME"}


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize("sentence", sorted(SENTENCES.keys() - SERVED))
def test_a_command_in_a_sentence_runs(sentence: str, unified: Unified) -> None:
    before, _, into = BEFORE.get(sentence, "").partition(" > ")
    if before:
        made = unified(before)
        assert made.code == 0, made.stderr
        if into:
            Path(into).write_bytes(made.raw)
    typed, code = SENTENCES[sentence]
    typed = typed or sentence
    if RUN in typed:
        typed = typed.replace(RUN, a_run(unified))
    piped = Path(into).read_bytes() if sentence.endswith(" -") else b""
    result = unified(shlex.split(typed)[1:], stdin=piped)
    assert result.code == code, result.stderr


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize("line", RUNS)
def test_an_example_that_continues_a_run_does_so(line: str, unified: Unified) -> None:
    result = unified(shlex.split(line.replace(RUN, a_run(unified)))[1:])
    assert (result.code, result.stdout != "" or result.stderr != "") == (0, True), result.stderr


@pytest.mark.usefixtures("at_home")
def test_the_example_that_asks_for_a_token_keeps_it(unified: Unified) -> None:
    Path("config/config.toml").write_text(
        CONFIG.replace('token = "t-0123456789"\n', "").replace("sandbox:", "https://x.example")
    )
    result = unified("profile login acme", tty=True, stdin=b"t-canary\n\n")
    assert (result.code, "canary" in result.stderr) == (0, False)


@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize(
    "line",
    [
        *SERVERS[:1],
        *(
            pytest.param(one, marks=pytest.mark.extra)
            for one in (SERVERS[1], SENTENCES["unified mcp serve -p NAME"][0])
        ),
    ],
)
def test_an_example_server_ends_on_a_signal(line: str, tmp_path: Path) -> None:
    is_agent = " mcp " in line
    if is_agent:
        pytest.importorskip("mcp.server", reason="needs the extra mcp")
    # Another test may serve at the port that is the default.
    argv = [*shlex.split(line)[1:], *([] if is_agent else ["--port", "0", "--ready-file", "ready"])]
    environ = {"HOME": str(tmp_path), "UNIFIED_CONFIG": str(tmp_path / "config" / "config.toml")}
    with subprocess.Popen(
        [sys.executable, "-m", "unified_cli", *argv],
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        if not is_agent:
            assert b"127.0.0.1" in process.stdout.readline()
            process.send_signal(signal.SIGTERM)
        assert process.wait(30) == (0 if is_agent else 143)


def test_the_files_of_a_ticket_are_downloaded_as_a_topic_says(
    unified: Unified, tmp_path: Path
) -> None:
    text = tomllib.loads((ROOT / "unified_cli/commands/topics/topics.toml").read_text("utf-8"))
    [(head, script)] = [pair for topic in text.values() for pair in topic.get("code", {}).items()]
    shown = textwrap.indent(script.strip(), "  ")
    assert f"{head}:\n{shown}\n" in unified("help output").stdout
    (tmp_path / "unified").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m unified_cli "$@"\n')
    (tmp_path / "unified").chmod(0o700)
    environ = {"PATH": f"{tmp_path}:/usr/bin:/bin", "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env=environ,
        check=False,
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert {path.name for path in (tmp_path / "files").iterdir()} == {
        "screenshot.png",
        "manifest.ndjson",
    }
