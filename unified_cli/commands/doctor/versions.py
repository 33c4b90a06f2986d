"""The versions that a report needs: of the program, Python, the system and the
packages.
"""

import json
import platform
import sys
from contextlib import suppress
from importlib import metadata
from pathlib import Path

from unified_cli import DISTRIBUTION, __version__
from unified_cli.values import JsonObject

_PACKAGES = (
    "typer rich httpx httptools certifi platformdirs msgspec jq PyYAML tomlkit filelock waitress"
    " truststore keyring obstore pyarrow deltalake distributed mcp jinja2 duckdb"
)
# Files that these installers leave in the environment of a program.
_INSTALLERS = {"pipx_metadata.json": "pipx", "uv-receipt.toml": "uv tool"}


def versions() -> JsonObject:
    """Return them as JSON, with how the program was installed."""
    system = {"python": sys.version, "platform": platform.platform()}
    return {
        "unified": __version__,
        "installed": installed_by(),
        **system,
        "packages": _packages(),
    }


def program_in_words() -> str:
    """Return how the program was installed, the Python and the system in one line."""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"installed by {installed_by()}; {python} on {platform.platform()}"


def packages_in_words() -> str:
    """Return the versions of the packages in one line."""
    return ", ".join(f"{name} {version}" for name, version in _packages().items())


def installed_by() -> str:
    """Return the name of the installer: pip, pipx, uv, uv tool, or as its file says.

    With the word editable where changes of the source are seen at once.
    """
    for name, installer in _INSTALLERS.items():
        if Path(sys.prefix, name).is_file():
            return installer
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


def _packages() -> dict[str, str]:
    found = {}
    for name in _PACKAGES.split():
        with suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(name)
    return found
