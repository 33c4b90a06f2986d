"""The colours of JSON: every part has its own, and without them the text is what a pipe
gets.
"""

import io
import re
from typing import Any

import pytest
from campaigns import size
from front_door import Unified
from hypothesis import given, settings, strategies as st
from pages import by_cursor, envelope
from server import Reply, Service

GET = "ticketing tickets get 1"
KIB = 1024
STYLES = {
    "key": "1;94",
    "string": "32",
    "number": "95",
    "true": "3;32",
    "false": "3;91",
    "null": "3;95",
    "brace": "1",
    "": "",
}
COLOUR = re.compile(r"\x1b\[([0-9;]*)m")
NUMBERS = ["0", "-0", "1.10", "1E5", "-2.50e-7", "1e+400", "123456789012345678901", "9" * 5000]
# Each is a piece of a string as JSON has it: what looks like JSON, like markup, and
# escapes; wide characters; and text that must not reach a terminal.
PIECES = [
    *("a", " ", "1", "true", "null", "{", "]", ",", ":", "//", "0x1f", "-", "b'", "\\\\", '\\"'),
    *("[bold]", "[/]", ":smile:", "\\n", "\\t", "\\u001b", "\\ud83d", "\\/", "é", "漢字", "😀"),
    *("e\u0301", "\x7f", "\x9b", "\u202e", "\u200b", "\ufeff", "x" * 90, "y" * 17 * KIB),
]
Part = tuple[str, str]
"""Its kind, and its text."""

STRING = st.lists(st.sampled_from(PIECES), max_size=4).map(lambda found: f'"{"".join(found)}"')
BLANK = st.sampled_from(["", "", "", " ", "  ", "\t", "\n", "\r\n", "\n\t", "\r"])


def blank() -> st.SearchStrategy[list[Part]]:
    return BLANK.map(lambda text: [("", text)])


def joined(*parts: st.SearchStrategy[list[Part]]) -> st.SearchStrategy[list[Part]]:
    return st.tuples(*parts).map(lambda found: [one for part in found for one in part])


def one(kind: str, text: str) -> st.SearchStrategy[list[Part]]:
    return st.just([(kind, text)])


def listed(
    start: str, end: str, item: st.SearchStrategy[list[Part]], most: int = 3
) -> st.SearchStrategy[list[Part]]:
    def separated(items: list[list[Part]]) -> list[Part]:
        return [
            part for at, item in enumerate(items) for part in [*([("", ",")] * (at > 0)), *item]
        ]

    return joined(
        one("brace", start),
        blank(),
        st.lists(item, max_size=most).map(separated),
        one("brace", end),
    )


def members(value: st.SearchStrategy[list[Part]]) -> st.SearchStrategy[list[Part]]:
    key = STRING.map(lambda text: [("key", text)])
    return joined(blank(), key, blank(), one("", ":"), blank(), value, blank())


SCALAR = st.one_of(
    STRING.map(lambda text: [("string", text)]),
    st.sampled_from(NUMBERS).map(lambda text: [("number", text)]),
    st.sampled_from(["true", "false", "null"]).map(lambda text: [(text, text)]),
)
VALUE = st.recursive(
    SCALAR,
    lambda value: (
        listed("[", "]", joined(blank(), value, blank())) | listed("{", "}", members(value))
    ),
    max_leaves=12,
)
DOCUMENT = listed("{", "}", members(VALUE), most=6).filter(
    lambda document: sum(len(text.encode()) for _, text in document) < 256 * KIB
)


def on_a_terminal(text: str) -> str:
    """How a terminal gets some JSON: the same value, but nothing that could drive
    it.
    """
    text = re.sub("[\x7f\x9b\u202e\u200b\ufeff]", lambda found: f"\\u{ord(found[0]):04x}", text)
    return re.sub("\r(?!\n)", " ", text)


def plain(text: str) -> str:
    return COLOUR.sub("", text)


def characters(text: str) -> list[Part]:
    """Each character that is not blank, and the colour that a terminal gives it."""
    found, style = [], ""
    for at, part in enumerate(COLOUR.split(text)):
        if at % 2:
            style = part.removeprefix("0")
        else:
            found += [(style, character) for character in part if not character.isspace()]
    return found


def coloured(document: list[Part]) -> list[Part]:
    """The same of a document, by what its parts are."""
    return [
        (STYLES[kind], one)
        for kind, text in document
        for one in on_a_terminal(text)
        if not one.isspace()
    ]


def check(document: list[Part], unified: Unified, service: Service) -> None:
    body = "".join(text for _, text in document)
    service.reply = lambda _: Reply(200, body.encode())
    environ = service.environ
    piped = unified(GET, environ=environ)
    assert (piped.raw, piped.code) == (body.encode() + b"\n", 0)

    in_colour = unified(f"{GET} --color always", environ=environ)
    assert plain(in_colour.stdout) == on_a_terminal(f"{body}\n")
    assert characters(in_colour.stdout) == coloured(document)

    pretty = unified(f"{GET} --pretty", environ=environ).stdout
    shown = unified(GET, environ=environ, tty=True).stdout
    assert plain(shown) == on_a_terminal(pretty)
    assert unified(GET, environ={**environ, "NO_COLOR": "1"}, tty=True).stdout == plain(shown)


@settings(max_examples=30)
@given(document=DOCUMENT)
def test_every_part_has_its_colour_and_the_text_is_that_of_a_pipe(
    document: list[Part], unified: Unified, service: Service
) -> None:
    check(document, unified, service)


@pytest.mark.long(seconds=20)
@settings(max_examples=size(5_000, 200))
@given(document=DOCUMENT)
def test_every_part_of_many_documents_has_its_colour(
    document: list[Part], unified: Unified, service: Service
) -> None:
    check(document, unified, service)


def test_a_key_stays_with_its_colon_on_the_next_line(unified: Unified, service: Service) -> None:
    long = f'"{"x" * 9 * KIB}"'
    document = [("brace", "["), ("string", long), ("", ",\n"), ("brace", "{")]
    document += [("key", long), ("", "\n:"), ("number", "1"), ("brace", "}"), ("brace", "]")]
    check(document, unified, service)


# A highlighter that tries every split of the digits takes minutes for this.
@pytest.mark.timeout(60)
def test_numbers_without_an_end_are_coloured_as_quickly_as_others(
    unified: Unified, service: Service
) -> None:
    number = "1" * 16_000 + "E5"
    numbers = "\n,".join([number] * 15)
    service.reply = lambda _: Reply(200, f"[{numbers}]".encode())
    shown = unified(f"{GET} --color always", environ=service.environ).stdout
    assert shown.count(f"\x1b[95m{number}\x1b[0m") == 15


class Writes(io.BytesIO):
    """Remembers what was written at once."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def write(self, data: Any, /) -> int:
        self.texts.append(bytes(data).decode())
        return super().write(data)


@pytest.mark.parametrize("how", ["", "--all", "--all -o ndjson", "--jq .result[]"])
def test_the_first_256_kib_are_coloured_in_pieces_and_the_rest_is_plain(
    how: str, unified: Unified, service: Service
) -> None:
    record = f'{{"id": "1", "name": "{"é" * 400}"}}'
    pages = [envelope(f"[{','.join([record] * 400)}]".encode(), f'"c{at}"') for at in (1, 2)]
    by_cursor(service, {None: pages[0], "c1": pages[1], "c2": envelope(b"[]")})
    stdout = Writes()
    environ = {**service.environ, "UNIFIED_RATE": "0"}
    unified(f"ticketing tickets list {how}", environ=environ, tty=True, stdout=stdout)
    text = "".join(stdout.texts)
    end = len(plain(text[: text.rindex("\x1b")]).encode())
    assert 240 * KIB < end <= 257 * KIB
    if "--jq" not in how:
        assert max(len(plain(text).encode()) for text in stdout.texts) <= 16 * KIB
