"""A token is looked for everywhere but where it belongs: every command, every source,
every way to end.
"""

import base64
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pytest
from front_door import Result, Unified
from keyrings import InMemory, using
from server import Reply, Seen, Service, serving

from unified_cli.commands import COMMANDS as BUILT_IN
from unified_cli.output import stdout

Config = Callable[[str], Path]
CANARY = "CANARY/0123456789abcdef+0123456789abcdef=="

SHAPES = {
    "a list": "ticketing tickets list",
    "a get": "ticketing tickets get 1",
    "a create": "ticketing tickets create -f name=x",
    "an update": "ticketing tickets update 1 -f name=x",
    "a delete": "ticketing tickets delete 1 --yes",
    "an action": "user-directory users suspend -f user_id=42",
    "a download": "ticketing attachments download -f id=1 --out {out}",
    "a dry run": "ticketing tickets list --dry-run",
    "a curl line": "ticketing tickets list --as curl",
    "a recording": "ticketing tickets list --all -o ndjson --record {har}",
    "any path": "request GET /unified/ticketing/tickets",
    "list of profiles": "profile list -o json",
    "show": "profile show acme --explain -o json",
    "path": "profile path",
    "add": "profile add other -a 1",
    "set": "profile set acme retries=0",
    "use": "profile use acme",
    "test": "profile test acme",
    "logout": "profile logout acme",
    "remove": "profile remove acme",
    "doctor": "doctor acme",
    "doctor on the network": "doctor acme --network",
    "all pages": "ticketing tickets list --all -o ndjson",
    "all pages in a file": "ticketing tickets list --all --out {out}",
    "several connections": "-p acme -p acme ticketing tickets list -o ndjson",
    "an export": "export ticketing/tickets --to {dump} --restart",
    "an import": "import ticketing/contacts {records} --restart",
    "an import with a report": "import ticketing/contacts {records} --restart --report {report}",
    "operations": "operations suspend",
    "credentials": "connections refresh -p acme --yes",
    "credentials of several": "connections refresh -p acme -p ac* --yes",
    "a new sign-in": "connections link -p acme --yes --force",
    "the log": "logs -p acme --failed",
    "the sandbox": "-p sandbox ticketing tickets list",
    "no such profile": "-p nobody ticketing tickets list",
    "usage": "ticketing tickets lsit",
}


COMMANDS = {**SHAPES, **{f"bare {name}": name for name in BUILT_IN}}
SOURCES = (
    "environment",
    "token_file",
    "token_command",
    "keyring",
    "plain text",
    "--token-file",
    "--token-stdin",
)
ENDS = ("success", "refused with an echo", "redirected", "told in detail", "crash")


def forms(secret: str) -> Iterator[bytes]:
    yield secret.encode()
    yield secret[::-1].encode()
    yield quote(secret, safe="").encode()
    yield quote(secret).encode()
    yield json.dumps(secret)[1:-1].encode()
    for offset in range(3):
        # The first and the last characters depend on the text beside the secret.
        yield base64.b64encode(b"\0" * offset + secret.encode())[4:-4]


def leaks(content: bytes) -> list[bytes]:
    return [form for form in forms(CANARY) if form in content]


class World:
    """One command with the token in one place."""

    def __init__(
        self, unified: Unified, config: Config, tmp_path: Path, service: Service, source: str
    ) -> None:
        self._unified = unified
        self._folder = tmp_path
        self._source = source
        self.store = tmp_path / "store" / "token"
        self.store.parent.mkdir(mode=0o700)
        self.store.write_text(f"{CANARY}\n")
        self.store.chmod(0o600)
        declared = {
            "token_file": f'token_file = "{self.store}"',
            "token_command": f'token_command = ["/bin/cat", "{self.store}"]',
            "keyring": "keyring = true",
            "plain text": f'token = "{CANARY}"',
        }
        self.path = config(
            f'base_url = "{service.url}"\n[profiles.acme]\naccount_id ='
            f' "acct-1"\n{declared.get(source, "")}\n'
        )
        self.ring = InMemory()
        self.ring.set_password("unified", f"{service.url}|acme", CANARY)

    def run(self, command: str, *, detail: bool = False) -> Result:
        records = self._folder / "records.ndjson"
        records.write_text('{"name":"Ada"}\n')
        places = {name: self._folder / name for name in ("out", "dump", "report", "har")}
        argv = command.format(records=records, **places).split()
        environ = {"UNIFIED_PROFILE": "acme", "UNIFIED_RETRIES": "0"}
        stdin = b""
        calls = re.match(r"[a-z-]+ \w+ \w+|request GET|(im|ex)port ticketing", command)
        takes_flag = calls and argv[0] not in ("profile", "sandbox")
        if self._source == "environment":
            environ["UNIFIED_TOKEN"] = CANARY
        elif self._source == "--token-file" and takes_flag:
            argv += ["--token-file", str(self.store)]
        elif self._source == "--token-stdin" and takes_flag:
            argv.append("--token-stdin")
            stdin = f"{CANARY}\n".encode()
        if detail and "-p" not in argv:
            argv.insert(0, "-vv")
        with using(self.ring):
            return self._unified(argv, environ=environ, stdin=stdin)

    def left(self) -> dict[str, list[bytes]]:
        """The files that hold the token and should not."""
        own = {self.store} | ({self.path} if self._source == "plain text" else set())
        found = {
            str(file): leaks(file.read_bytes())
            for file in self._folder.rglob("*")
            if file.is_file() and file not in own
        }
        return {name: hits for name, hits in found.items() if hits}


def answer(end: str, elsewhere: str) -> Callable[[Seen], Reply]:
    def reply(seen: Seen) -> Reply:
        if end == "refused with an echo":
            said = {
                "statusCode": 401,
                "error": "Unauthorized",
                "message": f"no: {seen.headers['authorization']}",
            }
            return Reply(401, json.dumps(said).encode())
        if end == "redirected":
            return Reply(307, b"", {"Location": f"{elsewhere}{seen.target}"})
        if "download" in seen.path:
            return Reply(
                200,
                b"bytes",
                {"Content-Type": "application/octet-stream", "Set-Cookie": f"a={CANARY}"},
            )
        return Reply(200, b'{"result":[{"id":"1"}],"next_cursor":null}')

    return reply


@dataclass
class Told:
    """How many commands broke, and how many requests had the token where it belongs."""

    broke: int = 0
    authorised: int = 0


@pytest.fixture
def searched(
    unified: Unified,
    config: Config,
    tmp_path: Path,
    service: Service,
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[[str, str, list[str]], Told]:
    """Run commands with the token in one place and one way to end, and look for it
    everywhere else.
    """

    def search(source: str, end: str, names: list[str]) -> Told:
        told = Told()
        with serving() as elsewhere:
            service.reply = answer(end, elsewhere.url)
            world = World(unified, config, tmp_path, service, source)
            before = world.path.read_bytes()
            if end == "crash":
                crash(monkeypatch)
            for name in names:
                world.path.write_bytes(before)
                world.path.chmod(0o600)
                world.store.write_text(f"{CANARY}\n")
                world.ring.set_password("unified", f"{service.url}|acme", CANARY)
                (tmp_path / "out").unlink(missing_ok=True)
                (tmp_path / "har").unlink(missing_ok=True)
                service.seen.clear()
                result = world.run(COMMANDS[name], detail=end in ("told in detail", "crash"))
                told.broke += result.code == 1
                place = f"{name} by {source}, {end}"
                assert leaks(result.raw) == [], place
                assert leaks(result.stderr.encode()) == [], place
                assert world.left() == {}, place
                assert elsewhere.seen == [], place
                for seen in service.seen:
                    told.authorised += seen.headers.get("authorization") == f"Bearer {CANARY}"
                    rest = {
                        key: value for key, value in seen.headers.items() if key != "authorization"
                    }
                    assert (
                        leaks(repr((seen.method, seen.target, rest)).encode() + seen.body) == []
                    ), place
        return told

    return search


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("end", ENDS)
def test_the_token_is_nowhere_but_where_it_belongs(
    searched: Callable[[str, str, list[str]], Told], source: str, end: str
) -> None:
    # Each command with each source and with each end, if not with both; the long run
    # has all.
    first = (SOURCES.index(source) + ENDS.index(end)) % 3
    told = searched(source, end, [*COMMANDS][first::3])
    assert told.broke >= 2 if end == "crash" else told.broke == 0
    assert told.authorised >= 2, "the token did go where it belongs, or nothing was shown"


@pytest.mark.long(seconds=2)
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("end", ENDS)
def test_the_token_is_nowhere_else_whatever_the_command(
    searched: Callable[[str, str, list[str]], Told], source: str, end: str
) -> None:
    told = searched(source, end, [*COMMANDS])
    assert told.broke >= 8 if end == "crash" else told.broke == 0
    assert told.authorised >= 8, "the token did go where it belongs, or nothing was shown"


def crash(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every command that writes a result break in the middle, with the token in a
    variable and in the words.
    """

    def broken(*_: object, **__: object) -> None:
        secret = CANARY
        raise RuntimeError(f"in the middle of {len(secret)} things")

    monkeypatch.setattr(stdout, "write", broken)


def test_the_forms_that_are_looked_for_are_found() -> None:
    for content in (
        CANARY,
        CANARY[::-1],
        quote(CANARY, safe=""),
        base64.b64encode(f"Bearer {CANARY}".encode()).decode(),
        base64.b64encode(f"x{CANARY}y".encode()).decode(),
    ):
        assert leaks(content.encode()), content
