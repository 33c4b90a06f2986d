"""Text of a service, a file or an argument cannot drive the terminal, in any format of
any command.
"""

import json
import os
import pty
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import ROOT, Unified
from server import Reply, Seen, Service

from unified_cli.output import formats

Config = Callable[[str], Path]

EVIL = (
    "\x1b]0;owned\x07\x1b[31m\x9b2J\x85\u202e\u200b\u2066\x7f\r\x08e"
    + "\u0301" * 30
    + "\U000e0041end"
)
FORMATS = formats.names(formats.RESULTS)
TABLES = formats.names(formats.TABLES)
CALLS = (
    *(f"ticketing tickets list -o {form}" for form in FORMATS),
    *(f"ticketing tickets list --all -o {form}" for form in FORMATS if form != "raw"),
    *(f"ticketing tickets list --jq . -o {form}" for form in FORMATS if form != "raw"),
    *(
        f"ticketing tickets list --columns id,name -o {form}"
        for form in FORMATS
        if form not in ("raw", "ids")
    ),
    *(f"ticketing tickets get 1 -o {form}" for form in FORMATS),
    *(
        f"-p acme -p third ticketing tickets list -o {form}"
        for form in FORMATS
        if form not in ("raw", "ids")
    ),
    "request GET /text",
    "request GET /bytes --force",
    "request GET /refused -o json",
    "ticketing tickets create -f name={evil}",
    "ticketing tickets create -f name={evil} --dry-run",
    "ticketing tickets create -f name={evil} --as curl",
    "ticketing tickets list -q name={evil} --as curl",
)
BUILT_IN = (
    *(f"profile list -o {form}" for form in TABLES),
    *(f"profile show acme -o {form}" for form in TABLES),
    *(f"profile test acme other -o {form}" for form in TABLES),
    *(f"doctor acme --network -o {form}" for form in TABLES),
    *(f"connections list --health -o {form}" for form in TABLES),
    *(f"capabilities ticketing/tickets -o {form}" for form in formats.names(formats.MATRICES)),
    "profile path",
    "operations suspend",
    "sandbox status",
    "help ticketing tickets list",
    "completion bash",
)
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_DRIVES = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202e\u2066\U000e0041]|\u0301{5}")


def reply(seen: Seen) -> Reply:
    record = {"id": f"1{EVIL}", "name": EVIL, EVIL: [EVIL, {"name": EVIL}]}
    if seen.path == "/text":
        return Reply(200, EVIL.encode(), {"Content-Type": "text/plain"})
    if seen.path == "/bytes":
        return Reply(200, EVIL.encode() + b"\xff\x9b\x1b", {"Content-Type": "application/x-evil"})
    if seen.path == "/refused":
        return Reply(404, json.dumps({"statusCode": 404, "error": EVIL, "message": EVIL}).encode())
    if seen.path.startswith("/integrated-account"):
        return connection(seen.path)
    if seen.path.endswith("/1"):
        return Reply(
            200, json.dumps(record, ensure_ascii=False).replace("\x1b", "\\u001b").encode()
        )
    text = json.dumps({"result": [record], "next_cursor": None}, ensure_ascii=False)
    return Reply(200, text.encode())


def connection(path: str) -> Reply:
    """A connection, what it offers, or a list of them, each text of which is
    hostile.
    """
    forbidden = {"resource": EVIL, "method": EVIL, "missing_scopes": [EVIL], "occurred_at": EVIL}
    one = {
        "id": "acct",
        "tenant_id": EVIL,
        "integration": {"name": EVIL},
        "status": "active",
        "last_error": EVIL,
        "created_at": EVIL,
        "last_forbidden_error": forbidden,
    }
    if path.endswith("/capabilities"):
        entry = {"model": "ticketing", "resource": "tickets", "methods": ["list", EVIL]}
        answer = {"unified": [entry, EVIL], "account": {"status": "active"}}
    else:
        answer = one if path.count("/") == 2 else {"result": [one, {**one, "status": EVIL}]}
    return Reply(200, json.dumps(answer).encode())


def written(service: Service) -> str:
    evil = "".join(f"\\U{ord(one):08X}" for one in EVIL)
    return (
        f'base_url = "{service.url}"\nprofile = "acme"\ntoken_command = ["/bin/echo",'
        ' "t-0123456789"]\n[profiles.acme]\naccount_id = "acct"\n[profiles.third]\naccount_id ='
        f' "acct-3"\n[profiles.other]\naccount_id = "acct{evil}"\n'
    )


def drives(printed: str) -> list[str]:
    return _DRIVES.findall(_COLOURS.sub("", printed))


@pytest.mark.parametrize("command", [*CALLS, *BUILT_IN])
def test_nothing_that_is_printed_drives_the_terminal(
    command: str, unified: Unified, config: Config, service: Service
) -> None:
    service.reply = reply
    config(written(service))
    argv = [word.format(evil=EVIL) for word in command.split()]
    for colour in ("FORCE_COLOR", "NO_COLOR"):
        result = unified(argv, tty=True, environ={colour: "1"})
        assert result.code in (0, 2, 4, 9)
        assert result.stdout or result.code
        assert drives(result.stdout) == []
        assert drives(result.stderr) == []


def test_a_line_for_curl_means_the_same_on_a_terminal(unified: Unified, service: Service) -> None:
    for body in (EVIL, "\t\n"):
        line = ["ticketing", "tickets", "create", "--idempotency-key", "k", "--as", "curl"]
        shown, exact = (
            unified([*line, "-f", f"name={body}"], tty=tty, environ=service.environ).stdout
            for tty in (True, False)
        )
        *words, _ = zip(shlex.split(shown), shlex.split(exact), strict=True)
        assert all(one == other for one, other in words)
        assert (
            json.loads(shlex.split(shown)[-1])
            == json.loads(shlex.split(exact)[-1])
            == {"name": body}
        )


def test_off_a_terminal_data_is_exact(unified: Unified, config: Config, service: Service) -> None:
    service.reply = reply
    config(written(service))
    assert unified("request GET /text").raw == EVIL.encode()
    assert unified("request GET /bytes").raw == EVIL.encode() + b"\xff\x9b\x1b"
    assert EVIL in unified("ticketing tickets list -o tsv").raw.decode().replace("\\r", "\r")
    assert EVIL in json.loads(unified("ticketing tickets list -o json").raw)["result"][0]


def on_a_terminal(argv: list[str], environ: dict[str, str]) -> str:
    """The output of a process on a terminal of its own, on stdout and stderr."""
    process, terminal = pty.fork()
    if process == 0:
        os.execve(sys.executable, [sys.executable, "-P", "-m", "unified_cli", *argv], environ)
    printed = b""
    try:
        while chunk := os.read(terminal, 65536):
            printed += chunk
    except OSError:
        # The other end of the terminal is closed.
        pass
    os.waitpid(process, 0)
    os.close(terminal)
    # The terminal itself puts the carriage returns there.
    return printed.decode("utf-8").replace("\r\n", "\n")


@pytest.mark.parametrize(
    "command",
    [
        "ticketing tickets list -o tsv",
        "ticketing tickets list -o yaml",
        "ticketing tickets get 1 -o json",
        "request GET /bytes --force",
        "profile list -o tsv",
        "profile test acme other",
        "ticketing tickets create -f name={evil} --as curl",
    ],
)
def test_a_real_terminal_is_sent_nothing_that_drives_it(
    command: str, service: Service, tmp_path: Path
) -> None:
    service.reply = reply
    path = tmp_path / "config.toml"
    path.write_text(written(service))
    path.chmod(0o600)
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "UNIFIED_CONFIG": str(path),
        "LANG": "C.UTF-8",
    }
    argv = [word.format(evil=EVIL) for word in command.split()]
    printed = on_a_terminal(argv, {**environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"})
    assert "acct" in printed or "end" in printed
    assert drives(printed) == []


def test_only_one_module_writes_to_stdout() -> None:
    package = ROOT / "unified_cli"
    writers = {
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        if re.search(r"runtime\.stdout\.(?!is)|sys\.stdout|[^.]\bprint\(", path.read_text("utf-8"))
    }
    # The process that runs jq programs answers the program that started it there.
    assert writers == {"output/stdout.py", "runtime.py", "output/jq_worker.py"}


def test_text_for_a_terminal_is_made_by_its_own_modules_only() -> None:
    package = ROOT / "unified_cli"
    makers = {
        path.name
        for path in package.rglob("*.py")
        if re.search(r"\bTerminalText\(", path.read_text("utf-8"))
    }
    assert makers == {"terminal.py", "json_highlight.py"}
