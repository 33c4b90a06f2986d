"""A terminal of a chosen size for a process: what it is sent, and what it then
shows.
"""

import ctypes
import fcntl
import os
import re
import signal
import struct
import sys
import termios
import threading
from collections.abc import Mapping
from contextlib import suppress
from io import StringIO
from pathlib import Path

import pexpect
from front_door import ROOT
from rich.cells import cell_len

_STEP = re.compile(r"\x1b\[(?P<number>\d*)(?P<command>[A-Za-z])|[\s\S]")
# The requests of a pager to the keyboard and the bell.
_UNSEEN = re.compile(r"\x1b(?:\[\?1[hl]|[=>])|\x07")
Cells = list[str]
"""The text of the cells of a row; a wide character has empty cells behind it."""
FULL_CLEAR = re.compile(r"\x1b\[[23]J|\x1bc")


def _hear_hang_ups() -> None:
    # Tests that run under nohup would hand down that it is ignored.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


class Terminal:
    """Runs `unified` on a pseudo-terminal; where there are files for them, stdout and
    stdin are those.

    `piped` is what a shell would have after the command, such as `| cat`; the exit code
    is then that of the shell.
    """

    def __init__(
        self,
        words: list[str],
        environ: Mapping[str, str],
        *,
        columns: int = 80,
        to: Path | None = None,
        stdin: Path | None = None,
        piped: str = "",
        cwd: Path | None = None,
    ) -> None:
        self._columns = columns
        self._sent = StringIO()
        shell = (
            ('"$@" ' + piped if piped else 'exec "$@"')
            + (f' > "{to}"' if to else "")
            + (f' < "{stdin}"' if stdin else "")
        )
        argv = ["-c", shell, "sh", sys.executable, "-P", "-m", "unified_cli", *words]
        own = {
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": str(ROOT),
            "TERM": "xterm-256color",
            "LC_ALL": "C.UTF-8",
        }
        self._child = pexpect.spawn(
            "/bin/sh",
            argv,
            env={**own, **environ},
            encoding="utf-8",
            timeout=60,
            dimensions=(24, columns),
            cwd=cwd,
            preexec_fn=_hear_hang_ups,
        )
        self._child.logfile_read = self._sent

    def until(self, pattern: str) -> str:
        """Wait until this is sent; what it was."""
        self._child.expect(pattern)
        return str(self._child.after)

    def enter(self, line: str) -> None:
        """Type a line."""
        self._child.send(f"{line}\r")

    def press(self, key: str) -> None:
        """Press a key."""
        self._child.send(key)

    def press_to_end(self, key: str) -> int:
        """Press a key until the process ends, as a person would; its exit code.

        `less` throws away keys typed while it handles a signal.
        """
        ended = False
        while not ended:
            self.press(key)
            ended = self._child.expect([pexpect.EOF, pexpect.TIMEOUT], timeout=1) == 0
        return self.end()

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        self._child.sendintr()

    def terminate(self) -> None:
        """Send SIGTERM to the program."""
        self._child.kill(signal.SIGTERM)

    def terminate_unseen(self) -> None:
        """Send SIGTERM so that no wait of the main thread is interrupted, as one that
        comes just before the wait.
        """
        pid = self._child.pid
        threads = (int(path.name) for path in Path(f"/proc/{pid}/task").iterdir())
        other = next(thread for thread in threads if thread != pid)
        assert ctypes.CDLL(None).tgkill(pid, other, signal.SIGTERM) == 0

    def hang_up(self) -> int:
        """Close the terminal, as closing its window does; the signal that ended the
        process, or 0.
        """
        self._child.ptyproc.fileobj.close()
        self._child.wait()
        return int(self._child.signalstatus or 0)

    def resize(self, columns: int) -> None:
        """Make it so wide; it breaks its lines anew, as most terminals do."""
        self._sent.write(f"\x1b[{columns}w")
        self._child.setwinsize(24, columns)

    def end(self) -> int:
        """Wait until the process ends; its exit code."""
        self._child.expect(pexpect.EOF)
        self._child.close()
        return int(self._child.exitstatus)

    @property
    def sent(self) -> str:
        """All that was sent to it."""
        return self._sent.getvalue()

    @property
    def lines(self) -> list[str]:
        """The text on it, without colours."""
        return shown(self.sent, self._columns)


def drawn(
    home: Path, command: list[str], columns: int, environ: Mapping[str, str] | None = None
) -> list[str]:
    """The lines that a command, run in a home of its own, leaves on a terminal, without
    colours and pager.
    """
    terminal = Terminal(
        command, {"HOME": str(home), "PAGER": "", **(environ or {})}, columns=columns, cwd=home
    )
    terminal.end()
    lines = terminal.lines
    return lines[:-1] if lines[-1:] == [""] else lines


def configured(home: Path, config: str) -> None:
    """Write the config file of that home."""
    path = home / ".config" / "unified" / "config.toml"
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.write_text(config)
    path.chmod(0o600)


class Pty:
    """A pseudo-terminal in this process: it receives the text written to its `stream`,
    until it is closed.
    """

    def __init__(self, columns: int) -> None:
        self._own, handle = os.openpty()
        fcntl.ioctl(handle, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.stream = os.fdopen(handle, "wb", buffering=0)
        self._sent: list[bytes] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        # The other end of the terminal is closed.
        with suppress(OSError):
            while part := os.read(self._own, 65536):
                self._sent.append(part)

    def close(self) -> str:
        """End it; all that was sent to it, with line feeds alone."""
        self.stream.close()
        self._reader.join()
        os.close(self._own)
        return b"".join(self._sent).decode().replace("\r\n", "\n")


def shown(sent: str, columns: int) -> list[str]:
    """The rows of a terminal of that width to which this was sent; what it does not
    know fails.
    """
    rows, row, column = list[Cells]([[]]), 0, 0
    for step in _STEP.finditer(_UNSEEN.sub("", sent)):
        command, number = step["command"], int(step["number"] or 0)
        if command == "w":
            rows, row, column = _broken_anew(rows, columns, number)
            columns = number
        elif command == "A":
            row -= number
        elif command in ("K", "J"):
            rows[row] = rows[row][:column]
            del rows[row + 1 : None if command == "J" else row + 1]
        elif command:
            assert command == "m", step[0]
        elif step[0] == "\r":
            column = 0
        elif step[0] == "\n":
            row += 1
        elif not (taken := cell_len(step[0])):
            # A mark is in the cell of the character before it.
            rows[row][column - 1] += step[0]
        else:
            if column + taken > columns:
                row, column = row + 1, 0
            rows += [[] for _ in range(row + 1 - len(rows))]
            before = rows[row] + [" "] * (column - len(rows[row]))
            rows[row] = before[:column] + [step[0]] + [""] * (taken - 1) + before[column + taken :]
            column += taken
        rows += [[] for _ in range(row + 1 - len(rows))]
    return ["".join(line).rstrip() for line in rows]


def _broken_anew(rows: list[Cells], before: int, columns: int) -> tuple[list[Cells], int, int]:
    """The rows on a terminal of another width, and where its cursor is: at the end of
    the last.
    """
    found = [
        line[at : at + columns] for line in rows for at in range(0, max(1, len(line)), columns)
    ]
    assert columns < before
    return found, len(found) - 1, len(found[-1])
