"""Random answers are read as h11 and curl read them, but for known differences."""

import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from answers import Curl, Outcome, made, of_h11, ours
from campaigns import dice, size
from installed import skip_without

# Answers refused here and read by one of the others: each reason with why.
_LLHTTP = (
    "llhttp refuses it, and what one parser refuses is refused: two that disagree can be played off"
    " against each other"
)
STRICTER = {
    "Data after `Connection: close`": (
        "llhttp refuses it, which ended the headers at a bare LF; so do h11 and curl"
    ),
    "Duplicate Content-Length": f"{_LLHTTP}; h11 takes `2` and `2, 2`, or one in a trailer",
    "Invalid character in Content-Length": (
        f"{_LLHTTP}; h11 takes `2, 2`, curl the digits that it finds"
    ),
    "Content-Length overflow": (
        f"{_LLHTTP}; h11 takes 20 digits, curl reads to the end of the connection"
    ),
    "Empty Content-Length": f"{_LLHTTP}; curl reads to the end of the connection",
    "Empty Transfer-Encoding": f"{_LLHTTP}; curl passes over it",
    "Expected HTTP/, RTSP/ or ICE/": f"{_LLHTTP}; curl takes `http/`, h11 a bare LF before a body",
    "Expected HTTP/": "the same, as older versions of llhttp say it",
    "Expected space after version": f"{_LLHTTP}; curl takes any bytes there",
    "Expected dot": f"{_LLHTTP}; curl takes HTTP/2 without an h2 connection",
    "Expected LF after CR": f"{_LLHTTP}; curl ends lines at the LF, whatever is before it",
    "Expected LF after chunk data": f"{_LLHTTP}; curl as above",
    "Expected LF after chunk size": f"{_LLHTTP}; h11 and curl take an extension with a CR in it",
    "Expected LF after headers": f"{_LLHTTP}; curl ends headers at a CR",
    "Invalid HTTP version": f"{_LLHTTP}; h11 takes HTTP/1.2",
    "Invalid major version": f"{_LLHTTP}; curl takes a version of any bytes",
    "Invalid minor version": f"{_LLHTTP}; as above",
    "Invalid character in chunk extensions": f"{_LLHTTP}; h11 and curl skip any bytes there",
    "Invalid character in chunk extensions name": f"{_LLHTTP}; as above",
    "Invalid character in chunk extensions value": f"{_LLHTTP}; as above",
    "Invalid character in chunk extensions quote value": f"{_LLHTTP}; as above",
    "Invalid character in chunk extensions quoted value": f"{_LLHTTP}; as above",
    "Invalid character in chunk size": f"{_LLHTTP}; h11 and curl take blanks after the size",
    "Chunk size overflow": f"{_LLHTTP}; h11 takes 20 digits",
    "Invalid header field char": f"{_LLHTTP}; h11 and curl end lines at a bare LF",
    "Invalid header token": f"{_LLHTTP}; curl takes headers of any bytes",
    "Invalid header value char": f"{_LLHTTP}; h11 and curl end lines at a bare LF",
    "Invalid response status": f"{_LLHTTP}; curl takes `200OK`",
    "Invalid status code": f"{_LLHTTP}; curl takes two blanks before it",
    "Missing expected CR after chunk data": f"{_LLHTTP}; curl ends lines at a bare LF",
    "Missing expected CR after chunk size": f"{_LLHTTP}; as above",
    "Missing expected CR after chunk extension name": f"{_LLHTTP}; as above",
    "Missing expected CR after chunk extension value": f"{_LLHTTP}; as above",
    "Missing expected CR after header value": f"{_LLHTTP}; h11 and curl end lines at a bare LF",
    "Missing expected CR after response line": f"{_LLHTTP}; as above",
    "Missing expected LF after header value": f"{_LLHTTP}; curl takes a CR within a header",
    "Unexpected whitespace after header value": f"{_LLHTTP}; h11 and curl unfold lines",
    "Unexpected space after start line": (
        f"{_LLHTTP}; curl passes over a line that continues nothing"
    ),
    "its status line or a header is malformed": (
        "h11 refuses it, but for bare line feeds and folded lines"
    ),
    "its headers are cut short": (
        "curl takes any end for that of the headers, h11 a bare LF within the line end"
    ),
    "its last chunk is missing": (
        "curl stops at the size of the last chunk, h11 takes a bare LF after it"
    ),
    "its transfer coding is not chunked": (
        "h11 refuses it; curl undoes gzip, and passes over what it does not know"
    ),
    "it switches to a protocol that was not requested": (
        "h11 refuses it; curl takes 101 for the answer"
    ),
    "its trailers define the length of the body": (
        "as RFC 9110 forbids it; h11 takes a length there that is a number"
    ),
    "N of N bytes were received": (
        "curl reads to the end of the connection where the length is more than a file can have"
    ),
    "its length has too many digits": (
        "h11 refuses more than 20 digits; curl takes any number of zeros"
    ),
}


# Answers read here and refused by one of the others.
LAXER = {
    "curl ends with 56": (
        "the size of a chunk has more than 16 digits, zeros before it; h11 and llhttp read it"
    )
}
_COUNTS = re.compile(r"^\d+ of \d+")


def difference(mine: Outcome, theirs: Outcome) -> str:
    """Why two readings differ; empty where they agree."""
    if mine.refused and theirs.refused:
        return ""
    if mine.refused or theirs.refused:
        return _COUNTS.sub("N of N", mine.refused) or theirs.refused
    return "" if mine[:2] == theirs[:2] else "read otherwise by another"


def batches(chance: random.Random, number: int, largest: int) -> Iterator[tuple[str, list[bytes]]]:
    """This many answers, each batch to requests of one method."""
    for start in range(0, number, largest):
        method = "HEAD" if chance.random() < 0.1 else "GET"
        yield method, [made(chance) for _ in range(min(largest, number - start))]


def check(chance: random.Random, method: str, data: bytes) -> Outcome:
    """The reading of the answer, which is the same in any pieces."""
    whole = ours([data], method)
    cuts = sorted(chance.choices(range(len(data) + 1), k=chance.randrange(5)))
    pieces = [data[start:end] for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True)]
    other = ours(pieces, method)
    assert (bool(whole.refused), *whole[:3]) == (bool(other.refused), *other[:3]), (
        data,
        pieces,
        whole,
        other,
    )
    return whole


def compare(
    chance: random.Random, number: int, readers: Callable[[list[bytes], str], list[list[Outcome]]]
) -> tuple[int, Counter[str]]:
    """Read this many answers by all; returns how many were read and not refused, and
    the differences by their reasons.
    """
    read = 0
    listed: Counter[str] = Counter()
    unlisted = {}
    for method, answers in batches(chance, number, 1000):
        others = readers(answers, method)
        for position, data in enumerate(answers):
            mine = check(chance, method, data)
            read += not mine.refused
            for theirs in others:
                reason = difference(mine, theirs[position])
                listed[reason] += 1
                if reason not in ("", *(STRICTER if mine.refused else LAXER)):
                    unlisted[reason] = (method, data, mine, theirs[position])
    assert unlisted == {}
    del listed[""]
    return read, listed


def by_h11(answers: list[bytes], method: str) -> list[list[Outcome]]:
    """The readings of h11, which keeps each connection that is kept here."""
    found = [of_h11(data, method) for data in answers]
    for data, theirs in zip(answers, found, strict=True):
        mine = ours([data], method)
        assert theirs.kept or not mine.kept, (method, data, mine, theirs)
    return [found]


@pytest.fixture
def curl() -> Iterator[Curl]:
    skip_without("curl")
    made = Curl()
    yield made
    made.close()


def test_answers_are_read_as_h11_reads_them() -> None:
    read, _ = compare(random.Random(1), 2000, by_h11)
    assert read > 200


def test_answers_are_read_as_curl_reads_them(curl: Curl) -> None:
    read, _ = compare(random.Random(2), 300, lambda answers, method: [curl.read(answers, method)])
    assert read > 30


@pytest.mark.long(seconds=25)
def test_many_answers_are_read_as_h11_and_curl_read_them(
    curl: Curl, capsys: pytest.CaptureFixture[str]
) -> None:
    number = size(500_000, 10_000)

    def both(answers: list[bytes], method: str) -> list[list[Outcome]]:
        return [*by_h11(answers, method), curl.read(answers, method)]

    read, differences = compare(dice("answers"), number, both)
    assert read > number // 10
    with capsys.disabled():
        sys.stdout.write(f"\nanswers: {number}, of which {read} were read and the others refused\n")
        sys.stdout.writelines(
            f"{count:7} {reason}\n" for reason, count in differences.most_common()
        )
