"""With a closed stdout nothing is sent: what became of a write could not be shown."""

from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified
from server import Reply, Seen, Service

COMMANDS = {
    "import": ("import ticketing/tags records.ndjson -p a", b""),
    "import -": ("import ticketing/tags - -p a", b'{"name":"x"}\n'),
    "several": ("ticketing tags create -f name=x -p a -p b --yes", b""),
    "lines": ("ticketing tags update - -f name=x -p a", b"tags-1\ntags-2\n"),
    "lines of several": (
        "ticketing tags update - -p a -p b --yes",
        b'{"_profile":"a","id":"tags-1","name":"x"}\n',
    ),
    "delete": ("ticketing tags delete - -p a --yes", b"tags-1\n"),
    "get": ("ticketing tags get - -p a", b"tags-1\n"),
    "list of several": ("ticketing tags list -p a -p b", b""),
    "request to several": ("request GET /unified/ticketing/tags -p a -p b", b""),
    "request": ("request POST /unified/ticketing/tags -f name=x -p a", b""),
    "apply": ("apply tags.plan -p a --yes", b""),
    "resume": ("runs resume last", b""),
    "retry": ("runs retry last", b""),
}


def refuse(_: Seen) -> Reply:
    return Reply(422, b'{"statusCode":422,"error":"Unprocessable Entity","message":"no"}')


@pytest.mark.parametrize("kind", COMMANDS)
def test_nothing_is_sent(
    kind: str,
    unified: Unified,
    service: Service,
    config: Callable[[str], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config('rate = 0\n[profiles.a]\naccount_id = "1"\n[profiles.b]\naccount_id = "2"\n')
    environ = {
        name: value for name, value in service.environ.items() if name != "UNIFIED_ACCOUNT_ID"
    }
    monkeypatch.chdir(tmp_path)
    Path("records.ndjson").write_text('{"id":"tags-1","name":"x"}\n')
    command, stdin = COMMANDS[kind]
    if kind == "apply":
        service.reply = lambda _: Reply(
            200, b'{"result":[{"id":"tags-1","name":"y"}],"next_cursor":null}'
        )
        made = unified(
            "plan ticketing/tags --from records.ndjson --to a --same-ids", environ=environ
        )
        Path("tags.plan").write_bytes(made.raw)
        assert made.code == 0, made.stderr
    elif kind in {"resume", "retry"}:
        service.reply = refuse
        failed = unified(COMMANDS["several"][0], environ=environ)
        assert failed.code == 4
    service.seen.clear()
    result = unified(command, environ=environ, stdin=stdin, stdout=None)
    assert service.seen == []
    assert result.code == 11
    assert "standard output is closed, so the result cannot be shown" in result.stderr
    assert not [*tmp_path.glob("records.ndjson.*")]
