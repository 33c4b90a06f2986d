"""There is no option for a token, because the process list would show it; the message
names the other ways.
"""

from faults.case import LIST, Case

CASES = {
    "": Case(
        f"{LIST} --token x-y-z",
        exit=2,
        stderr=["--token-file", "--token-stdin"],
        never=["x-y-z"],
        requests=0,
    ),
    "with an equals sign": Case(
        f"{LIST} --token=x-y-z", exit=2, stderr=["--token-file"], never=["x-y-z"], requests=0
    ),
}
