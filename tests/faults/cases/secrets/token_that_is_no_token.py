"""A token that no header can carry is refused by name, not by value, before anything is
sent.
"""

from faults.case import LIST, Case

BAD = {
    "a line break at its end": ("s3cret\n", "has a line break at its end"),
    "a carriage return and a line break": ("s3cret\r\n", "has a line break at its end"),
    "a NUL": ("s3\0cret", "invalid character"),
    "a byte order mark": ("\ufeffs3cret", "invalid character"),
    "a letter beyond ASCII": ("s3cr\u00e9t", "invalid character"),
    "a space that cannot be seen": ("s3cret\u200b", "invalid character"),
    "a blank": ("s3 cret", "blank"),
    "two lines": ("s3cret\nEvil: 1", "line break"),
    "nothing": (" ", "blank"),
    "ten thousand letters": ("s3cret" * 2000, "longer than"),
}

CASES = {
    name: Case(
        LIST,
        environ={"UNIFIED_TOKEN": value},
        exit=3,
        stderr=["the token from UNIFIED_TOKEN", said],
        never=["s3", "cret", "Evil"],
        requests=0,
    )
    for name, (value, said) in BAD.items()
}
