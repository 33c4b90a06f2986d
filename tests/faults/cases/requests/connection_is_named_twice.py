"""The connection is the profile's: no parameter replaces it, or is sent beside it."""

from faults.case import LIST, Case

BOTH = "integrated_account_id names the connection and is set for you"

CASES = {
    "by a parameter": Case(f"{LIST} -q integrated_account_id=B", exit=2, stderr=[BOTH], requests=0),
    "by a parameter with brackets": Case(
        f"{LIST} -q integrated_account_id[]=B", exit=2, stderr=[BOTH], requests=0
    ),
    "in a path": Case(
        "request GET /unified/x?integrated_account_id=B", exit=2, stderr=[BOTH], requests=0
    ),
    "in a path, encoded": Case(
        "request GET /unified/x?integrated%5Faccount_id=B", exit=2, stderr=[BOTH], requests=0
    ),
    "with signs that mean something in a URL": Case(
        [*LIST.split(), "-a", "A&b=1#c"],
        requests=[rb"^GET \S+\?integrated_account_id=A%26b%3D1%23c HTTP"],
    ),
    "with a line break": Case(
        [*LIST.split(), "-a", "A\nB"], exit=2, stderr=[r'the account id "A\\nB"'], requests=0
    ),
    "with dots": Case([*LIST.split(), "-a", ".."], exit=2, stderr=["the account id"], requests=0),
}
