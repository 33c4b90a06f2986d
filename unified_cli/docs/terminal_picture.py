"""Draw pictures of real runs of the program, with an empty home, the sandbox, and a pty
of a fixed size.
"""

import os
import pty
import re
import subprocess
import sys
import tempfile
import termios
import tomllib
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

FOLDER = Path(__file__).with_name("pictures")
_SETTINGS = FOLDER / "pictures.toml"
_ROWS = 50
_CHUNK = 65536
_MAY_FAIL = " || true"
# A slow machine prints a progress line and erases it later.
_ERASED = re.compile(r"[^\n]*\r(?:\x1b\[K)?")
# Texts that differ in each run, with their replacements.
_RUN, _ANY_RUN = re.compile(r"\b20\d{6}-[0-9a-f]{4}\b"), "20261123-7f3a"
# Rich's own template loads a font over the network.
_TEMPLATE = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{
  font-family: monospace; font-size: {char_height}px; line-height: {line_height}px;
}}
.{unique_id}-title {{ font-family: sans-serif; font-size: 18px; font-weight: bold; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


class TerminalPicture(NamedTuple):
    """A picture of `commands` with their output. A command that begins with a space
    runs, but is not shown.

    `prepare` runs before the commands and `finish` after them; neither is shown. A
    command that fails ends with `|| true`, which is not shown either.
    """

    name: str
    title: str
    columns: int
    prepare: Sequence[str]
    commands: Sequence[str]
    finish: Sequence[str] = ()


def pictures() -> Iterator[TerminalPicture]:
    """Yield the pictures that the documents show."""
    for name, table in tomllib.loads(_SETTINGS.read_text("utf-8")).items():
        yield TerminalPicture(name, **table)


def svg(picture: TerminalPicture) -> str:
    """Return the picture as SVG, the same on any machine.

    Raises CalledProcessError if a command fails.
    """
    console = Console(
        record=True,
        width=picture.columns,
        file=StringIO(),
        force_terminal=True,
        legacy_windows=False,
    )
    with tempfile.TemporaryDirectory() as home:
        environ = _environ(Path(home))
        try:
            for command in (*picture.prepare, *picture.commands):
                printed = _run(command, picture.columns, environ)
                if command in picture.commands and not command.startswith(" "):
                    if command != picture.commands[0]:
                        console.print()
                    console.print(Text(f"$ {command.removesuffix(_MAY_FAIL)}", "bold"))
                    console.print(Text.from_ansi(_RUN.sub(_ANY_RUN, printed)))
        finally:
            for command in picture.finish:
                _run(command, picture.columns, environ)
    return console.export_svg(
        title=picture.title,
        theme=MONOKAI,
        code_format=_TEMPLATE,
        unique_id=f"terminal-{picture.name}",
    )


def _environ(home: Path) -> dict[str, str]:
    program = home / "bin" / "unified"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m unified_cli "$@"\n')
    program.chmod(0o755)
    path = f"{program.parent}{os.pathsep}{os.defpath}"
    root = str(FOLDER.parents[2])
    return {
        "PATH": path,
        "HOME": str(home),
        "PYTHONPATH": root,
        "TERM": "xterm-256color",
        "LC_ALL": "C.UTF-8",
    }


def _run(command: str, columns: int, environ: dict[str, str]) -> str:
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (_ROWS, columns))
    with subprocess.Popen(  # noqa: S603  the commands are in a file beside this one
        ["/bin/bash", "-c", command],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env=environ,
        cwd=environ["HOME"],
    ) as process:
        os.close(theirs)
        printed = b"".join(_all_of(ours))
        os.close(ours)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command, printed)
    return _ERASED.sub("", printed.decode().replace("\r\n", "\n")).rstrip("\n")


def _all_of(terminal: int) -> Iterator[bytes]:
    """Yield the output until the terminal is closed.

    The last program closes it, which Linux reports as an error.
    """
    while True:
        try:
            chunk = os.read(terminal, _CHUNK)
        except OSError:
            return
        if not chunk:
            return
        yield chunk
