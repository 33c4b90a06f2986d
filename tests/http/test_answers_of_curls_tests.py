"""The answers that curl is tested with: what curl refuses is not accepted.

    CURL_TEST_DATA=/path/to/curl/tests/data pytest -n0 -m long tests/http -k curls_tests

Curl's tests are not part of this project; without them this is skipped.
"""

import base64
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import unquote_to_bytes

import pytest
from answers import Curl, ours
from front_door import Unified
from installed import skip_without

VARIABLE = "CURL_TEST_DATA"
# In the order in which curl's own tests replace them.
MACROS: tuple[tuple[bytes, Callable[[re.Match[bytes]], bytes]], ...] = (
    (rb"%b64\[(.*?)\]b64%", lambda found: base64.b64encode(unquote_to_bytes(found[1]))),
    (rb"%hex\[(.*?)\]hex%", lambda found: unquote_to_bytes(found[1])),
    (rb"%repeat\[(\d+) x (.*?)\]%", lambda found: unquote_to_bytes(found[2]) * int(found[1])),
    (rb"%days\[.*?\]", lambda _: b"1900000000"),
    (rb"%(?:HOSTIP|CLIENTIP)", lambda _: b"127.0.0.1"),
    (rb"%[A-Z0-9]*PORT", lambda _: b"80"),
    (rb"%(CR|SP|TAB|AMP|GT|LT)\b", lambda found: SIGNS[found[1]]),
)
SIGNS = {b"CR": b"\r", b"SP": b" ", b"TAB": b"\t", b"AMP": b"&", b"GT": b">", b"LT": b"<"}
_SECTION = re.compile(rb"^<(data\d*)([^>\n]*)>\n(.*?)^</\1>", re.MULTILINE | re.DOTALL)
_CONDITION = re.compile(
    rb"^%if (!?).*?\n(.*?)(?:^%else\n(.*?))?^%endif\n", re.MULTILINE | re.DOTALL
)


def replies(file: Path) -> Iterator[tuple[str, bytes]]:
    """The answers of HTTP/1.x in one of curl's tests, each with its name."""
    reply = file.read_bytes().partition(b"<reply>")[2].partition(b"</reply>")[0]
    for found in _SECTION.finditer(reply):
        name, told, text = found.groups()
        # No feature is there.
        text = _CONDITION.sub(lambda one: (one[2] if one[1] else one[3]) or b"", text)
        for macro, meaning in MACROS:
            text = re.sub(macro, meaning, text, flags=re.DOTALL)
        text = text.replace(b"%TESTNUMBER", file.name.removeprefix("test").encode())
        if b'nonewline="yes"' in told:
            text = text.removesuffix(b"\n")
        if b"crlf=" in told:
            text = with_crlf(text, everywhere=b'crlf="yes"' in told)
        if text.startswith(b"HTTP/1."):
            yield f"{file.name} {name.decode()}", text
            # Many have bare line feeds, which are refused before the rest is looked at.
            if (other := with_crlf(text, everywhere=False)) != text:
                yield f"{file.name} {name.decode()} with CRLF", other


def with_crlf(text: bytes, *, everywhere: bool) -> bytes:
    """The answer with CRLF at the ends of its headers, or of all lines."""
    made, in_head = b"", True
    for line in text.splitlines(keepends=True):
        in_head = everywhere or in_head or line.startswith(b"HTTP/1.")
        ends_bare = in_head and line.endswith(b"\n") and not line.endswith(b"\r\n")
        made += line[:-1] + b"\r\n" if ends_bare else line
        in_head = in_head and line.strip(b"\r\n") != b""
    return made


@pytest.fixture
def given() -> dict[str, bytes]:
    """The answers of all of curl's tests."""
    skip_without("curl")
    folder = os.environ.get(VARIABLE)
    if not folder:
        pytest.skip(f"needs curl's own tests: {VARIABLE} names their folder tests/data")
    files = sorted(Path(folder).glob("test[0-9]*"))
    found = dict(one for file in files for one in replies(file))
    assert found, f"{folder} holds no answers"
    return found


@pytest.mark.long(nightly="needs curl's own tests")
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_answers_that_curl_refuses_are_refused(
    method: str, given: dict[str, bytes], unified: Unified, capsys: pytest.CaptureFixture[str]
) -> None:
    curl = Curl()
    try:
        theirs = curl.read([*given.values()], method)
        counts: Counter[str] = Counter()
        accepted = {}
        for number, (name, data) in enumerate(given.items()):
            mine = ours([data], method)
            refused = mine.refused
            if method == "GET":
                environ = {
                    "UNIFIED_BASE_URL": curl.origin,
                    "UNIFIED_TOKEN": "t-0123456789",
                    "UNIFIED_ACCOUNT_ID": "1",
                    "UNIFIED_RATE": "0",
                }
                command = f"request GET /{number} -o raw --retries 0 --timeout 20"
                done = unified(command, environ=environ)
                # The command prints the body, and no more.
                assert done.code != 0 or not refused or done.raw == b"", (name, mine)
                refused = refused if done.code == 0 else f"exit {int(done.code)}"
            by_curl = "refused" if theirs[number].refused else "read"
            counts[f"{by_curl} by curl, {refused or 'read'} here"] += 1
            if theirs[number].refused and not refused:
                accepted[name] = (theirs[number].refused, data[:300])
    finally:
        curl.close()
    with capsys.disabled():
        sys.stdout.write(f"\n{method}: {len(given)} answers of curl's tests\n")
        sys.stdout.writelines(f"{count:6} {what}\n" for what, count in counts.most_common())
    assert accepted == {}
