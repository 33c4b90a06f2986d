"""JSON that is odd and allowed is passed on letter for letter."""

from faults.case import LIST, Case
from faults.script import reply

ODD = {
    "a number of five thousand digits": b'{"result":[' + b"9" * 5000 + b"]}",
    "1.10 and 1E400": b'{"result":[1.10,-0,1E400,0.1e-9999]}',
    "the same name twice": b'{"a":1,"a":2}',
    "half a surrogate pair": b'{"a":"\\ud83d"}',
    "an escaped NUL": b'{"a":"\\u0000"}',
    "an empty name": b'{"":1}',
    "blanks and line breaks": b' {\r\n\t"a" : 1 }\n',
    "two hundred levels": b"[" * 200 + b"]" * 200,
    "many brackets in texts": b'["' + b"[{" * 5000 + b'"]',
    "quotes escaped in texts": b'["' + b'\\"[\\\\' * 5000 + b'"]',
    "a list": b"[1,2]",
    "a text": b'"x"',
    "null": b"null",
    "escapes for the terminal": '{"a":"\\u001b]0;x\\u0007\u009b31m\u202e"}'.encode(),
    "a result that is null": b'{"result":null}',
}

CASES = {
    **{
        name: Case(
            LIST, [reply(body)], stdout=body if body.endswith(b"\n") else body + b"\n", requests=1
        )
        for name, body in ODD.items()
    },
    "a mark in front": Case(LIST, [reply(b'\xef\xbb\xbf{"a":1}')], stdout=b'{"a":1}\n', requests=1),
    "UTF-8 by its own account": Case(
        LIST,
        [reply('["é"]'.encode(), kind='application/json; charset="UTF-8"')],
        stdout='["é"]\n'.encode(),
    ),
    "another kind of JSON": Case(
        LIST, [reply(b"{}", kind="application/vnd.api+json")], stdout=b"{}\n"
    ),
}
