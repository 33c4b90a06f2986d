"""A bug of this program is reported in one line, without the values in it."""

from faults.case import LIST, Case


def broken() -> object:
    secret = "@TOKEN@"
    raise RuntimeError(f"with {secret} in hand")


CASES = {
    "": Case(
        LIST,
        world={"transport": broken},
        exit=1,
        stderr=["a bug, sorry: RuntimeError at "],
        never=["in hand"],
        requests=0,
    ),
    "told to programs": Case(
        f"{LIST} -o json",
        world={"transport": broken},
        exit=1,
        stderr=['{"error": {"code": "bug", "exit": 1'],
        requests=0,
    ),
}
