"""The options that check what is read, and repeat a read until it is as expected."""

from typing import Annotated

from unified_cli.cli.flags import WAIT, Flag, Options
from unified_cli.config.keys import KEYS

Junit = Annotated[
    str | None, Flag(("--junit",), WAIT, "also write the result as JUnit XML, over an older file", "FILE", takes="file")
]


# Assumption: these start a job, whose record says when there is something to download.
WAITS = ("knowledge-base page-exports create",)


class WaitOptions(Options):
    """How long a read or a job is waited for."""

    wait_timeout: Annotated[
        float | None,
        Flag(
            ("--wait-timeout",),
            WAIT,
            "maximum seconds to wait (600)",
            "S",
            parse=KEYS["timeout"].parse,
            order=1,
            when=lambda operation: operation.command in WAITS or not operation.takes_body,
        ),
    ] = None

    @property
    def longest_wait(self) -> float:
        """Seconds after which a wait ends."""
        return self.wait_timeout or 600.0


class ReadCheckOptions(WaitOptions):
    """What a read is expected to give, and how long it is waited for."""

    expect: Annotated[
        tuple[str, ...],
        Flag(("--expect",), WAIT, "fail with 14 unless this jq program is true for the result, read whole", "JQ"),
    ] = ()
    junit: Junit = None
    until: Annotated[str | None, Flag(("--until",), WAIT, "repeat the read until this jq program is true", "JQ")] = None
    fail_if: Annotated[
        str | None, Flag(("--fail-if",), WAIT, "with --until: give up once this jq program is true", "JQ")
    ] = None
    every: Annotated[
        float | None,
        Flag(
            ("--every",), WAIT, "seconds from one read to the next (5, --follow: 30)", "S", parse=KEYS["timeout"].parse
        ),
    ] = None
    follow: Annotated[
        bool,
        Flag(
            ("--follow",),
            WAIT,
            "print each change of a record as it is seen, until Ctrl-C",
            order=1,
            when=lambda operation: operation.lists,
        ),
    ] = False

    @property
    def given_any(self) -> bool:
        """Whether a read is checked or repeated."""
        return bool(self.expect or self.junit or self.until or self.fail_if or self.every)
