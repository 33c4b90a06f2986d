"""A token that its own program or the service says again, whole or cut, is shown and
kept by no command.

Searched after each command: stdout, stderr, the name and the content of every file that
it left. Only data stays exact: records and documents of the service, and requests.
"""

import base64
import itertools
import json
import shutil
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from campaigns import dice, size
from front_door import Unified
from program.test_token_canary import CANARY, forms
from server import Reply, Seen, Service

from unified_cli.http.transport.proxy import ProxySetting

Echo = Callable[[Seen, str], Reply]
Config = Callable[[str], Path]

TELLING = 8
BYTES = {"Content-Type": "application/octet-stream"}
PAGE = b'{"result":[{"id":"1"}],"next_cursor":null}'

# Data and words: what a call prints on success, and what a built-in command says of it.
CALLS = {
    "a list": "ticketing tickets list",
    "a table": "ticketing tickets list -o table",
    "all pages": "ticketing tickets list --all -o ndjson",
    "all pages in a file": "ticketing tickets list --all -o ndjson --out {out}",
    "several connections": "-p acme -p other ticketing tickets list -o ndjson",
    "a get": "ticketing tickets get 1",
    "a create": "ticketing tickets create -f name=x -o json",
    "an update": "ticketing tickets update 1 -f name=x",
    "a delete": "ticketing tickets delete 1 --yes",
    "deletes": "ticketing tickets delete - --yes",
    "any path": "request GET /unified/ticketing/tickets",
    "a download": "ticketing attachments download -f id=1 --out {folder}/",
    "a job": "knowledge-base pages get 1",
    "told in detail": "-vv ticketing tickets list",
}
WORDS = {
    "an export": "export ticketing/tickets --to {dump}",
    "an import": "import ticketing/contacts {records} --report {report}",
    "many downloads": "ticketing attachments download --from {records} --out {folder}",
    "test": "profile test acme other",
    "test as JSON": "profile test acme -o json",
    "doctor": "doctor acme --network",
    "doctor as JSON": "doctor acme --network -o json",
}
COMMANDS = {**CALLS, **WORDS}


def header(name: str, status: int = 200, body: bytes = PAGE) -> Echo:
    return lambda _, text: Reply(status, body, {**JSON, name: text})


def file_header(name: str, form: str = "{}") -> Echo:
    return lambda _, text: Reply(200, b"bytes", {**BYTES, name: form.format(text)})


def refusal(status: int, **members: Any) -> Echo:
    """The service's error object, with the text in place of every `@`."""

    def echo(_: Seen, text: str) -> Reply:
        body = json.dumps({"statusCode": status, "error": "Error", **members})
        return Reply(status, body.replace("@", json.dumps(text)[1:-1]).encode())

    return echo


def document(template: str, status: int = 200, kind: str = "application/json") -> Echo:
    return lambda _, text: Reply(
        status, template.replace("@", text).encode(), {"Content-Type": kind}
    )


ECHOED = (
    "Server",
    "Set-Cookie",
    "ETag",
    "Link",
    "Date",
    "X-Echo",
    "ratelimit-limit",
    "ratelimit-remaining",
)
JSON = {"Content-Type": "application/json"}
ORDINARY = document(PAGE.decode())
HEADERS = {
    "headers of a page": lambda _, text: Reply(200, PAGE, {**dict.fromkeys(ECHOED, text), **JSON}),
    "headers of a refusal": lambda _, text: Reply(
        400, b"{}", {**dict.fromkeys(ECHOED, text), **JSON}
    ),
    "Content-Encoding": header("Content-Encoding"),
    "Content-Type": header("Content-Type", body=b"bytes"),
    "Content-Type of text": document("words", kind=f"text/{CANARY}"),
    "Content-Disposition": file_header("Content-Disposition", 'attachment; filename="{}.txt"'),
    "Content-Disposition, encoded": file_header(
        "Content-Disposition", "attachment; filename*=utf-8''{}"
    ),
    "Content-Range": file_header("Content-Range", "bytes {}/5"),
    "Digest": file_header("Repr-Digest", "sha-256=:{}:"),
    "Retry-After": header("Retry-After", 429),
    "Location": header("Location", 302),
    "Location elsewhere": lambda _, text: Reply(
        302, b"", {"Location": f"https://elsewhere.invalid/{text}"}
    ),
    "Location with a user": lambda _, text: Reply(
        302, b"", {"Location": f"https://{text[7:20]}:{text[:13]}@x.invalid/"}
    ),
    "Location that is not a URL": lambda _, text: Reply(302, b"", {"Location": f"http://[{text}"}),
}
BODIES = {
    **{
        f"message of {status}": refusal(status, message="no: @")
        for status in (400, 401, 403, 404, 409, 429, 500, 503)
    },
    "error": refusal(400, error="@"),
    "message as an object": refusal(400, message={"a@": ["@"]}),
    "raw response": refusal(502, raw_response={"said": "Bearer @"}, truto_error_insight={}),
    "error insight": refusal(
        400, truto_error_insight={"missing@": {"value": ["@"]}, "x": {"value": {"@": 1}}}
    ),
    "failed checks": refusal(400, message="bad", details={"failures": [{"why": "@"}, "@"]}),
    "an envelope in a success": document('{"statusCode":400,"error":"Bad","message":"no: @"}'),
    "a page of HTML": document("<html><title>no: @</title></html>", 502, "text/html"),
    "HTML for JSON": document("<html>@</html>", 200, "text/html"),
    "plain text": document("not @", 500, "text/plain"),
    "broken JSON": document('{"result":[{"id":"@"'),
    "no page": document('{"result":"@"}'),
    "a cursor that is none": document('{"result":[],"next_cursor":{"a":"@"}}'),
    "a cursor": document('{"result":[{"id":"1"}],"next_cursor":"@"}'),
    "a cursor, encoded": document('{"result":[{"id":"1"}],"next_cursor":"x%2F@"}'),
    "the id of a record": document('{"id":"@","status":"@"}'),
    "a record": document('{"result":[{"id":"@","name":"@","file_name":"@"}],"next_cursor":null}'),
}
ECHOES: dict[str, Echo] = {**HEADERS, **BODIES}
OF_DATA = {
    "no page",
    "a cursor that is none",
    "a cursor",
    "a cursor, encoded",
    "the id of a record",
    "a record",
}
"""The text is part of a success, which calls pass on."""


PIECES = [
    *forms(CANARY),
    *(
        piece.encode()
        for piece in (
            CANARY[:TELLING],
            CANARY[:TELLING].lower(),
            "CANARY%2F0",
            CANARY.rpartition("/")[2],
        )
    ),
]
"""Traces of the token: any form of it, its beginning, and its rest in a file's name."""


@dataclass
class Found:
    """Where a piece of the token was found, and how many places were looked through."""

    hits: list[str]
    places: int = 0

    def look(self, place: str, content: bytes) -> None:
        self.places += 1
        self.hits += [f"{place}: {piece!r}" for piece in PIECES if piece in content]


@pytest.fixture
def sweep(
    unified: Unified, config: Config, service: Service, tmp_path: Path
) -> Callable[..., Found]:
    """Run one command against an echo of the token, and look through all that it
    left.
    """

    def run(
        name: str,
        echo: Echo,
        *,
        text: str = CANARY,
        data: bool = False,
        source: str = "environment",
    ) -> Found:
        world = tmp_path / "world"
        shutil.rmtree(world, ignore_errors=True)
        (world / "folder").mkdir(parents=True)
        (world / "records").write_text('{"id":"1","name":"x"}\n{"id":"2","name":"y"}\n')
        shutil.rmtree(tmp_path / "data", ignore_errors=True)
        declared = (
            ""
            if source == "environment"
            else f"token_command = {json.dumps(['/bin/sh', '-c', source])}\n"
        )
        top = f'base_url = "{service.url}"\nprofile = "acme"\n{declared}'
        config(f'{top}[profiles.acme]\naccount_id = "1"\n[profiles.other]\naccount_id = "2"\n')
        service.reply = lambda seen: echo(seen, text)
        places = {place: world / place for place in ("out", "folder", "dump", "records", "report")}
        environ = {"UNIFIED_BASE_URL": service.url, "UNIFIED_RETRIES": "0"}
        environ |= {"UNIFIED_TOKEN": CANARY} if source == "environment" else {}
        stdin = b'{"id":"1"}\n' if name == "deletes" else b""
        result = unified(COMMANDS[name].format(**places), environ=environ, stdin=stdin)
        found = Found([])
        assert result.code != 1, result.stderr
        found.look("stderr", result.stderr.encode())
        if not (data and name in CALLS):
            found.look("stdout", result.raw)
        for file in world.rglob("*"):
            found.look("a file's name", str(file.relative_to(world)).encode())
            if file.is_file() and not (data and is_data(file)):
                found.look(f"{file.relative_to(world)}", file.read_bytes())
        return found

    return run


def is_data(file: Path) -> bool:
    """Whether a file holds what the service served, or ids of it, which stay exact."""
    lists = file.name == "out" or file.suffix == ".part" or file.parent.name == "ticketing"
    return lists or ".unified-" in file.name or file.name == "report"


def programs() -> Iterator[tuple[str, str]]:
    """Token programs that fail, or print an invalid token, and quote the token."""
    yield "both", f"echo {CANARY}; echo no: {CANARY} is not valid >&2; exit 3"
    yield "stderr only", f"echo no: {CANARY} is not valid >&2; exit 3"
    yield "a long complaint", f"printf '%02040d {CANARY} %s' 1 {'x' * 40} >&2; exit 3"
    yield "a complaint that is cut", f"printf '{CANARY}%02010d' 1 >&2; exit 3"
    yield "JSON", f'printf \'{{"token":"{CANARY}"}}\'; echo {CANARY} >&2; exit 3'
    yield "several lines", f"echo 'your token:'; echo {CANARY}; echo {CANARY} >&2"
    yield "with a blank", f"echo 'Bearer {CANARY}'; echo {CANARY} >&2"
    yield "killed", f"echo {CANARY}; echo {CANARY} >&2; kill -9 $$"


ONLY = {"headers of a page": ["doctor"], "a cursor": ["all pages in a file"]}
"""Where one command alone may show or keep an echo, in a way that no other has."""


@pytest.mark.parametrize("echo", ECHOES)
def test_an_echo_of_the_service_is_masked_everywhere(
    echo: str, sweep: Callable[..., Found]
) -> None:
    # Every third command, with a different start each time; the long run has all.
    for name in [*[*COMMANDS][[*ECHOES].index(echo) % 3 :: 3], *ONLY.get(echo, [])]:
        found = sweep(name, ECHOES[echo], data=echo in OF_DATA)
        assert found.hits == [], name
        assert found.places >= 4


@pytest.mark.parametrize("program", [name for name, _ in programs()])
def test_an_echo_of_a_token_program_is_masked_everywhere(
    program: str, sweep: Callable[..., Found]
) -> None:
    script = dict(programs())[program]
    for name in ("a list", "several connections", "told in detail", *WORDS):
        assert sweep(name, ORDINARY, source=script).hits == [], name


CUT = (
    "message of 401",
    "broken JSON",
    "plain text",
    "Retry-After",
    "Content-Disposition",
    "Location elsewhere",
)
FEW = ("a list", "test", "an import")


@pytest.mark.parametrize("echo", CUT)
def test_a_token_that_the_service_cut_is_masked(echo: str, sweep: Callable[..., Found]) -> None:
    # One command at each place; the long run has all at all places.
    for end, name in zip(range(TELLING, len(CANARY), 3), itertools.cycle(FEW), strict=False):
        assert sweep(name, ECHOES[echo], text=CANARY[:end]).hits == [], (name, end)


@pytest.mark.parametrize("echo", ["message of 400", "plain text"])
def test_a_token_is_masked_before_a_message_is_cut(echo: str, sweep: Callable[..., Found]) -> None:
    # Where messages and excerpts end, and the columns of a table.
    for limit in (80, 200, 2048):
        for before in range(limit - len(CANARY) - 70, limit, 7):
            assert sweep("test", ECHOES[echo], text=f"{'x' * before} {CANARY}").hits == [], before


ENCODED = {
    "as it is": CANARY,
    "backwards": CANARY[::-1],
    "hexadecimal": CANARY.encode().hex(),
    "HEXADECIMAL": CANARY.encode().hex().upper(),
    "base64": base64.b64encode(CANARY.encode()).decode(),
    "base32": base64.b32encode(f"ab{CANARY}".encode()).decode(),
}
PASSED_ON = (
    "-p acme -p other ticketing tickets update 7 -f name=x --yes",
    "-p acme ticketing tickets list --expect length==0 --junit {folder}/junit.xml",
    "-p acme ticketing tickets get 1 --record {folder}/get.har --json-errors",
    "-p acme ticketing tickets list --record {folder}/list.har -vv",
    "-p acme doctor --network --bundle {folder}/b.zip --har {folder}/get.har",
)


def unpacked(path: Path) -> Iterator[bytes]:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            yield from map(archive.read, archive.namelist())
    else:
        yield path.read_bytes()


@pytest.mark.parametrize("status", [200, 422])
@pytest.mark.parametrize("form", ENCODED)
def test_no_output_holds_the_token_in_any_form(
    form: str, status: int, unified: Unified, config: Config, service: Service, tmp_path: Path
) -> None:
    piece = ENCODED[form][12:36]
    tables = "".join(f'[profiles.{name}]\naccount_id = "{name}"\n' for name in ("acme", "other"))
    config(f'base_url = "{service.url}"\nretries = 0\n{tables}')
    record = {"id": ENCODED[form], "name": ENCODED[form], "status": ENCODED[form]}
    error = {
        "statusCode": status,
        "error": "Bad",
        "message": f"no: {ENCODED[form]}",
        "errors": [ENCODED[form]],
    }
    served = json.dumps(error if status >= 400 else {"result": [record], "next_cursor": None})
    alone = json.dumps(error if status >= 400 else record)
    service.reply = lambda seen: Reply(
        status,
        (served if seen.method == "GET" and not seen.path.endswith("/1") else alone).encode(),
        JSON,
    )
    world = {"environ": {"UNIFIED_TOKEN": CANARY, "UNIFIED_BASE_URL": service.url}}
    for command in PASSED_ON:
        result = unified(command.format(folder=tmp_path), **world)
        assert result.code != 1, result.stderr
        assert piece.lower() not in result.stderr.lower(), command
    left = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {"junit.xml", "get.har", "list.har", "b.zip"} <= {path.name for path in left}
    assert sum(path.parent.name == "runs" and path.suffix == ".ndjson" for path in left) == 1
    found = [
        path.name
        for path in left
        for content in unpacked(path)
        if piece.lower().encode() in content.lower()
    ]
    assert found == []


def test_a_token_in_what_the_service_lists_is_not_cached(
    unified: Unified, config: Config, service: Service, tmp_path: Path
) -> None:
    token = "a-token.0123456789"
    config(f'base_url = "{service.url}"\n[profiles.acme]\naccount_id = "1"\n')
    named = {"id": "c", "tenant_id": token, "status": token, "integration": {"name": token}}
    listed = [named, {**named, "id": f"x{token}"}, {"id": token}]
    service.reply = lambda _: Reply(
        200,
        json.dumps(
            {"result": listed, "next_cursor": None, "unified": [], "id": "1", "status": token}
        ).encode(),
        JSON,
    )
    folders = {
        "config": tmp_path / "config",
        "cache": tmp_path / "cache",
        "data": tmp_path / "data",
    }
    world = {
        "folders": folders,
        "environ": {"UNIFIED_TOKEN": token, "UNIFIED_BASE_URL": service.url},
    }
    for command in (
        "connections list",
        "-p acme ticketing tickets list",
        "-p acme capabilities ticketing",
    ):
        assert unified(command, tty=True, **world).code == 0
    kept = {
        path.name: path.read_text() for path in (tmp_path / "cache").rglob("*") if path.is_file()
    }
    assert kept["ticketing.tickets.ids"].splitlines()[1:] == ["c"]
    assert [name for name, text in kept.items() if token[:8] in text] == []


@pytest.mark.long(seconds=8)
def test_all_places_are_searched_and_printed(
    sweep: Callable[..., Found], capsys: pytest.CaptureFixture[str]
) -> None:
    kinds = {echo: {"echo": ECHOES[echo], "data": echo in OF_DATA} for echo in ECHOES}
    kinds |= {
        f"token program: {name}": {"echo": ORDINARY, "source": script}
        for name, script in programs()
    }
    cuts = range(TELLING, len(CANARY))
    kinds |= {
        f"{echo} cut at {end}": {"echo": ECHOES[echo], "text": CANARY[:end]}
        for echo in CUT
        for end in cuts
    }
    total = 0
    for kind in dice("kinds").sample([*kinds], size(len(kinds), 20)):
        options = kinds[kind]
        found = [sweep(name, **options) for name in COMMANDS]
        hits = [hit for one in found for hit in one.hits]
        places = sum(one.places for one in found)
        total += places
        with capsys.disabled():
            sys.stdout.write(f"{kind}: {len(found)} commands, {places} places, {len(hits)} hits\n")
        assert hits == []
    with capsys.disabled():
        sys.stdout.write(f"places searched: {total}\n")


@pytest.mark.parametrize("scheme", ["", "http://", "https://"])
def test_a_proxy_s_password_is_masked_in_a_traceback(
    scheme: str, unified: Unified, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"{scheme}user:pa%3Ass-w0rd@proxy.invalid:3128"

    def broken(setting: ProxySetting) -> None:
        raise RuntimeError(
            f"cannot use {setting.text}, {setting.url!s} with {setting.url.password}"
        )

    monkeypatch.setattr(ProxySetting, "url", property(broken))
    environ = {
        "UNIFIED_BASE_URL": "https://api.invalid",
        "UNIFIED_ACCOUNT_ID": "1",
        "UNIFIED_TOKEN": CANARY,
    }
    result = unified("-vv ticketing tickets list", environ={**environ, "HTTPS_PROXY": text})
    assert result.code == 1
    assert "cannot use" in result.stderr
    assert not [piece for piece in ("pa%3Ass-w0rd", "pa:ss-w0rd") if piece in result.stderr]
