"""Whatever an error's text is, its status is printed, with an excerpt that is short and
harmless.
"""

from faults.case import LIST, PAGE, Case, envelope, failure, listing
from faults.script import reply

LATIN_1 = '{"statusCode":400,"error":"Bad","message":"Größe"}'.encode("latin-1")
LARGE = b"x" * 1_000_000

CASES = {
    "empty, with what the provider said": Case(
        LIST,
        [failure(400, "", raw_response={"why": "a\u202eb"})],
        exit=4,
        stderr=[r'{"why":"a\\u202eb"}'],
        requests=1,
    ),
    "a megabyte": Case(
        LIST, [failure(400, "x" * 1_000_000)], exit=4, stderr=["more characters"], requests=1
    ),
    "a megabyte of escapes": Case(
        LIST, [failure(400, "\x1b" * 300_000)], exit=4, stderr=["more characters"]
    ),
    "larger than is read": Case(
        LIST, [failure(400, "\x1b" * 1_000_000)], exit=4, stderr=["answered 400"], requests=1
    ),
    "a megabyte of text": Case(
        LIST, [reply(LARGE, 400, kind="text/plain")], exit=4, stderr=["x{200}$"]
    ),
    "a list": Case(
        LIST,
        [reply(envelope(400, ["a", {"b": 1}]))],
        exit=4,
        stderr=[r': Error\n  a\n  {"b":1}\n$'],
        requests=1,
    ),
    "not JSON, though it says so": Case(
        LIST,
        [reply(b"<b>Bad\x9b31m</b>", 400)],
        exit=4,
        stderr=["answered 400 .*<b>Bad"],
        requests=1,
    ),
    "cut JSON": Case(
        LIST, [reply(envelope(400)[:30], 400)], exit=4, stderr=["answered 400"], requests=1
    ),
    "nothing": Case(
        LIST, [reply(b"", 400, kind=None)], exit=4, stderr=["answered 400 to GET"], requests=1
    ),
    "not UTF-8": Case(
        LIST,
        [reply(b"caf\xe9", 400, kind="text/plain")],
        exit=4,
        stderr=["answered 400"],
        requests=1,
    ),
    "an error object in Latin-1": Case(
        LIST, [reply(LATIN_1, 400)], exit=4, stderr=["answered 400 .*: Gr\ufffd\ufffde"], requests=1
    ),
    "an error object in Latin-1, once": Case(
        LIST,
        [reply(LATIN_1.replace(b"400", b"500"), 500), listing()],
        stdout=PAGE + b"\n",
        requests=2,
    ),
    "nested without end": Case(
        LIST,
        [
            reply(
                b'{"statusCode":400,"error":"x","message":'
                + b"[" * 100_000
                + b"]" * 100_000
                + b"}",
                400,
            )
        ],
        exit=4,
        stderr=["answered 400"],
        requests=1,
    ),
    "line breaks": Case(
        LIST, [failure(400, "one\ntwo\r\nthree")], exit=4, stderr=[r"one\\ntwo\\r\\nthree"]
    ),
    "markup": Case(
        LIST,
        [failure(400, "[red]x[/] [/] [link=http://e]y :warning:")],
        exit=4,
        stderr=[r"\[red\]x\[/\]"],
    ),
    "markup on a terminal": Case(
        LIST,
        [failure(400, "[red]x[/] [/] [bold :warning:")],
        exit=4,
        stderr=[r"\[red\]x\[/\]"],
        tty=True,
    ),
}
