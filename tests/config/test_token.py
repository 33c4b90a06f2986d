"""The token: each source, each way it can fail, and that it is never said."""

import io
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from front_door import ROOT, Unified
from server import Reply, Service

from unified_cli.config import token, token_command
from unified_cli.config.token import TokenSource
from unified_cli.errors import ConfigError
from unified_cli.runtime import Runtime
from unified_cli.stderr import Stderr

Config = Callable[[str], Path]
PATH = os.environ["PATH"]


def read(kind: str, detail: object, **world: object) -> tuple[str, str]:
    """The token, or the error's message, and what was said on stderr."""
    stderr = io.BytesIO()
    settings: dict[str, object] = {
        "stdin": io.BytesIO(),
        "stdout": None,
        "stderr": Stderr(stderr),
        "environ": {"PATH": PATH},
        **world,
    }
    runtime = Runtime(**settings)  # type: ignore[arg-type]
    try:
        found = token.read(TokenSource(kind, detail, "profile acme", profile="acme"), runtime)
    except ConfigError as error:
        found = f"error: {error.message}"
    return found, stderr.getvalue().decode()


BREAK = "the token from profile acme has a line break at its end (remove it)"
NEVER = (
    "the token from profile acme contains a blank, a line break or another invalid character"
    " (copy the token again, without anything around it)"
)
BAD = {
    "a line break at its end": ("t-1\n", BREAK),
    "CRLF": ("t-1\r\n", BREAK),
    "NUL": ("t\x001", NEVER),
    "BOM": ("\ufefft-1", NEVER),
    "not ASCII": ("t-ä", NEVER),
    "zero width": ("t\u200b1", None),
    "a blank": ("t 1", None),
    "a blank before": (" t1", None),
    "a tab": ("t\t1", None),
    "two lines": ("t1\nt2", None),
    "nothing": ("", "the token from profile acme is empty"),
    "too much": (
        "t" * 4097,
        ("the token from profile acme is longer than 4096 characters"
        " (the file must contain only the token, on one line)"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("kind", ["environment", "token"])
def test_an_invalid_token_is_refused_without_being_quoted(kind: str, case: str) -> None:
    text, message = BAD[case]
    found, said = read(kind, text)
    assert found.startswith("error: the token from profile acme ")
    assert message is None or found == f"error: {message}"
    assert text.strip() == "" or text.strip() not in found + said


def test_nothing_is_sent_with_an_invalid_token(unified: Unified, service: Service) -> None:
    result = unified(
        "ticketing tickets list", environ={**service.environ, "UNIFIED_TOKEN": "t-canary\n"}
    )
    assert (result.code, result.stderr) == (
        3,
        "error: the token from UNIFIED_TOKEN has a line break at its end (remove it)\n",
    )
    assert service.seen == []


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_one_line_end_is_removed_from_the_token_of_a_file_pipe_or_program(
    tmp_path: Path, end: str
) -> None:
    path = tmp_path / "token"
    path.write_bytes(f"t-1{end}".encode())
    path.chmod(0o600)
    assert read("token_file", str(path)) == ("t-1", "")
    assert read("token_stdin", "", stdin=io.BytesIO(f"t-1{end}more".encode()))[0] in (
        "t-1",
        "t-1more",
    )
    assert read("token_command", ["printf", f"t-1{end}"]) == ("t-1", "")
    path.write_bytes(f"t-1{end}\n\n".encode())
    assert read("token_file", str(path))[0].startswith("error: the token from profile acme ")


def test_a_token_file_may_be_in_the_home(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("t-1\n")
    (tmp_path / "token").chmod(0o600)
    assert read("token_file", "~/token", environ={"HOME": str(tmp_path)}) == ("t-1", "")
    assert read("token_file", "~/token", environ={})[0].startswith(
        "error: cannot read the token file ~/token of "
    )


def test_a_token_file_others_can_write_is_refused_and_a_readable_one_warned_about(
    tmp_path: Path,
) -> None:
    path = tmp_path / "token"
    path.write_text("t-1\n")
    path.chmod(0o620)
    assert read("token_file", str(path))[0] == f"error: others can write {path} (chmod go-w {path})"
    path.chmod(0o644)
    assert read("token_file", str(path)) == (
        "t-1",
        f"warning: others can read the token file {path} (chmod 600 {path})\n",
    )


def test_a_missing_token_file_names_the_next_step(tmp_path: Path) -> None:
    path = tmp_path / "token"
    assert (
        read("token_file", str(path))[0]
        == f"error: cannot read the token file {path} of profile acme: No such file or directory "
        "(unified profile login acme)"
    )


def test_a_token_is_read_from_a_pipe_and_a_silent_pipe_times_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader, writer = os.pipe()

    def late() -> None:
        time.sleep(0.05)
        os.write(writer, b"t-")
        time.sleep(0.05)
        os.write(writer, b"1\n")
        os.close(writer)

    thread = threading.Thread(target=late)
    thread.start()
    assert read("token_file", f"/dev/fd/{reader}") == ("t-1", "")
    thread.join()
    os.close(reader)
    monkeypatch.setattr(token, "_PIPE_SECONDS", 0.1)
    silent, held = os.pipe()
    assert (
        read("token_file", f"/dev/fd/{silent}")[0]
        == f"error: /dev/fd/{silent} gave no token within 0.1 seconds"
    )
    os.close(silent)
    os.close(held)
    os.mkfifo(tmp_path / "fifo", 0o600)
    assert (
        read("token_file", str(tmp_path / "fifo"))[0]
        == f"error: {tmp_path / 'fifo'} gave no token within 0.1 seconds"
    )


HANGS = "gave no answer within 1 seconds"


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("sleep 60", HANGS),
        ("sleep 60 & sleep 60", HANGS),
        ("trap '' TERM INT HUP; while :; do sleep 1; done", HANGS),
        ("exec >&- 2>&-; sleep 60", HANGS),
        ("head -c 10000000 /dev/zero | tr '\\0' x", "printed more than 8 KiB"),
        ("yes", "printed more than 8 KiB"),
        ("printf 't1\\nt2\\n'", "printed more than one line"),
        (
            "echo t-canary-secret; echo no t-canary-secret here >&2; exit 3",
            "failed with 3: no *** here",
        ),
        ("head -c 1000000 /dev/zero >&2; exit 1", None),
        ("kill -9 $$", "was killed by signal 9"),
    ],
)
def test_a_program_that_misbehaves_is_ended_with_all_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, said: str | None
) -> None:
    if said == HANGS:
        monkeypatch.setattr(token_command, "SECONDS", 1.0)
    mark = tmp_path / "group"
    found, _ = read("token_command", ["sh", "-c", f"echo $$ > {mark}; {script}"])
    assert found.startswith("error: token_command of profile acme ")
    assert said is None or found == f"error: token_command of profile acme {said}"
    assert not alive(int(mark.read_text()))


def alive(group: int) -> bool:
    """Whether any process of the group still runs; a killed one may take a moment."""
    for _ in range(200):
        states = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    fields = (entry / "stat").read_text().rpartition(")")[2].split()
                except OSError:
                    continue
                if int(fields[2]) == group and fields[0] != "Z":
                    states.append(fields[0])
        if not states:
            return False
        time.sleep(0.01)
    os.killpg(group, signal.SIGKILL)
    return True


def test_a_failing_programs_message_is_shown_without_the_token(
    unified: Unified, config: Config
) -> None:
    script = "echo t-canary-secret; echo no: t-canary-secret is not the one >&2; exit 3"
    config(
        'base_url = "https://api.example.com"\naccount_id = "1"\ntoken_command = ["sh", "-c",'
        f' "{script}"]\n'
    )
    result = unified("ticketing tickets list", environ={"PATH": PATH})
    assert result.code == 3
    assert result.stderr.endswith(" failed with 3: no: *** is not the one\n")


def test_a_program_that_prints_nothing_gives_no_token() -> None:
    assert read("token_command", ["true"])[0] == "error: the token from profile acme is empty"


def test_a_program_left_in_the_background_does_not_hold_the_answer() -> None:
    started = time.monotonic()
    assert read("token_command", ["sh", "-c", "sleep 60 & echo t-1"]) == ("t-1", "")
    assert time.monotonic() - started < 40


def test_the_last_output_of_a_program_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    class Late(selectors.DefaultSelector):
        waited = False

        def select(self, timeout: float | None = None) -> Any:
            """Nothing came in the first wait; the program prints and exits right after
            it.
            """
            if not timeout or self.waited:
                return super().select(timeout)
            self.waited = True
            time.sleep(0.5)
            return []

    monkeypatch.setattr(selectors, "DefaultSelector", Late)
    assert read("token_command", ["sh", "-c", "sleep 0.1; echo t-1"]) == ("t-1", "")


def test_a_token_command_runs_without_a_shell(tmp_path: Path) -> None:
    mark = tmp_path / "PWN"
    for argv in (
        ["echo", f"x; touch {mark}"],
        ["echo", f"$(touch {mark})"],
        [f"echo; touch {mark}"],
    ):
        read("token_command", argv)
    assert not mark.exists()


def test_a_program_of_that_name_in_the_working_directory_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "print-token"
    program.write_text("#!/bin/sh\ntouch PWN\necho t-evil\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    for path in (f":{PATH}", f".:{PATH}", f"{PATH}:", "", "."):
        found, _ = read("token_command", ["print-token"], environ={"PATH": path})
        assert (
            found
            == "error: token_command of profile acme: no program 'print-token' (use an absolute"
            " path, or a name on PATH)"
        )
    assert read("token_command", ["./print-token"])[0].startswith(
        "error: token_command of profile acme: no program"
    )
    assert not (tmp_path / "PWN").exists()
    assert read("token_command", [str(program)])[0] == "t-evil"


def test_a_program_sees_no_token_and_no_terminal() -> None:
    environ = {"PATH": PATH, "UNIFIED_TOKEN": "t-canary", "KEPT": "yes"}
    script = (
        'echo "${UNIFIED_TOKEN-none}-$KEPT-$(cat | wc -c)"; (exec 3</dev/tty) 2>/dev/null && echo'
        " tty; true"
    )
    found, _ = read("token_command", ["sh", "-c", script], environ=environ)
    assert found == "none-yes-0"


@pytest.mark.parametrize("flag", ["--token x", "--token=x"])
def test_there_is_no_flag_for_a_token(unified: Unified, service: Service, flag: str) -> None:
    result = unified(f"ticketing tickets list {flag}", environ=service.environ)
    assert result.code == 2
    assert "--token-file" in result.stderr
    assert service.seen == []


@pytest.mark.parametrize(
    "variable", ["UNIFIED_TOKEN_COMMAND", "UNIFIED_TOKEN_FILE", "UNIFIED_KEYRING"]
)
def test_no_variable_names_a_program_or_a_file_for_the_token(
    unified: Unified, service: Service, tmp_path: Path, variable: str
) -> None:
    mark = tmp_path / "PWN"
    environ = {**service.environ, variable: f'["touch", "{mark}"]'}
    service.reply = lambda _: Reply(body=b'{"result":[]}')
    assert unified("ticketing tickets list", environ=environ).code == 0
    assert not mark.exists()
    assert service.seen[0].headers["authorization"] == "Bearer t-0123456789"


def test_a_failing_token_source_is_never_replaced_by_another(
    unified: Unified, config: Config, service: Service
) -> None:
    config(
        f'base_url = "{service.url}"\naccount_id = "1"\ntoken_file ='
        ' "/nonexistent"\n[profiles.acme]\n'
    )
    environ = {"UNIFIED_TOKEN": "t-ci", "UNIFIED_BASE_URL": service.url, "UNIFIED_ACCOUNT_ID": "2"}
    result = unified("-p acme ticketing tickets list", environ=environ)
    assert result.code == 3
    assert result.stderr.startswith("error: cannot read the token file /nonexistent of ")
    assert service.seen == []


def test_a_debugging_python_prints_no_token_either(service: Service) -> None:
    service.reply = lambda _: Reply(body=b'{"result":[]}')
    environ = {**service.environ, "PYTHONDEVMODE": "1", "UNIFIED_TOKEN": "t-canary-0123"}
    code = (
        "import logging; logging.basicConfig(level=logging.DEBUG); import unified_cli.__main__ as"
        " m; m.run()"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, "-vv", "ticketing", "tickets", "list"],
        check=False,
        capture_output=True,
        env={**environ, "PATH": PATH, "PYTHONPATH": str(ROOT)},
        timeout=60,
    )
    assert result.returncode == 0, result.stderr
    assert b"canary" not in result.stdout + result.stderr
