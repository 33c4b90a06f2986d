"""A program that gives the token hears nothing of the one in the environment, and tells
nothing of it.
"""

from faults.case import LIST, Case

SCRIPT = b"#!/bin/sh\n"


def helper(script: bytes, **more: object) -> Case:
    return Case(
        f"{LIST} -p a",
        environ={"UNIFIED_BASE_URL": None, "PATH": "/bin:/usr/bin"},
        files={
            "helper": (SCRIPT + script, 0o700),
            "config/config.toml": (
                (
                    b'[profiles.a]\nbase_url = "@ORIGIN@"\naccount_id = "A1"\ntoken_command ='
                    b' ["@HOME@/helper"]\n'
                ),
                0o600,
            ),
        },
        **more,
    )


CASES = {
    "gives a token": helper(b'echo "t-${UNIFIED_TOKEN:-clean}"\n', requests=[b"Bearer t-clean"]),
    "leaves its environment behind": helper(
        b"case $(env) in *UNIFIED_TOKEN*) echo 1 ;; *) echo 0 ;; esac > @HOME@/left\necho t-1\n",
        creates={"left": (b"0\n", 0o644)},
        requests=1,
    ),
    "fails": helper(
        b"echo wrong password >&2; exit 3\n",
        exit=3,
        stderr=["failed with 3: wrong password"],
        requests=0,
    ),
    "fails, and tells the token in the environment": helper(
        b"echo '@TOKEN@' >&2; exit 3\n", exit=3, stderr=["failed with 3"], requests=0
    ),
    "gives two lines": helper(
        b"echo one; echo two\n", exit=3, stderr=["more than one line"], requests=0
    ),
    "gives nothing": helper(b"exit 0\n", exit=3, stderr=["is empty"], requests=0),
    "gives ten megabytes": helper(
        b"head -c 10000000 /dev/zero | tr '\\0' x\n", exit=3, stderr=["more than 8 KiB"], requests=0
    ),
}
