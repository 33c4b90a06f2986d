"""Paths as people write them in a config file."""

import os
from collections.abc import Mapping
from pathlib import Path


def expand(text: str, environ: Mapping[str, str]) -> Path:
    """The path, with a leading `~` expanded to the user's home directory; without one, `~` stays a name."""
    home = environ.get("HOME") or environ.get("USERPROFILE")
    if home and (text == "~" or text.startswith(("~/", f"~{os.sep}"))):
        return Path(home + text[1:])
    return Path(text)


def exists(path: Path) -> bool:
    """Whether the path exists, as far as this user can see: nothing exists in a folder without access."""
    return os.path.exists(path)  # noqa: PTH110  Path.exists raises for a folder without access
