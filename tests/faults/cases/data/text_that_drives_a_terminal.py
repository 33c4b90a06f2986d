"""Text of the server cannot drive the terminal, and is still the same JSON."""

import json

from faults.case import GET, LIST, Case, failure
from faults.script import reply

NASTY = {
    "colours": "\x1b[31mred",
    "a link": "\x1b]8;;http://evil\x07x\x1b]8;;\x07",
    "the clipboard": "\x1b]52;c;ZXZpbA==\x07",
    "a device string": "\x1bPq\x1b\\",
    "the eighth bit": "\x9b31m\x9d0;t\x9c",
    "a title": "\x1b]0;owned\x07",
    "a backspace": "abc\x08\x08\x08xyz\x7f",
    "a carriage return": "good\rbad",
    "text that runs backwards": "\u202eabc\u202c\u2066x\u2069\u200e\u200f\u061c",
    "what cannot be seen": "a\u200bb\u2060c\ufeffd\u00ade\U000e0041",
    "ten thousand marks": "a" + "\u0301" * 10_000,
    "markup": "[red]x[/] [/] [link=http://evil]y[/link] :warning: [bold",
    "line separators": "a\u2028b\u2029c",
    "deprecated signs": "a\u206ab\u206fc",
}
ENVIRONMENTS = {"": {}, " without colour": {"NO_COLOR": "1"}, " that is dumb": {"TERM": "dumb"}}


CASES = {
    **{
        f"{name}, in an error{where}": Case(
            GET, [failure(400, text)], exit=4, stderr=["answered 400"], tty=True, environ=environ
        )
        for name, text in NASTY.items()
        for where, environ in ENVIRONMENTS.items()
    },
    **{
        f"{name}, to a pipe": Case(
            LIST,
            [reply(json.dumps({"result": [{"a": text}]}, ensure_ascii=False).encode())],
            stdout=json.dumps({"result": [{"a": text}]}, ensure_ascii=False).encode() + b"\n",
            requests=1,
        )
        for name, text in NASTY.items()
    },
    **{
        f"{name}, on a terminal": Case(
            LIST,
            [reply(json.dumps({"a": text}, ensure_ascii=False).encode())],
            shows={"a": text},
            tty=True,
            environ={"NO_COLOR": "1"},
            requests=1,
        )
        for name, text in NASTY.items()
    },
    **{
        f"{name}, as {output} on a terminal": Case(
            f"{LIST} -o {output}",
            [
                reply(
                    json.dumps({"result": [{"id": "1", "a": [text], "b": text, text: 1}]}).encode()
                )
            ],
            calm=True,
            tty=True,
            environ={"NO_COLOR": "1"},
            requests=1,
        )
        for name, text in NASTY.items()
        for output in ("table", "markdown", "ndjson", "csv", "tsv", "yaml")
    },
}
