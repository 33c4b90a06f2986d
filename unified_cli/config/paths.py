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
