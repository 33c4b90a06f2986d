"""Lines of a tired engineer, the whole message, and what it says to type instead, which
is then run.
"""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified
from mistakes import OUTPUTS

TABLE = Path(__file__).with_name("tired_mistakes.toml")
MISTAKES = tomllib.loads(TABLE.read_text())["mistake"]
"""`step` is what the message says to type, where it can run here."""
ROWS = [
    pytest.param(one, marks=[pytest.mark.extra] if "extra" in one else [], id=one["typed"])
    for one in MISTAKES
]


@pytest.fixture(name="at_work")
def at_work(config: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Connections of every kind, and a folder with files of every kind."""
    kinds = {
        "new": "empty:new",
        "reauth": "needs-reauth",
        "blocked": "blocked",
        "scopes": "missing-scopes",
    }
    kinds |= {
        "readonly": "read-only",
        "desk": "help-desk",
        **{name: f"full:{name}" for name in ("old", "ro")},
    }
    named = {name: f"full:{name}" for name in ("acme", "globex", "initech")}
    tables = [
        f'[profiles.{name}]\nbase_url = "sandbox:"\naccount_id = "{account}"\n'
        for name, account in kinds.items()
    ]
    tables += [
        f'[profiles.{name}]\nbase_url = "sandbox:"\naccount_id = "{account}"\ntags = ["eu"]\n'
        for name, account in named.items()
    ]
    more = '[profiles.bare]\naccount_id = "full"\n[profiles.noid]\nbase_url = "sandbox:"\n'
    more += '[profiles.real]\nbase_url = "https://127.0.0.1:1"\naccount_id = "1"\n'
    config("".join(tables).replace('"full:ro"', '"full:ro"\nread_only = true') + more)
    folder = tmp_path / "work"
    (folder / "dump").mkdir(parents=True)
    monkeypatch.chdir(folder)
    files = {
        "body.json": '{"name":"x"}',
        "wrong.json": '{"name": "x",\n "a": }\n',
        "broken.json": '{"name":"x"',
        "single.json": "{'name':'x'}",
        "trail.json": '{"name":"x"},\n',
        "arr.json": '[{"name":"a"},{"name":"b"}]',
        "rows.csv": "id,name\ntickets-1,a\n",
        "there.csv": "name,account_id\nacme,full:z\n",
        "prof.ndjson": '{"_profile":"acme","name":"z"}\n',
        "dump/file": '{"name":"x"}',
        "ids.txt": "contacts-1\ncontacts-2\n",
        "tags.plan": '{"unified_plan":1,"resource":"ticketing/tags"}\n',
        "shape.json": '{"$schema":"https://json-schema.org/draft/2020-12/schema"}',
        "token": "t-0123456789",
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    (folder / "token").chmod(0o600)
    return folder


def run(unified: Unified, mistake: dict[str, Any], line: str, stdin: str) -> tuple[int, str]:
    """The exit code and stderr of a line, run outside of any folder."""
    result = unified(
        line, environ=mistake.get("environ", {}), stdin=mistake.get(stdin, "").encode()
    )
    return result.code, result.stderr.replace(str(Path.cwd()), "@CWD@")


@pytest.mark.usefixtures("at_work")
@pytest.mark.parametrize("mistake", ROWS)
def test_the_message_says_what_to_type_and_that_works(
    mistake: dict[str, Any], unified: Unified
) -> None:
    if "extra" in mistake:
        pytest.importorskip("mcp.server", reason="needs the extra mcp")
    for line in mistake.get("before", []):
        assert unified(line).code == 0
    said = mistake["said"].replace("@OUTPUTS@", OUTPUTS)
    assert run(unified, mistake, mistake["typed"], "stdin") == (mistake["code"], said)
    if "step" in mistake:
        code, said = run(unified, {**mistake, "environ": {}}, mistake["step"], "step_stdin")
        assert (code, said[:6] != "error:") == (0, True), said
