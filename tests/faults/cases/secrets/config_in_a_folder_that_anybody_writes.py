"""A config whose folder anybody can write could have been put there by anybody."""

from faults.case import LIST, Case

CASES = {
    "its folder": Case(
        f"{LIST} -p a",
        files={"config/config.toml": (b"[profiles.a]\ntimeout = 5\n", 0o600)},
        folders={"config": 0o777},
        exit=3,
        stderr=["anybody can (replace files in|write) @HOME@/config", "chmod go-w @HOME@/config"],
        requests=0,
    )
}
