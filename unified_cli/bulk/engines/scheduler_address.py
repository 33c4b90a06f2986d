"""The address of a scheduler, as `--engine` takes it."""

import re
from importlib.util import find_spec

from unified_cli.config import address
from unified_cli.errors import ConfigError, UnsafeError, UsageError

_ADDRESS = re.compile(r"(?P<scheme>dask|tls)://(?P<host>\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+):(?P<port>[1-9]\d{0,4})/?")


def parse(text: str) -> str:
    """The address as Dask writes it.

    Raises UsageError for what is none, UnsafeError for clear text to another machine, ConfigError without the extra.
    """
    found = _ADDRESS.fullmatch(text)
    if not found or int(found["port"]) > 65535:
        raise UsageError("--engine takes dask://HOST:PORT, or tls://HOST:PORT on another machine")
    place = f"{found['host']}:{found['port']}"
    if found["scheme"] == "dask" and not address.is_loopback(found["host"].strip("[]")):
        # A task names accounts, and whoever can change what is sent can run programs on the workers.
        raise UnsafeError(f"the scheduler at {found['host']} would be reached in clear text", hint=f"use tls://{place}")
    if find_spec("distributed") is None:
        raise ConfigError(
            "--engine needs the packages dask and obstore", hint="pip install 'dask[distributed]' obstore"
        )
    return f"{'tls' if found['scheme'] == 'tls' else 'tcp'}://{place}"
