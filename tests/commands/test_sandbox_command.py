"""`unified sandbox serve`: three lines on stdout are all that another program needs."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from front_door import Unified


def test_the_three_lines_are_enough_for_a_call(tmp_path: Path, unified: Unified) -> None:
    command = [sys.executable, "-m", "unified_cli", "sandbox", "serve", "--state", ":memory:"]
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ, text=True
    ) as server:
        assert server.stdout
        assert server.stderr
        try:
            lines = [server.stdout.readline().removesuffix("\n") for _ in range(3)]
            exported = dict(line.removeprefix("export ").split("=", 1) for line in lines)
            assert [*exported] == ["UNIFIED_BASE_URL", "UNIFIED_TOKEN", "UNIFIED_ACCOUNT_ID"]
            assert exported["UNIFIED_ACCOUNT_ID"] == "full"
            assert (
                unified("ticketing tickets get tickets-1", environ=exported).json["id"]
                == "tickets-1"
            )
            assert (
                unified(
                    "ticketing tickets list", environ={**exported, "UNIFIED_TOKEN": "other"}
                ).code
                == 7
            )
        finally:
            server.send_signal(signal.SIGINT)
        assert server.wait(60) == 130
        assert (
            server.stderr.read()
            == f"the sandbox listens on {exported['UNIFIED_BASE_URL']}; stop it with Ctrl-C\nerror:"
            " interrupted\n"
        )
        assert server.stdout.read() == ""


SERVE = "unified sandbox serve: invalid value for '--port': {} (unified sandbox serve --help)"


@pytest.mark.parametrize(
    ("options", "said", "code"),
    [
        ("--port 99999", SERVE.format("must be a whole number, from 0 to 65535, not '99999'"), 2),
        (
            "--records tickets=5",
            "--records tickets=5: no resource 'tickets' (it must look like ticketing/tickets=1000)",
            2,
        ),
        (
            "--records voice/calls=x",
            "--records voice/calls= takes a whole number up to 100000000, not 'x'",
            2,
        ),
    ],
)
def test_a_sandbox_that_cannot_be_served_says_why(
    options: str, said: str, code: int, unified: Unified
) -> None:
    result = unified(f"sandbox serve {options}")
    assert (result.stdout, result.stderr, result.code) == ("", f"error: {said}\n", code)
