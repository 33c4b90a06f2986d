"""Make the client of a call: pace, quota, and the sandbox in this process where the address says so."""

import gc

from unified_cli.catalogue import Catalogue
from unified_cli.config.settings import Settings
from unified_cli.runtime import Runtime
from unified_cli.sandbox.app import Sandbox
from unified_cli.sandbox.place import own_store
from unified_cli.sandbox.transport import InProcess
from unified_cli.wire.client import Client
from unified_cli.wire.pace import Pace
from unified_cli.wire.retry import Quota


def client(runtime: Runtime, catalogue: Catalogue, resolved: Settings, token: str) -> Client:
    """A client for one connection, with a pace and a quota of its own."""
    # From here on a command may run long; __main__ had switched the collector off for the start.
    gc.enable()
    sandboxed = resolved.address is not None and resolved.address.is_sandbox
    pace = Pace(0 if sandboxed else resolved["rate"], runtime.monotonic, runtime.sleep)
    return Client(
        resolved,
        token,
        runtime,
        catalogue.service,
        lambda: InProcess(Sandbox(catalogue, own_store(runtime), wall=runtime.wall, sleep=runtime.sleep)),
        pace=pace,
        quota=Quota(),
    )
