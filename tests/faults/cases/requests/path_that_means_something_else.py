"""A path is taken as typed, or refused; nothing is left out of it in silence."""

from faults.case import Case

REFUSED = {
    "a whole URL": "http://@EVIL@/x",
    "another host": "//@EVIL@/x",
    "dots": "/unified/../x",
    "dots, encoded": "/unified/%2e%2e/x",
    "a part after the hash": "/unified/x#y",
    "a hash": "/unified/x#",
    "a tab": "/uni\tfied/x",
    "a line break": "/unified/x\r\nEvil: 1",
    "an escape in front": "\x1b/unified/x",
    "an empty part": "/unified//x",
    "bytes that are no text": "/unified/%ff",
    "bytes that are no text, in the query": "/unified/x?a=%ff",
    "a NUL, encoded": "/unified/%00",
}

CASES = {
    **{name: Case(["request", "GET", path], exit=2, requests=0) for name, path in REFUSED.items()},
    "an encoded slash": Case(
        ["request", "GET", "/unified/a%2Fb?x=%26"],
        requests=[rb"^GET /unified/a%2Fb\?integrated_account_id=ACCT-\w+&x=%26 HTTP"],
    ),
    "another method": Case(
        ["request", "TRACE", "/unified/x"], exit=2, stderr=["one of GET"], requests=0
    ),
    "a method with a line break": Case(
        ["request", "GET\r\nX: 1", "/unified/x"], exit=2, requests=0
    ),
}
