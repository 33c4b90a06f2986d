"""A base URL with a user name or a password is refused without showing it."""

from faults.case import LIST, Case

CASES = {
    name: Case(
        LIST,
        environ={"UNIFIED_BASE_URL": url},
        exit=3,
        stderr=["base URL in UNIFIED_BASE_URL"],
        never=["hunter2"],
        requests=0,
    )
    for name, url in {
        "in the usual place": "https://me:hunter2@api.example.test",
        "with a slash in it": "https://me:hunter2/x@api.example.test",
        "with brackets": "https://me:hunter2[@api.example.test",
        "with a colon in it": "https://me:1:hunter2@api.example.test",
        "as a port": "https://api.example.test:hunter2",
    }.items()
}
