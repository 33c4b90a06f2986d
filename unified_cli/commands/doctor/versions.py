"""The versions that a bug report needs: the program, Python, the system and the
packages.
"""

import platform
import sys
from contextlib import suppress
from importlib import metadata

from unified_cli import __version__
from unified_cli.installation import installed_by
from unified_cli.values import JsonObject

_PACKAGES = (
    "typer rich httpx httptools certifi platformdirs msgspec jq PyYAML tomlkit filelock waitress"
    " truststore keyring obstore pyarrow deltalake distributed mcp jinja2 duckdb"
)


def versions() -> JsonObject:
    """Return the versions as JSON, with how the program was installed."""
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


def _packages() -> dict[str, str]:
    result = {}
    for name in _PACKAGES.split():
        with suppress(metadata.PackageNotFoundError):
            result[name] = metadata.version(name)
    return result
