"""Make the client of a call: pace, quota, and the sandbox in this process where the address says so."""

import gc
from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn

from unified_cli.catalogue import Catalogue
from unified_cli.config.settings import Settings
from unified_cli.runtime import Runtime
from unified_cli.wire.client import Client
from unified_cli.wire.pace import Pace
from unified_cli.wire.retry import Quota

if TYPE_CHECKING:
    from unified_cli.sandbox.transport import InProcess


def client(runtime: Runtime, catalogue: Catalogue, resolved: Settings, token: str) -> Client:
    """A client for one connection, with a pace and a quota of its own."""
    return clients(runtime, catalogue, resolved, token)()


def clients(runtime: Runtime, catalogue: Catalogue, resolved: Settings, token: str) -> Callable[[], Client]:
    """Makes a client for each worker of a run; they share one pace, one quota and one sandbox."""
    # From here on a command may run long; __main__ had switched the collector off for the start.
    gc.enable()
    sandboxed = resolved.address is not None and resolved.address.is_sandbox
    pace = Pace(0 if sandboxed else resolved["rate"], runtime.monotonic, runtime.sleep)
    quota = Quota()
    own = _sandbox(runtime, catalogue) if sandboxed else _nowhere
    return lambda: Client(resolved, token, runtime, catalogue.service, own, pace=pace, quota=quota)


def _sandbox(runtime: Runtime, catalogue: Catalogue) -> "Callable[[], InProcess]":
    from unified_cli.sandbox.app import Sandbox  # noqa: PLC0415  forty rooms that a call to the service never enters
    from unified_cli.sandbox.place import own_store  # noqa: PLC0415  as above
    from unified_cli.sandbox.transport import InProcess  # noqa: PLC0415  as above

    sandbox = Sandbox(catalogue, own_store(runtime), wall=runtime.wall, sleep=runtime.sleep)
    return lambda: InProcess(sandbox)


def _nowhere() -> NoReturn:
    raise AssertionError("only the sandbox's own address asks for the sandbox")
