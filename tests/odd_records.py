"""Records that are spelled in every way that JSON has, and how a plain JSON parser
reads them.
"""

import json
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

HALVES = ["\ud800", "\udfff", "\ud83d", "\ude00"]
KEYS = [
    *(
        "_profile",
        "id",
        "result",
        "next_cursor",
        "_record",
        "_profile_served",
        "name",
        "status",
        "x",
        "",
        "a.b",
        "x[0]",
    ),
    *(
        "\x7f",
        "\x7fu005fprofile",
        "\x00",
        "\n",
        "\\",
        '"',
        "\\ud800",
        "<half 0>",
        "é",
        "😀",
        "id\x7f",
        "\ufffd",
    ),
    *HALVES,
    *(f"_profile{half}" for half in HALVES[:2]),
]
TEXTS = [
    *KEYS,
    *(
        "a",
        "b c",
        " ",
        "\x1f",
        "\r",
        "\t",
        "\u0085",
        "\u2028",
        "\ufeff",
        "u005f",
        "\\u005f",
        "{",
        "]",
        ",",
        ":",
        "=1",
    ),
    *("\\\\", "p0", "5", "null", "1.10", "\x7fud800", "?", "\\n", "\u202e", "\x1b[1m"),
]
NUMBERS = [
    "0",
    "-0",
    "5",
    "1.10",
    "1E+2",
    "-12345678901234567890",
    "0.1e-7",
    "100000000000000000000000000000.5",
    "1234567890123456789012345678901234567891",
    "10158500000000001",
]
_SHORT = {'"': '"', "\\": "\\", "/": "/", "\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t"}


class Number(NamedTuple):
    """A number, with its digits unchanged."""

    digits: str


class Pairs(NamedTuple):
    """An object with all its members, also those with repeated keys."""

    members: tuple[tuple[str, Any], ...]


def exact(text: str | bytes) -> Any:
    """All that a JSON text holds, in its order."""
    return json.loads(
        text,
        parse_int=Number,
        parse_float=Number,
        object_pairs_hook=lambda pairs: Pairs(tuple(pairs)),
    )


def plain(text: str | bytes) -> Any:
    """The value of a plain parser: for a repeated key the last one."""
    return json.loads(text, parse_int=Number, parse_float=Number)


class Speller:
    """Writes values as JSON, each time in another way."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.breaks = True
        """Whether there are line breaks between the parts."""

    def text(self, value: str) -> str:
        return '"' + "".join(self._character(one) for one in value) + '"'

    def _character(self, one: str) -> str:
        must = one in '"\\' or one < " " or "\ud800" <= one <= "\udfff"
        if not must and self.random.random() < 0.7:
            return one
        if one in _SHORT and self.random.random() < 0.5:
            return f"\\{_SHORT[one]}"
        units = one.encode("utf-16-be", "surrogatepass")
        form = self.random.choice(["%02x%02x", "%02X%02X"])
        return "".join(
            "\\u" + form % (high, low) for high, low in zip(units[::2], units[1::2], strict=True)
        )

    def blanks(self) -> str:
        return self.random.choice(
            ["", "", "", "", " ", "\t ", *(["\n", "\r\n"] if self.breaks else [])]
        )

    def object(self, members: Sequence[tuple[str, str]]) -> str:
        written = (
            f"{self.blanks()}{self.text(key)}{self.blanks()}:{self.blanks()}{value}"
            for key, value in members
        )
        return "{" + ",".join(f"{one}{self.blanks()}" for one in written) + "}"

    def array(self, items: Sequence[str]) -> str:
        return "[" + ",".join(f"{self.blanks()}{one}{self.blanks()}" for one in items) + "]"

    def value(self, depth: int = 0) -> str:
        kind = self.random.random()
        if kind < 0.5 or depth > 2:
            return self.text(
                "".join(self.random.choices(TEXTS, k=self.random.choice([0, 1, 1, 2, 3])))
            )
        if kind < 0.65:
            return self.random.choice(NUMBERS)
        if kind < 0.8:
            return self.random.choice(["null", "true", "false", "{}", "[]"])
        some = range(self.random.randrange(3))
        if kind < 0.9:
            return self.array([self.value(depth + 1) for _ in some])
        return self.object([(self.random.choice(KEYS), self.value(depth + 1)) for _ in some])

    def members(self, without: Sequence[str] = ()) -> list[tuple[str, str]]:
        keys = self.random.choices(
            [key for key in KEYS if key not in without], k=self.random.randrange(6)
        )
        keys += keys[: self.random.choice([0, 0, 0, 1, 2])]
        return [(key, self.value()) for key in keys]

    def records(self, number: int) -> Iterator[str]:
        """Records of any kind."""
        for _ in range(number):
            yield self.object(self.members())

    def named_records(self, number: int, *names: str) -> Iterator[str]:
        """Records each with an id of its own, after others that it may have; and with
        one of the names.
        """
        for at in range(number):
            members = self.members(("_profile",))
            if names:
                members.insert(
                    self.random.randint(0, len(members)),
                    ("_profile", self.text(self.random.choice(names))),
                )
            yield self.object([*members, ("id", self.text(f"r{at}"))])

    def ids(self, number: int) -> Iterator[str]:
        """Records with nothing but an id, which differ in a few characters."""
        letters = ["\\", "u", "d800", "\ud800", "\ud801", "D800", "\ufffd", "?", "a", "\U00010000"]
        for _ in range(number):
            yield self.object(
                [
                    (
                        "id",
                        self.text(
                            "".join(self.random.choices(letters, k=self.random.randrange(5)))
                        ),
                    )
                ]
            )

    def page(self, records: Sequence[str], onward: str | None) -> bytes:
        """A page of a list."""
        cursor = "null" if onward is None else self.text(onward)
        members = [("result", self.array(records)), ("next_cursor", cursor), ("more", self.value())]
        self.random.shuffle(members)
        return self.object(members).encode()
