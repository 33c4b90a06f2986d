"""A write of an agent is in the journal, on the disk, before it is sent."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from front_door import ROOT
from server import Reply, Seen, Service

pytest.importorskip("mcp.server", reason="needs the extra mcp")
pytestmark = pytest.mark.extra

# The program, with a copy beside it of what each file held when it was last synced.
PROGRAM = """
import os
from pathlib import Path
real, safe = os.fsync, Path(os.environ["HOME"], "safe")
safe.mkdir()
def fsync(handle):
    real(handle)
    status = os.fstat(handle)
    if os.path.stat.S_ISREG(status.st_mode):
        (safe / str(status.st_ino)).write_bytes(os.pread(handle, status.st_size, 0))
os.fsync = fsync
from unified_cli.__main__ import run
run()
"""


def asked(*messages: dict[str, Any]) -> bytes:
    """Messages of the protocol, one a line."""
    return "".join(json.dumps({"jsonrpc": "2.0", **one}) + "\n" for one in messages).encode()


def test_a_write_is_on_the_disk_before_it_is_sent(service: Service, tmp_path: Path) -> None:
    safe: list[bool] = []

    def reply(seen: Seen) -> Reply:
        lines = [
            line for path in (tmp_path / "safe").iterdir() for line in path.read_text().splitlines()
        ]
        told = [json.loads(line) for line in lines if line.startswith("{")]
        safe.append(
            any(
                (one.get("s"), one.get("k")) == ("sent", seen.headers["idempotency-key"])
                for one in told
            )
        )
        return Reply(201, b'{"id":"1"}')

    service.reply = reply
    config, token = tmp_path / "config.toml", tmp_path / "token"
    token.write_text("t-0123456789")
    config.write_text(
        f'base_url = "{service.url}"\ntoken_file = "{token}"\n[profiles.acme]\naccount_id = "1"\n'
    )
    for path in (config, token):
        path.chmod(0o600)
    client = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    create = {"operation": "ticketing tickets create", "profile": "acme", "body": {"name": "x"}}
    environ = {
        "HOME": str(tmp_path),
        "PATH": os.defpath,
        "PYTHONPATH": str(ROOT),
        "UNIFIED_CONFIG": str(config),
    }
    argv = [sys.executable, "-c", PROGRAM, "mcp", "serve", "-p", "acme", "--allow-writes"]
    with subprocess.Popen(
        argv, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as running:
        assert running.stdin
        assert running.stdout
        running.stdin.write(
            asked(
                {"id": 1, "method": "initialize", "params": client},
                {"method": "notifications/initialized"},
                {"id": 2, "method": "tools/call", "params": {"name": "write", "arguments": create}},
            )
        )
        running.stdin.flush()
        answers = [json.loads(running.stdout.readline()) for _ in range(2)]
        running.stdin.close()
        running.wait(60)
    assert [one["id"] for one in answers] == [1, 2]
    assert not answers[1]["result"].get("isError"), answers[1]
    assert safe == [True]
