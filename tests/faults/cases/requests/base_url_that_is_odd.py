"""A base URL is brought into one shape, or refused."""

from faults.case import LIST, Case

FINE = {
    "a slash at its end": ("@ORIGIN@/", rb"^GET /unified/"),
    "a path": ("@ORIGIN@/proxy/v1/", rb"^GET /proxy/v1/unified/"),
    "capitals": ("HTTP://LOCALHOST:@PORT@", rb"^GET /unified/.*\r\n[Hh]ost: localhost:"),
}
REFUSED = {
    "a query": "@ORIGIN@/?x=1",
    "a fragment": "@ORIGIN@/#x",
    "an empty query": "@ORIGIN@?",
    "dots": "@ORIGIN@/a/../b",
    "encoded dots": "@ORIGIN@/%2e%2e",
    "another scheme": "ftp://127.0.0.1:@PORT@",
    "no scheme": "127.0.0.1:@PORT@",
    "no host": "https://",
    "a port beyond all ports": "https://127.0.0.1:99999",
    "a host with a percent sign": "https://a%2eb.example",
    "letters beyond ASCII": "https://b\u00fccher.example",
    "digits beyond ASCII": "https://\u2460\u2461\u2466.0.0.1",
    "a blank": "https://a b.example",
    "a line break": "https://a.example\nb",
    "a backslash": "https://a.example\\b",
    "half an address": "https://[::1",
}

CASES = {
    **{
        name: Case(LIST, environ={"UNIFIED_BASE_URL": url}, requests=[pattern])
        for name, (url, pattern) in FINE.items()
    },
    **{
        name: Case(
            LIST,
            environ={"UNIFIED_BASE_URL": url},
            exit=3,
            stderr=["base URL in UNIFIED_BASE_URL"],
            requests=0,
        )
        for name, url in REFUSED.items()
    },
}
