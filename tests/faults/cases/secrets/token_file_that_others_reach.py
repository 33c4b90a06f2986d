"""A token or a config that others can change, or read, is not used, and is not repaired
behind anybody's back.
"""

from faults.case import LIST, Case

CONFIG = b"token = '@TOKEN@'\n"

CASES = {
    "config with a token, readable": Case(
        LIST,
        files={"config/config.toml": (CONFIG, 0o644)},
        exit=3,
        stderr=["chmod 600 @HOME@/config/config.toml"],
    ),
    "config, writable": Case(
        LIST,
        files={"config/config.toml": (b"timeout = 5\n", 0o666)},
        exit=3,
        stderr=["chmod go-w @HOME@"],
    ),
    "token file, writable": Case(
        f"{LIST} --token-file @HOME@/token",
        files={"token": (b"@TOKEN@\n", 0o666)},
        exit=3,
        stderr=["chmod go-w @HOME@/token"],
    ),
    "token file": Case(
        f"{LIST} --token-file @HOME@/token", files={"token": (b"@TOKEN@\n", 0o600)}, requests=1
    ),
    "token file, missing": Case(
        f"{LIST} --token-file @HOME@/none", exit=3, stderr=["@HOME@/none .*No such file"]
    ),
    "config with a token, private": Case(
        LIST,
        environ={"UNIFIED_TOKEN": None},
        files={"config/config.toml": (CONFIG + b'base_url = "@ORIGIN@"\n', 0o600)},
        stderr=["is plain text"],
        requests=1,
    ),
}
