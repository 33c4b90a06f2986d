"""Find files of older versions that are not used any more."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

_POWERSHELL = b"# PowerShell completion for unified."


def powershell_script(environ: Mapping[str, str]) -> Path | None:
    """Return an older version's PowerShell completion script, or None."""
    home = environ.get("HOME")
    folder = environ.get("XDG_CONFIG_HOME") or (f"{home}/.config" if home else None)
    if folder is None:
        return None
    path = Path(folder, "powershell", "unified.ps1")
    with suppress(OSError), path.open("rb") as file:
        if file.read(len(_POWERSHELL)) == _POWERSHELL:
            return path
    return None
