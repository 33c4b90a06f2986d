"""A token on standard input is read, and its absence is reported."""

from faults.case import LIST, Case

CASES = {
    "": Case(
        f"{LIST} --token-stdin",
        environ={"UNIFIED_TOKEN": None},
        stdin=b"t-from-stdin\n",
        requests=[b"t-from-stdin"],
    ),
    "empty": Case(
        f"{LIST} --token-stdin", stdin=b"", exit=3, stderr=["--token-stdin is empty"], requests=0
    ),
    "closed": Case(
        f"{LIST} --token-stdin", world={"stdin": None}, exit=3, stderr=["closed"], requests=0
    ),
}
