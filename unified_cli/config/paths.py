"""Paths as people write them in a config file."""

import os
from collections.abc import Mapping
from pathlib import Path


def expand(text: str, environ: Mapping[str, str]) -> Path:
    """The path, with `~` at its start read as the user's home; where there is no home, `~` stays a name."""
    home = environ.get("HOME") or environ.get("USERPROFILE")
    if home and (text == "~" or text.startswith(("~/", f"~{os.sep}"))):
        return Path(home + text[1:])
    return Path(text)


def exists(path: Path) -> bool:
    """Whether something is there, as far as this user may look: a closed folder holds nothing."""
    return os.path.exists(path)  # noqa: PTH110  Path.exists raises for a closed folder
