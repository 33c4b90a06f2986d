"""An id is one segment of the path, whatever it is made of; one that could not stay so
is refused.
"""

from faults.case import Case

SENT = {
    "../users": "..%2Fusers",
    "..%2f..": "..%252f..",
    "%2e%2e": "%252e%252e",
    "a/b": "a%2Fb",
    "a?x=1": "a%3Fx%3D1",
    "a#b": "a%23b",
    "a%2Fb": "a%252Fb",
    "a;b": "a%3Bb",
    "a\\b": "a%5Cb",
    "a b": "a%20b",
    "\u00e9": "%C3%A9",
    "\U0001f600": "%F0%9F%98%80",
    "...": "...",
    "*": "%2A",
    "x" * 4096: "x" * 4096,
    "'; rm -rf ~ #": "%27%3B%20rm%20-rf%20~%20%23",
}
REFUSED = {
    "two dots": ("..", "'..' would look like a folder"),
    "a dot": (".", "would look like a folder"),
    "nothing": ("", "the id is empty"),
    "blanks": ("  ", "the id is empty"),
    "a NUL": ("a\0b", r'the id "a\\x00b"'),
    "an escape": ("a\x1b[31m", r'the id "a\\x1b\[31m"'),
    "text that runs backwards": ("a\u202eb", r'the id "a\\u202eb"'),
    "a line break": ("a\nb", r'the id "a\\nb"'),
    "half a character": ("a\udce9", r"ID is not UTF-8: a\\udce9"),
}

CASES = {
    **{
        repr(typed[:20]): Case(
            ["ticketing", "tickets", "get", "--", typed],
            requests=[
                rb"^GET /unified/ticketing/tickets/"
                + sent.replace("*", "[*]").replace(".", "[.]").encode()
                + rb"\?"
            ],
        )
        for typed, sent in SENT.items()
    },
    **{
        name: Case(["ticketing", "tickets", "get", "--", typed], exit=2, stderr=[said], requests=0)
        for name, (typed, said) in REFUSED.items()
    },
    "an endless one": Case(
        ["ticketing", "tickets", "get", "x" * 100_000],
        exit=2,
        stderr=["URL .*too long"],
        requests=0,
    ),
}
