"""Find out how this program was installed, and which command adds a package to it."""

import json
import shlex
import sys
from contextlib import suppress
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from unified_cli import DISTRIBUTION

_PIPX, _UV_TOOL = "pipx", "uv tool"
# Files that these installers leave in the environment of a program.
_INSTALLERS = {"pipx_metadata.json": _PIPX, "uv-receipt.toml": _UV_TOOL}


def installed_by() -> str:
    """Return the name of the installer, such as pip, pipx, uv or uv tool.

    The text ends with "editable" if changes to the source take effect at once.
    """
    if tool := _installing_tool():
        return tool
    try:
        found = metadata.distribution(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return "nothing: it runs from its source"
    installer = (found.read_text("INSTALLER") or "").strip() or "an unknown installer"
    with suppress(ValueError, AttributeError):
        origin = json.loads(found.read_text("direct_url.json") or "{}")
        if origin.get("dir_info", {}).get("editable"):
            return f"{installer}, editable"
    return installer


def command_to_add(*packages: str) -> str:
    """Return the command that installs packages for this program."""
    wanted = shlex.join(packages)
    if _installing_tool() == _PIPX:
        return f"pipx inject {DISTRIBUTION} {wanted}"
    python = shlex.quote(sys.executable)
    if _installing_tool() == _UV_TOOL or find_spec("pip") is None:
        return f"uv pip install --python {python} {wanted}"
    return f"{python} -m pip install {wanted}"


def _installing_tool() -> str | None:
    return next(
        (tool for name, tool in _INSTALLERS.items() if Path(sys.prefix, name).is_file()), None
    )
