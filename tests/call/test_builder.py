"""Whatever is typed, the server decodes exactly that, under the command's own method
and path; or nothing is sent.
"""

import io
import json
import unicodedata
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import httpx
import pytest
from faults.script import Listener, reply
from front_door import Unified
from hypothesis import example, given, settings, strategies as st
from server import Service

from unified_cli import app
from unified_cli.catalogue import Operation, load
from unified_cli.errors import UsageError
from unified_cli.masking import visible
from unified_cli.runtime import Runtime
from unified_cli.stderr import Stderr

CATALOGUE = load()
SERVICE = CATALOGUE.service
WITH_ID = [operation for operation in CATALOGUE if operation.takes_id]
TEXT = st.text(st.characters(exclude_categories=()), max_size=40)
NASTY = st.lists(
    st.sampled_from(
        [
            "..",
            "/",
            "%2e",
            "%",
            "?",
            "#",
            "&",
            "=",
            "+",
            ";",
            "\\",
            " ",
            "\n",
            "é",
            "\u202e",
            "a",
            "\x00",
        ]
    )
).map("".join)
TYPED = st.one_of(NASTY, TEXT)
EXTRA = {"delete": ["-y"], "write": ["-d", "{}"]}
"""The needs of an operation of a kind, beside its id."""
MANY = settings(max_examples=100, derandomize=True, database=None)
BASE = "http://127.0.0.1:9/base"
ENVIRON = {
    "UNIFIED_TOKEN": "t-0123456789",
    "UNIFIED_ACCOUNT_ID": "A1",
    "UNIFIED_RATE": "0",
    "UNIFIED_RETRIES": "0",
}


class Kept(httpx.BaseTransport):
    """Keeps the requests as they would go out, and answers each with a page."""

    def __init__(self) -> None:
        self.requests: list[httpx.Request] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return httpx.Response(
            200, headers={"Content-Type": "application/json"}, content=b'{"result":[]}'
        )


def run(argv: list[str], base: str = BASE, transport: Any = None) -> None:
    """Run a command line; UnifiedError for whatever goes wrong."""
    environ = {**ENVIRON, "UNIFIED_BASE_URL": base}
    runtime = Runtime(
        stdin=io.BytesIO(),
        stdout=io.BytesIO(),
        stderr=Stderr(None),
        environ=environ,
        folders={},
        transport=transport,
    )
    if work := app.read(argv, runtime, CATALOGUE):
        work()


def sent(argv: list[str]) -> httpx.Request | None:
    """Return the request of a command line, or None if it is refused as a matter of
    usage, before anything goes out.
    """
    kept = Kept()
    refusal = None
    try:
        run(argv, transport=lambda: kept)
    except UsageError as error:
        refusal = visible(error.message)
    if refusal is not None:
        assert kept.requests == []
        assert not any(
            unicodedata.category(letter) in {"Cc", "Cs", "Zl", "Zp"} for letter in refusal
        )
        return None
    (request,) = kept.requests
    return request


def decoded(target: bytes) -> tuple[list[str], list[tuple[str, str]]]:
    """A request's target as a server reads it: the segments of its path, and its
    query.
    """
    parts = urlsplit(target.decode("ascii"))
    assert parts.fragment == ""
    segments = [unquote(segment, errors="strict") for segment in parts.path.split("/")[1:]]
    query = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=True, errors="strict")
    return segments, query


def encodable(text: str) -> bool:
    return not any(unicodedata.category(letter) == "Cs" for letter in text)


def plain(text: str) -> bool:
    """Whether a text can be a segment of a path, and be seen by who types it."""
    unseen = any(unicodedata.category(letter) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for letter in text)
    return not unseen and text.strip() != "" and text not in {".", ".."}


@MANY
@given(operation=st.sampled_from(WITH_ID), identifier=TYPED)
@example(operation=WITH_ID[0], identifier="../users")
@example(operation=WITH_ID[0], identifier="%2e%2e")
def test_an_id_arrives_as_typed_under_the_commands_own_path(
    operation: Operation, identifier: str
) -> None:
    request = sent([*operation.command.split(), *EXTRA.get(operation.kind, []), "--", identifier])
    assert (request is not None) == plain(identifier)
    if request is not None:
        template = ["base", *operation.path.strip("/").split("/")]
        segments, query = decoded(request.url.raw_path)
        assert request.method == operation.method
        assert segments == [identifier if name == "{id}" else name for name in template]
        assert query == [(SERVICE.connection, "A1")]


@MANY
@given(name=TYPED.filter(lambda text: "=" not in text), value=TYPED, account=TYPED)
@example(name="created_at[gt]", value="2026-01-01T00:00:00+01:00", account="a&b")
def test_a_query_arrives_as_typed_and_the_connection_once(
    name: str, value: str, account: str
) -> None:
    request = sent(["ticketing", "tickets", "get", "1", f"-q{name}={value}", f"-a{account}"])
    fine = encodable(name) and encodable(value) and name.strip() != "" and plain(account.strip())
    # Such names are mistakes: a pasted address, or a comparison.
    fine = fine and not name.startswith("?") and not name.endswith(("<", ">", "!"))
    assert (request is not None) == (fine and name.partition("[")[0] != SERVICE.connection)
    if request is not None:
        segments, query = decoded(request.url.raw_path)
        assert segments == ["base", "unified", "ticketing", "tickets", "1"]
        assert query == [(SERVICE.connection, account.strip()), (name, value)]


@MANY
@given(cursor=TYPED.filter(lambda text: text != "" and not text.startswith("after:")))
@example(cursor="https://evil.example/x?next_cursor=2")
@example(cursor="c" * 8192)
def test_a_cursor_arrives_as_typed_in_its_parameter_only(cursor: str) -> None:
    request = sent(["ticketing", "tickets", "list", f"--cursor={cursor}"])
    assert (request is not None) == encodable(cursor)
    if request is not None:
        segments, query = decoded(request.url.raw_path)
        assert segments == ["base", "unified", "ticketing", "tickets"]
        assert sorted(query) == sorted([(SERVICE.connection, "A1"), (SERVICE.cursor, cursor)])


NUMBERS = st.one_of(
    st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.booleans(), st.none()
)
WORDS = st.text(st.characters(exclude_categories=["Cs"]))
JSON = st.recursive(
    st.one_of(NUMBERS, WORDS),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(WORDS, inner)),
    max_leaves=20,
)


@MANY
@given(value=JSON, indent=st.sampled_from([None, 1]), ascii_only=st.booleans())
def test_a_body_arrives_byte_for_byte(
    value: object, indent: int | None, *, ascii_only: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    request = sent(["ticketing", "tickets", "update", "1", f"-d{text}"])
    if text.startswith("@") or text == "-":
        return
    assert request is not None
    assert (request.method, request.read()) == ("PATCH", text.encode())
    assert request.headers["content-length"] == str(len(text.encode()))
    assert decoded(request.url.raw_path) == (
        ["base", "unified", "ticketing", "tickets", "1"],
        [(SERVICE.connection, "A1")],
    )


@MANY
@given(
    name=TYPED.filter(lambda text: text != "" and not set("[]=") & set(text)),
    value=TYPED,
)
def test_a_field_arrives_as_the_text_it_was_typed_as(name: str, value: str) -> None:
    request = sent(["ticketing", "tickets", "create", f"-f{name}={value}"])
    if request is None:
        assert not encodable(name + value)
    else:
        assert json.loads(request.read()) == {name: value}


@settings(MANY, max_examples=30)
# A dash alone is no id but says that ids come through a pipe.
@given(
    identifier=TYPED.filter(lambda text: plain(text) and text != "-"), value=TYPED.filter(encodable)
)
def test_the_same_holds_on_a_real_connection(identifier: str, value: str) -> None:
    listener = Listener([reply(b"{}")])
    listener.start({})
    try:
        command = [
            "ticketing",
            "tickets",
            "update",
            f"-qx={value}",
            f"-fa={value}",
            "--",
            identifier,
        ]
        run(command, f"http://127.0.0.1:{listener.port}")
    finally:
        listener.stop()
    (raw,) = listener.requests
    head, _, body = raw.partition(b"\r\n\r\n")
    method, target, version = head.split(b"\r\n")[0].split(b" ")
    assert (method, version) == (b"PATCH", b"HTTP/1.1")
    segments, query = decoded(target)
    assert segments == ["unified", "ticketing", "tickets", identifier]
    assert query == [(SERVICE.connection, "A1"), ("x", value)]
    assert json.loads(body) == {"a": value}


WRITES = [one for one in CATALOGUE if one.kind == "write" and not one.required_parameters]


@pytest.mark.parametrize("operation", WRITES, ids=lambda one: one.command)
def test_a_write_of_nothing_is_refused(
    operation: Operation, unified: Unified, service: Service
) -> None:
    words = [*operation.command.split(), *(["42"] if operation.takes_id else [])]
    result = unified(words, environ=service.environ)
    assert (result.code, service.seen) == (2, [])
    assert result.stderr.startswith(
        "error: nothing to send: give a body with -d, -f or -F (--skeleton"
    )
    assert unified([*words, "-d", "{}"], environ=service.environ).code == 0
    assert service.seen[0].body == b"{}"
