"""The fuzzed functions: one for each parser, from bytes to nothing; the only error it
may raise is a UnifiedError.
"""

import contextlib
import json
import tempfile
from collections.abc import Mapping
from functools import cache
from io import BytesIO
from pathlib import Path

import httpx
from front_door import Clock
from fuzz import wire
from fuzz.target import Target

from unified_cli.call import download_targets
from unified_cli.catalogue import CatalogueError, load
from unified_cli.catalogue.extend import extended
from unified_cli.commands import COMMANDS
from unified_cli.config import file, profiles, resolution
from unified_cli.config.file import Config
from unified_cli.config.keys import Overrides
from unified_cli.errors import UnifiedError
from unified_cli.exported.checkpoint import Checkpoint
from unified_cli.exported.export_state import verify
from unified_cli.exported.local_folder import LocalFolder
from unified_cli.exported.manifest import Manifest
from unified_cli.fleet.clients import Clients
from unified_cli.http import decoding, page_body, pagination, request as requests, request_body
from unified_cli.http.client import Client
from unified_cli.http.pagination import Span
from unified_cli.http.request import OWN_CURSOR, Content, Request, Scope
from unified_cli.http.response import Response
from unified_cli.main import main
from unified_cli.masking import masked
from unified_cli.output import formats
from unified_cli.runtime import Runtime
from unified_cli.stderr import Stderr
from unified_cli.storage.names import folded
from unified_cli.writes import input_file
from unified_cli.writes.import_journal import Counterpart, ImportHeader, ImportJournal
from unified_cli.writes.input_reading import ReadingOptions, RecordShape
from unified_cli.writes.input_records import ItemRules, items

CATALOGUE = load()
SERVICE = CATALOGUE.service
LISTING = CATALOGUE.operation("voice", "calls", "list")
ENVIRON = {
    "UNIFIED_BASE_URL": "http://127.0.0.1",
    "UNIFIED_ACCOUNT_ID": "acct-1",
    "UNIFIED_TOKEN": "t-0123456789",
    "UNIFIED_RATE": "0",
    "UNIFIED_RETRIES": "0",
    "UNIFIED_TIMEOUT": "1",
}
FORMATS = formats.names(formats.RESULTS)
TYPES = (
    b"application/json",
    b"text/html",
    b"text/plain; charset=latin-1",
    b"",
    b"application/json; charset=utf-16",
)
CODINGS = (b"", b"", b"gzip", b"br", b"gzip, gzip")
STATUSES = (200, 200, 201, 204, 206, 302, 400, 401, 404, 416, 429, 500, 503, 599)


class _Ticking(Clock):
    """Time that also passes when it is asked for, so that no wait for nothing lasts for
    ever.
    """

    def now(self) -> float:
        self.at += 0.25
        return self.at


def _runtime(answer: httpx.MockTransport | None = None, **more: object) -> Runtime:
    clock = _Ticking()
    known = {
        "stdin": BytesIO(b"{}"),
        "stdout": BytesIO(),
        "stderr": Stderr(None),
        "environ": ENVIRON,
        "folders": {},
        "monotonic": clock.now,
        "sleep": clock.sleep,
        "transport": (lambda: answer) if answer else None,
    }
    return Runtime(**{**known, **more})  # type: ignore[arg-type]


@cache
def _folder() -> Path:
    place = Path("/dev/shm")
    return Path(tempfile.mkdtemp(prefix="fuzz-", dir=place if place.is_dir() else None))


def _put(name: str, content: bytes) -> Path:
    path = _folder() / name
    path.write_bytes(content)
    path.chmod(0o600)
    return path


class _Service:
    """Answers each request with the set bytes, to a client that lives as long as the
    process.
    """

    def __init__(self) -> None:
        self.response = httpx.Response(200)
        runtime = _runtime(httpx.MockTransport(lambda _: self.response))
        settings = resolution.resolve(Overrides(), runtime, Config(None))
        self.scope = Scope(*settings.reachable(), SERVICE)
        self.client: Client = Clients(runtime, CATALOGUE).open(settings)
        self._sleep = runtime.sleep

    def request(self) -> Request:
        """A request that waits for no limit that an input before it has closed."""
        self._sleep(3600)
        return requests.for_operation(self.scope, LISTING, None, Content())


@cache
def _service() -> _Service:
    return _Service()


def _headers(choices: bytes) -> list[tuple[bytes, bytes]]:
    kind, coding = TYPES[choices[0] % len(TYPES)], CODINGS[choices[1] % len(CODINGS)]
    chosen = {b"content-type": kind, b"content-encoding": coding}
    return [(name, value) for name, value in chosen.items() if value]


def response(data: bytes) -> None:
    """The first three bytes choose status, type and coding; a line of headers may
    follow, then the body.
    """
    choices, (line, _, body) = data[:3].ljust(3, b"\0"), data[3:].partition(b"\n")
    name, _, value = line.partition(b":")
    headers = _headers(choices[1:])
    with contextlib.suppress(ValueError):
        headers += httpx.Headers([(name, value.strip())]).raw if name and name.isascii() else []
    service = _service()
    service.response = httpx.Response(
        STATUSES[choices[0] % len(STATUSES)], headers=headers, stream=httpx.ByteStream(body)
    )
    answer = service.client.send(service.request(), page=True)
    for _ in answer.chunks:
        pass


def error_body(data: bytes) -> None:
    service = _service()
    kind = [(b"content-type", b"application/json")]
    status = STATUSES[data[0] % len(STATUSES)] if data else 400
    service.response = httpx.Response(status, headers=kind, stream=httpx.ByteStream(data[1:]))
    service.client.send(service.request())


def page(data: bytes) -> None:
    """A page through the whole program, in the format that the first byte chooses."""
    form, body = FORMATS[data[0] % len(FORMATS)] if data else "json", data[1:]
    kind = {"content-type": "application/json"}
    answer = httpx.MockTransport(
        lambda _: httpx.Response(200, headers=kind, stream=httpx.ByteStream(body))
    )
    said = BytesIO()
    code = main(
        ["voice", "calls", "list", "-o", form, "--limit", "3"],
        _runtime(answer, stderr=Stderr(said)),
    )
    assert code != 1, said.getvalue()


def journal(data: bytes) -> None:
    header = ImportHeader("i", "f", 1, "s")
    opened = ImportJournal.open(
        _put("journal", data), header, Counterpart("g", is_replay=True), highest=9, restart=False
    )
    with contextlib.closing(opened):
        for number in range(10):
            opened.state(number)
            opened.sent(number)


def manifest(data: bytes) -> None:
    path = _put("manifest.json", data)
    with contextlib.suppress(UnifiedError):
        verify(LocalFolder(_runtime(), path.parent))
    found = Manifest.from_text(path.read_bytes(), path.name, str(path.parent))
    found.complete  # noqa: B018  a property that reads
    found.text()


def checkpoint(data: bytes) -> None:
    """Unchanged, and for an object also with the sum that belongs to it."""
    with contextlib.suppress(UnifiedError):
        Checkpoint.from_text(data, Path("c"))
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return
    if isinstance(found, dict):
        Checkpoint.from_text(_summed(found), Path("c")).text()


def _summed(found: dict[str, object]) -> bytes:
    from unified_cli.exported import (  # noqa: PLC0415  its name is that of a target
        checkpoint as module,
    )

    found.pop("sum", None)
    return json.dumps({**found, "sum": module._sum(found)}).encode()


def records(data: bytes) -> None:
    """An input file in the format that the first byte chooses, as records to create and
    as ids to update.

    Also where records name their connection: no record may get to a connection that is
    not selected.
    """
    suffix = ("ndjson", "csv", "json", "txt", "tsv")[data[0] % 5] if data else "ndjson"
    path = _put(f"input.{suffix}", data[1:])
    for name in ("create", "update"):
        operation = CATALOGUE.operation("ticketing", "tickets", name)
        with (
            contextlib.suppress(UnifiedError),
            contextlib.closing(
                input_file.examine(
                    path, RecordShape.from_operation(operation, SERVICE), ReadingOptions()
                )
            ) as source,
        ):
            for profiles_of_records in (None, ("acme",)):
                rules = ItemRules(operation, SERVICE, profiles=profiles_of_records)
                for item in items(source.lines(), rules):
                    if not item.wrong:
                        assert item.profile == (profiles_of_records and "acme")
                        item.hash, item.key  # noqa: B018  properties that compute


def config(data: bytes) -> None:
    found = file.parse(Path("config.toml"), data)
    runtime = _runtime(environ={})
    for name in (None, *profiles.select(found, ["*"])):
        with contextlib.suppress(UnifiedError):
            resolution.resolve(Overrides(name), runtime, found).reachable()


def catalogue(data: bytes) -> None:
    """As `catalogue.d` is read, where a CatalogueError becomes a warning."""
    try:
        text = data.decode()
        grown, _ = extended(CATALOGUE, text, "own.toml", COMMANDS)
    except (UnicodeDecodeError, CatalogueError):
        return
    for operation in grown:
        operation.path, operation.facts  # noqa: B018  properties that compute


def fields(data: bytes) -> None:
    """Words separated by NUL: the first is `-d`, the others `-f` and `-F` in turn."""
    words = [word.decode("utf-8", "surrogateescape") for word in data.split(b"\0")]
    if any("@" in word for word in words):
        return
    template = words[0] or None
    request_body.compose(template, request_body.fields(words[1::2], words[2::2]), _runtime())


def cursor(data: bytes) -> None:
    """A page's cursor as JSON, followed; and the same bytes as `--cursor`."""
    service = _service()
    body = b'{"result":[{"id":1},{"id":2}],"next_cursor":%s}' % data
    try:
        decoding.text(body, None)
    except decoding.DamageError:
        # No answer that is not UTF-8 is split.
        body = b"[]"
    answer = Response(200, httpx.Headers(), body, page=page_body.split(body, SERVICE))

    def send(request: Request, *, page: bool) -> Response:
        del page
        assert request.target.isascii()
        return answer

    typed = data.decode("utf-8", "surrogateescape")
    for span in (Span(records=3), Span(typed, pages=2), Span(f"{OWN_CURSOR}{typed}", pages=2)):
        with contextlib.suppress(UnifiedError):
            for found in pagination.pages(send, service.request(), SERVICE, span):
                assert len(found.records) <= 2


def names(data: bytes) -> None:
    """File names that a server proposes, by header and by URL."""
    header, url = data.decode("latin-1"), data.decode("utf-8", "surrogateescape")
    name = download_targets.safe_name(
        masked(download_targets.from_header(header)),
        masked(download_targets.from_url(url)),
        masked(header),
    )
    assert name not in {"", ".", ".."}
    assert not {*name} & {"/", "\\", "\0", "\n"}
    assert len(name.encode()) <= 255
    folded(download_targets.numbered(name, 2))


_PAGE = (
    b'{"result":[{"id":"1","name":"\xc3\xa4","tags":["x",{"a":1.10}]},{"id":2}],'
    b'"next_cursor":"c","is_partial_response":true}'
)
_ERROR = (
    b'{"statusCode":422,"error":"Unprocessable","message":["a",1],"is_remote_error":true,'
    b'"truto_error_insight":{"missing":{"value":["b"]}},"details":{"failures":["c"]}}'
)
_CONFIG = (
    b'base_url = "https://api.example.com"\ntimeout = 3.5\nprofile = "acme"\ntoken_command = ["a",'
    b' "b"]\n[profiles.acme]\naccount_id = "1"\ntags = ["eu"]\nread_only = true\nretries ='
    b' 2\nca_bundle = "x"\n'
)
_CATALOGUE = (
    b'[api.falconry]\ntitle = "C"\nabout = "D"\n[api.falconry.resources]\ndeals = "list get"\n'
    b'contacts = { operations = "crud merge", one = "a contact", about = "P" }\n'
    b'[api.voice.actions]\n"calls dial" = "Dial"\n[known.falconry.contacts]\n'
    b'fields = "id company:object>companies'
    b' stage=lead|customer"\n'
)
_JOURNAL = (
    b'{"import_id":"i","fingerprint":"f","size":1,"sha256":"s","v":1}\n{"s":"sent","n":1,"h":"a","k":"k","t":1.5}\n'
    b'{"s":"ok","n":1,"id":"7","status":201}\n{"s":"sent","n":2,"h":"b","k":"l","t":2}\n{"s":"failed","n":2,"why":"no"}\n'
)
_ENTRY = (
    b'{"file":"acme/voice/calls.ndjson","profile":"acme","account_id":"1","origin":"https://a","api":"voice",'
    b'"resource":"calls","fingerprint":"f","records":1,"bytes":2,"sha256":"0","complete":true,"offered":true,"why":null}'
)
_MANIFEST = b'{"v":1,"started":"2026","shard":null,"ended":null,"files":[' + _ENTRY + b"]}"
_HEADER = b"attachment; filename=\"a.pdf\"; filename*=utf-8''b%20%c3%a4.pdf"

TARGETS: Mapping[str, Target] = {
    "response": Target(
        response,
        (b"\0\0\0retry-after: 3\n" + _PAGE, b"\x06\0\0\n" + _ERROR, b"\0\0\x02\n\x1f\x8b\x08"),
    ),
    "page": Target(page, (b"\0" + _PAGE, b"\x02" + _PAGE, b"\x05" + _PAGE, b"\x04[1]")),
    **wire.TARGETS,
    "error body": Target(
        error_body, (b"\0" + _PAGE, b"\x06" + _ERROR, b"\x0c<title>Gone</title>", b"\0" + _ERROR)
    ),
    "journal": Target(journal, (_JOURNAL, _JOURNAL[:-9])),
    "manifest": Target(manifest, (_MANIFEST,)),
    "checkpoint": Target(
        checkpoint, (Checkpoint(fingerprint="f", started="2026-01-01", next_cursor="c").text(),)
    ),
    "records": Target(
        records,
        (
            b'\0{"id":"1","a":2}\n{"id":3}\n',
            b'\0{"_profile":"acme","id":"1"}\n{"id":3,"_prof\\u0069le":"acme"}\n',
            b'\x01id,name\n1,"a\nb"\n',
            b'\x02[{"id":1}, {"id":2}]',
            b"\x03a\nb\n",
        ),
    ),
    "config": Target(config, (_CONFIG,)),
    "catalogue.d": Target(catalogue, (_CATALOGUE,)),
    "fields": Target(
        fields, (b'{"a":{"b":[1]}}\0a[b][]=x\0c={"d":1.10}\0e=f\0g=null', b"\0a[][b]=1\0a[][c]=2")
    ),
    "cursor": Target(cursor, (b'"abc"', b"null", b'"\\ud83d"', b"3:abc")),
    "file name": Target(names, (_HEADER, b"https://h/a/b%2Fc.pdf?x=1", b"CON.txt")),
}
