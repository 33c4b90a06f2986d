"""What a command draws on a terminal of its own: all its lines, at a chosen width."""

from collections.abc import Mapping
from pathlib import Path

from screen import Terminal


def drawn(home: Path, command: list[str], columns: int, environ: Mapping[str, str] | None = None) -> list[str]:
    """The lines that a command, run in a home of its own, leaves on a terminal, without colours and pager."""
    terminal = Terminal(command, {"HOME": str(home), "PAGER": "", **(environ or {})}, columns=columns, cwd=home)
    terminal.end()
    lines = terminal.lines
    return lines[:-1] if lines[-1:] == [""] else lines


def configured(home: Path, config: str) -> None:
    """Write the config file of that home."""
    path = home / ".config" / "unified" / "config.toml"
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.write_text(config)
    path.chmod(0o600)
