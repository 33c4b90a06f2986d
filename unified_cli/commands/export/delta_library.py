"""The library that writes Delta tables: whether it is installed, and how it reaches
them.
"""

import os
from importlib import metadata
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from unified_cli import os_limits
from unified_cli.errors import ConfigError
from unified_cli.installation import command_to_add
from unified_cli.runtime import Runtime
from unified_cli.storage import object_store
from unified_cli.storage.object_store import StoreUrl

INSTALL = command_to_add("deltalake>=1.6", "pyarrow")
_LEAST = (1, 6)
_OTHERS = 0o077


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


class TablePlace(NamedTuple):
    """Where tables are: a folder or the URL of a store, and how the library reaches
    it.
    """

    base: str
    settings: dict[str, str]
    url: StoreUrl | None

    @classmethod
    def of(cls, text: str, runtime: Runtime) -> "TablePlace":
        """Return the place that a user names so. Raises UsageError, UnsafeError."""
        url = object_store.parse_url(text)
        if url is None or url.is_folder:
            # The library gives files the rights that the process leaves open, and its
            # threads share them.
            os.umask(_OTHERS)
            return cls(str(os_limits.absolute(Path(url.prefix if url else text))), {}, url)
        base = f"{url.scheme}://{url.bucket}/{quote(url.prefix)}".rstrip("/")
        return cls(base, object_store.table_settings(url, runtime.environ), url)
