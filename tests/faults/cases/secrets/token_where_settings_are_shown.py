"""Commands that show settings name the source of a token, never its value."""

from faults.case import Case

CONFIG = {
    "config/config.toml": (
        b"[profiles.a]\nbase_url = '@ORIGIN@'\naccount_id = 'A1'\ntoken = '@TOKEN@'\n",
        0o600,
    )
}

CASES = {
    command: Case(command, files=CONFIG, requests=0)
    for command in (
        "profile list",
        "profile list -o json",
        "profile show a",
        "profile show a -o json",
        "ticketing tickets list -p a --dry-run -vv",
        "ticketing tickets list -p a --as curl",
    )
}
