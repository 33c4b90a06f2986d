"""A read follows within its origin; nothing else is followed, and no other host hears
of it.
"""

import re

from faults.case import CREATE, DELETE, GET, LIST, PAGE, Case
from faults.script import reply


def moved(location: str, status: int = 302) -> bytes:
    return reply(b"moved", status, {"Location": location}, kind="text/plain")


ELSEWHERE = {
    "another host": "http://@EVIL@/x",
    "another host in short": "//@EVIL@/x",
    "another port": "http://127.0.0.1:1/x",
    "another scheme": "https://127.0.0.1:@PORT@/x",
    "a name for the same address": "http://localhost:@PORT@/x",
    "a user in front": "http://127.0.0.1:@PORT@@@EVIL@/x",
    "a user in front of the same origin": "http://me@127.0.0.1:@PORT@/x",
    "backslashes": "http:\\\\\\\\@EVIL@/x",
    "one slash": "/\\@EVIL@/x",
    "an encoded slash": "http://127.0.0.1%2F.@EVIL@/x",
    "no host": "http:///x",
    "a file": "file:///etc/passwd",
    "another protocol": "ftp://@EVIL@/x",
    "data": "data:application/json,{}",
    "a blank": "http://127.0.0.1:@PORT@/x y",
    "a tab in front": "\thttp://@EVIL@/x",
    "letters beyond ASCII": "http://127.0.0.1:@PORT@/\u00e9",
    "a port that is none": "http://127.0.0.1:99999/x",
    "an address in brackets": "http://[::1]:@PORT@/x",
}

CASES = {
    "within its origin": Case(
        LIST,
        [moved("/unified/there?x=1"), reply(PAGE)],
        stdout=PAGE + b"\n",
        requests=[
            rb"^GET /unified/ticketing",
            rb"^GET /unified/there\?x=1 .*\r\nAuthorization: Bearer CANARY",
        ],
    ),
    "within its origin, in full": Case(
        LIST,
        [moved("http://127.0.0.1:@PORT@/there", 308), reply(PAGE)],
        stdout=PAGE + b"\n",
        requests=2,
    ),
    "three times": Case(
        LIST, [moved("/1"), moved("/2"), moved("/3"), reply(PAGE)], stdout=PAGE + b"\n", requests=4
    ),
    **{
        f"to {shown}": Case(
            GET,
            [moved(location)],
            exit=13,
            stderr=[rf"redirects to '{re.escape(shown)}', which is not a plain URL; not followed"],
            never=["secret"],
            requests=1,
        )
        for location, shown in {
            "/unified/x y?sig=secret": "/unified/x y",
            "/gr\u00fcn?sig=secret": "/gr\u00fcn",
            "/\x1b[31m": r"/\x1b[31m",
        }.items()
    },
    "in a circle": Case(LIST, [moved("/again")], exit=5, stderr=["more than 3 times"], requests=4),
    **{
        f"to {where}": Case(GET, [moved(location)], exit=13, stderr=["not followed"], requests=1)
        for where, location in ELSEWHERE.items()
    },
    # A 303 is how a server answers after a write that it carried out.
    **{
        f"a create, {status}": Case(
            CREATE,
            [moved(location, status)],
            exit=10,
            stderr=["redirects .* not followed, so the write is not confirmed"],
            requests=1,
            one_key=True,
        )
        for status, location in [
            (301, "/x"),
            (302, "/x"),
            (303, "/x"),
            (307, "/x"),
            (308, "/x"),
            (307, "//@EVIL@/x"),
        ]
    },
    "a create, to nowhere": Case(
        CREATE, [reply(b"", 303)], exit=10, stderr=["answered 303"], requests=1, one_key=True
    ),
    "a delete": Case(
        DELETE,
        [moved("//@EVIL@/x", 307)],
        exit=10,
        stderr=["redirects", "not confirmed"],
        requests=1,
    ),
    "from TLS to clear text": Case(
        LIST,
        [moved("http://localhost:@PORT@/x")],
        tls="good",
        exit=13,
        stderr=["not followed"],
        requests=1,
    ),
    "to nowhere": Case(
        LIST, [reply(b"", 302)], exit=5, stderr=["answered 302 without saying where"], requests=1
    ),
}
