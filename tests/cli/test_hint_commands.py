"""Each hint in the source with the command that it prints, which is run against the
sandbox.
"""

import ast
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from front_door import ROOT, Unified

SOURCE = ROOT / "unified_cli"
# Pages of help, whose examples `test_examples.py` runs.
PAGES = re.compile(
    r"docs/|topics/|/command\.py$|^__init__|(help_page|operation_pages|next_steps)\.py"
    r"|commands/(help|sandbox|operations|request|completion|logs)\.py"
)
COMMAND = re.compile(r"\bunified (?!help:)((?:-p \S+ )*[a-z{…][^;()`|]*)")
# The first word after the command.
WORDS = (
    "allows allow asks calls chooses checks creates does exports finds gives lists makes names one"
    " one_that prints says sends shows stores takes writes with into without, first or to itself"
)
AFTER = re.compile(rf",? (?:{'|'.join(WORDS.split())})\b.*|[,:].*")


def literals(path: Path) -> Iterator[str]:
    """Return the texts of a module but docstrings; what an f-string computes is in
    braces.
    """
    tree = ast.parse(path.read_text("utf-8"))
    skipped = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            skipped.add(node.value)
        if isinstance(node, ast.JoinedStr):
            skipped.update(one for one in ast.walk(node) if one is not node)
    for node in ast.walk(tree):
        if node in skipped:
            continue
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                str(one.value) if isinstance(one, ast.Constant) else "{}" for one in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def table_texts(value: Any) -> Iterator[str]:
    """Return the texts of a table of hints."""
    match value:
        case str():
            yield value
        case dict():
            yield from (text for one in value.values() for text in table_texts(one))
        case list():
            yield from (text for one in value for text in table_texts(one))


def commands() -> set[str]:
    """Return the commands that hints print, as they are written."""
    modules = {path: literals(path) for path in SOURCE.rglob("*.py")}
    tables = {
        path: table_texts(tomllib.loads(path.read_text("utf-8")))
        for path in (*SOURCE.glob("cli/*.toml"), *SOURCE.glob("commands/sql/*.toml"))
    }
    return {
        AFTER.sub("", match[1]).strip()
        for path, texts in (modules | tables).items()
        if not PAGES.search(path.relative_to(SOURCE).as_posix())
        for text in texts
        for match in COMMAND.finditer(text)
    }


ANY = "stands for the words of the command that was typed, which the tests beside run"
GUESS = "has the words of another program in its place, which `test_next_steps.py` types"
ASKS = "asks at a terminal, which `tests/commands/profile/test_sign_in.py` answers"
RUN = "needs a run, which `tests/commands/runs/test_runs.py` makes and finishes"
TICKETS = "-p acme ticketing tickets"
RUN_LINES = {
    "-p {} connections add": "-p acme connections add --dry-run",
    "operations {}": "operations suspend",
    "profile test {}": "profile test acme",
    "-p sandbox ticketing tickets list": "-p sandbox ticketing tickets list",
    "-p sandbox …": "-p sandbox ticketing tags list",
    "apply PLAN -p {}{}": "apply tags.plan -p globex --yes",
    "capabilities {}": "-p acme capabilities ticketing/tickets",
    "capabilities …": "-p acme capabilities ticketing",
    "capabilities{}": "capabilities -p acme ticketing",
    "completion install": "completion install --shell bash",
    "connections link -p {name}": "connections link -p acme --force --yes",
    "connections link -p {name} --force": "connections link -p acme --force --yes",
    "connections link -p {}": "connections link -p acme --force --yes",
    "connections list": "-p acme connections list",
    "connections list -p {}": "connections list -p acme",
    "connections list --health": "-p acme connections list --health",
    "connections refresh -p {}": "connections refresh -p acme --yes",
    "connections {} -p {}{}": "connections refresh -p acme --yes",
    "diff": "diff ticketing/tags --from acme --to acme",
    "doctor": "doctor acme",
    "doctor --bundle": "doctor --bundle made.zip",
    "doctor --network": "doctor acme --network",
    "doctor{profile} --network": "doctor acme --network",
    "export": "-p acme export ticketing/tags --to d",
    "-p NAME capabilities": "-p acme capabilities ticketing",
    "export {}": "-p acme export ticketing/tags --to d",
    "export --format {}": "-p acme export ticketing/tags --to d --format ndjson",
    "export --verify {}": "export --verify dump",
    "export API/RESOURCE --to DIR": "-p acme export ticketing/tags --to d",
    "export {} -p NAME --to DIR": "export ticketing/tags -p acme --to d",
    "export {} --to DIR": "-p acme export ticketing/tags --to d",
    "export {} --to DIR --format ndjson": "-p acme export ticketing/tags --to d --format ndjson",
    "export … --restart": "-p acme export ticketing/tags --to dump --restart",
    "export … --tasks": "-p acme export ticketing/tags --to file:///tmp/none --tasks",
    "help": "help",
    "help config": "help config",
    "export --verify DIR": "export --verify dump",
    "profile list -o json": "profile list -o json",
    "profile set '*' KEY=VALUE": "profile set '*' timeout=30",
    "profile set NAME KEY= removes a key": "profile set acme timeout=",
    "profile set NAME tags=TAG": "profile set acme tags=eu",
    "profile list {}": "profile list acme",
    "help engines": "help engines",
    "help environment": "help environment",
    "help move": "help move",
    "help options": "help options",
    "help profiles": "help profiles",
    "help sandbox": "help sandbox",
    "help {}": "help ticketing tickets list",
    "help …": "help ticketing",
    "import": "-p acme import ticketing/tags tags.ndjson --operation update",
    "import API/RESOURCE -": "-p acme import ticketing/tags - < tags.ndjson",
    "import API/RESOURCE FILE": "-p acme import ticketing/tags tags.ndjson",
    "import API/RESOURCE {}": "-p acme import ticketing/tags tags.ndjson",
    "import {} FILE --operation {}{}": (
        "import ticketing/tags labelled.ndjson --operation update -p acme -p globex --yes"
    ),
    "import {}/{} FILE": "-p acme import ticketing/tags tags.json",
    "mcp config": "mcp config",
    "operations": "operations",
    "operations list": "operations list",
    "operations --source": "operations --source",
    "operations add {}": "operations add crm/contacts -p sandbox -a sales --yes",
    "operations …": "operations tickets",
    "plan API/RESOURCE --from PROFILE --to PROFILE": (
        "plan ticketing/tags --from acme --to globex --same-ids"
    ),
    "plan … > FILE": "plan ticketing/tags --from acme --to globex --same-ids",
    "profile": "profile",
    "profile add": "profile add fresh --base-url https://api.example.com -a 1",
    "profile add NAME": "profile add fresh",
    "profile add NAME -a {}": "profile add fresh -a 1",
    "profile add {}": "profile add fresh",
    "profile add {} --base-url {}": "profile add fresh --base-url https://api.example.com",
    "profile add {} base_url={} account_id={}": (
        "profile add fresh base_url=https://api.example.com account_id=1"
    ),
    "profile import {} --update": "profile import profiles.csv --update",
    "profile list": "profile list",
    "profile path": "profile path",
    "profile remove NAME": "profile remove globex",
    "profile set": "profile set acme tags=eu",
    "profile set --help": "profile set --help",
    "profile set {} account_id=ID": "profile set acme account_id=full:other",
    "profile set {} base_url=URL": "profile set acme base_url=https://api.example.com",
    "profile set {} base_url={}": "profile set acme base_url=https://api.example.com",
    "profile set {} read_only=false": "profile set acme read_only=false",
    "profile show": "profile show acme",
    "profile show {}": "profile show acme",
    "profile show …": "profile show acme",
    "profile set {} {}": "profile set acme tags=eu",
    "profile test": "profile test acme",
    "profile test tries it": "profile test acme",
    "profile test {} --with 'ticketing tickets'": "profile test acme --with 'ticketing tickets'",
    "profile test …": "profile test acme",
    "profile use NAME": "profile use acme",
    "profile use OTHER": "profile use globex",
    "profile use {}": "profile use acme",
    "profile use …NAME": "profile use acme",
    "request METHOD PATH": "-p acme request GET /unified/ticketing/tags",
    "request {} {}": "-p acme request GET /unified/ticketing/tags",
    "runs": "runs",
    "runs list": "runs list",
    "sandbox reset": "sandbox reset",
    "schema API/RESOURCE -o json > FILE": "-p acme schema ticketing/tags -o json",
    "schema … --against … -o json > FILE": "-p acme schema ticketing/tags --against known -o json",
    "schema … -o json > FILE": "-p acme schema ticketing/tags -o json",
    "{} --help": "ticketing --help",
    "{} --out FILE": f"{TICKETS} list --out file.json",
    "{} {}": f"{TICKETS} get tickets-1",
    "{}{} {}": f"{TICKETS} list -o ids",
    "{} {} list --all -o ndjson": f"{TICKETS} list --all -o ndjson",
}
"""The command as a hint prints it, and the line that is run."""
SLIP = "a part of a hint, or run by `tired_mistakes.toml`"
NOT_RUN = {
    "apply": SLIP,
    "apply {}{}": SLIP,
    "completion install named": SLIP,
    "connections add": SLIP,
    "connections link": SLIP,
    "connections refresh": SLIP,
    "logs …": SLIP,
    "profile add NAME --base-url sandbox": SLIP,
    "runs remove RUN removes its journal": SLIP,
    "sandbox status": SLIP,
    "schema --against": SLIP,
    "sql --from DIR reads an export": SLIP,
    "sql --from DIR selects from it": SLIP,
    "sql {}": SLIP,
    "{} - -F NAME=JSON --yes < {}": SLIP,
    "apply PLAN --yes": "the plan that was just not made",
    "capabilities": "no hint: a set of commands that print lists",
    "completion bash": "no hint: a set of commands that print one text",
    "completion fish": "no hint: as above",
    "completion zsh": "no hint: as above",
    "schema": "no hint: a set of commands that print lists",
    "diff …": GUESS,
    "knowledge-base …": GUESS,
    "user-directory …": GUESS,
    "runs remove RUN…": RUN,
    "knowledge-base page-exports": "one of three, which `test_special_outputs.py` runs",
    "profile add …NAME": GUESS,
    "profile login": ASKS,
    "profile login NAME": ASKS,
    "profile login{}": ASKS,
    "profile login {}": ASKS,
    "profile login {} --store keyring": ASKS,
    "profile login …NAME": ASKS,
    "profile logout NAME": GUESS,
    "profile logout …NAME": GUESS,
    "profile set --default …KEY=VALUE": GUESS,
    "profile {} {}": ASKS,
    "runs remove ID": RUN,
    "runs remove {}": RUN,
    "runs resume {}": RUN,
    "runs resume {} continues a run": RUN,
    "runs resume {} --retry-in-doubt": RUN,
    "runs retry {}": RUN,
    "runs resume …": RUN,
    "runs retry": RUN,
    "runs show": RUN,
    "runs show {}": RUN,
    "runs {} …": RUN,
    "profile logout {}": "has a stored token only in `test_sign_in.py`",
    "-p NAME operations add {}": "needs an offered API, which `test_operations_add.py` has",
    "sandbox serve": "serves until it is stopped; `tests/sandbox/test_serve.py` does",
    "sql --from {}": "needs the extra `sql`; `tests/commands/sql` run it",
    "{}": ANY,
}
"""The command as a hint prints it, and why it is not run here."""


@pytest.fixture(name="prepared")
def _prepared(
    unified: Unified, config: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two connections of the sandbox, and the files that the lines name."""
    config(
        "".join(
            f'[profiles.{name}]\nbase_url = "sandbox:"\naccount_id = "{account}"\n'
            for name, account in (("acme", "full"), ("globex", "full:globex"))
        )
    )
    monkeypatch.chdir(tmp_path)
    Path("tags.ndjson").write_text('{"id":"tags-1","name":"A"}\n{"id":"tags-2","name":"B"}\n')
    Path("tags.json").write_text('[{"name":"A"},{"name":"B"}]')
    Path("labelled.ndjson").write_text('{"_profile":"globex","id":"tags-1","name":"A"}\n')
    Path("profiles.csv").write_text("name,account_id\nacme,full:z\n")
    assert unified("-p acme export ticketing/tags --to dump --quiet").code == 0
    made = unified("plan ticketing/tags --from tags.ndjson --to globex --same-ids")
    Path("tags.plan").write_bytes(made.raw)


@pytest.mark.usefixtures("prepared")
@pytest.mark.parametrize("line", sorted({*RUN_LINES.values()}))
def test_a_command_that_a_hint_prints_works(line: str, unified: Unified, tmp_path: Path) -> None:
    line, _, stdin = line.partition(" < ")
    environ = {"HOME": str(tmp_path)} if line.startswith("completion") else {}
    result = unified(line, environ=environ, stdin=Path(stdin).read_bytes() if stdin else b"")
    differs = 14 if line.startswith(("diff", "-p acme schema")) else 0
    findings = 3 if line.startswith("doctor") else 0
    assert result.code in {0, differs, findings}, result.stderr


def test_each_hint_of_the_source_is_listed() -> None:
    assert sorted(commands()) == sorted({**RUN_LINES, **NOT_RUN})
