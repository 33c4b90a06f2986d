"""Whether the library that writes Delta tables is installed."""

from importlib import metadata

from unified_cli.errors import ConfigError

INSTALL = "pip install 'deltalake>=1.6' pyarrow"
_LEAST = (1, 6)


def check() -> None:
    """Raise ConfigError if what writes such tables is not installed, or too old."""
    try:
        metadata.version("pyarrow")
        found = metadata.version("deltalake")
    except metadata.PackageNotFoundError:
        raise ConfigError(
            "--format delta needs the packages deltalake and pyarrow", hint=INSTALL
        ) from None
    if tuple(map(int, found.split(".")[:2])) < _LEAST:
        wanted = ".".join(map(str, _LEAST))
        raise ConfigError(
            f"--format delta needs deltalake {wanted} or newer, and {found} is installed",
            hint=INSTALL,
        )
