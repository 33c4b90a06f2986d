"""A key that could not arrive as it was typed is refused before anything is sent."""

from faults.case import CREATE, LIST, Case

CASES = {
    **{
        name: Case(
            [*CREATE.split(), "--idempotency-key", key],
            exit=2,
            stderr=["printable ASCII"],
            requests=0,
        )
        for name, key in {
            "a line break": "a\r\nEvil: 1",
            "too long": "x" * 300,
            "nothing": "",
            "a blank": "a b",
            "a letter beyond ASCII": "\u00e9",
        }.items()
    },
    "one that can": Case(
        [*CREATE.split(), "--idempotency-key", "k-1"], requests=[rb"\nIdempotency-Key: k-1\r\n"]
    ),
    "for a read": Case([*LIST.split(), "--idempotency-key", "k-1"], exit=2, requests=0),
}
