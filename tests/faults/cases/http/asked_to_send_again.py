"""408 and 425 ask for the same request again."""

from faults.case import CREATE, DELETE, LIST, PAGE, SEND, Case, failure, listing

CASES = {
    **{
        f"{status}": Case(LIST, [failure(status), listing()], stdout=PAGE + b"\n", requests=2)
        for status in (408, 425)
    },
    **{
        f"{status} of a create": Case(
            CREATE, [failure(status), listing()], requests=2, one_key=True
        )
        for status in (408, 425)
    },
    "for good": Case(LIST, [failure(408)], exit=4, requests=5),
    "of a delete": Case(DELETE, [failure(408), listing()], requests=2),
    "of an outward action": Case(SEND, [failure(408)], exit=4, requests=1),
}
