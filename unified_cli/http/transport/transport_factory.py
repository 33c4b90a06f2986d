"""The one place that opens a connection: to the sandbox in this process, or to the network."""

import logging
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import httpx

from unified_cli.config.address import Address
from unified_cli.http.transport.broken_exchange import Describe
from unified_cli.http.transport.connection_state import ConnectionState
from unified_cli.http.transport.network_backend import DeadlineBackend
from unified_cli.http.transport.network_transport import NetworkTransport
from unified_cli.http.transport.proxy import proxy_for
from unified_cli.http.transport.tls import tls_context
from unified_cli.runtime import Runtime

# Their logs contain headers, also credentials, so they never reach handlers of the root logger.
for _name in ("httpcore", "httpx"):
    logging.getLogger(_name).propagate = False

SandboxTransport = Callable[[], httpx.BaseTransport]


class TransportFactory(NamedTuple):
    """Opens the transports of one worker, which update `state`; `sandbox` opens one to the sandbox in this process.

    `describe` says what an error of a transport means.
    """

    runtime: Runtime
    ca_bundle: str | None
    state: ConnectionState
    sandbox: SandboxTransport
    describe: Describe

    def open(self, address: Address) -> httpx.BaseTransport:
        """A transport with one connection to the address, or one that answers from a recording.

        Raises ConfigError for proxy and TLS settings that cannot be used.
        """
        exchanges = self.runtime.exchanges
        return exchanges.transport(partial(self._open, address), self.describe) if exchanges else self._open(address)

    def _open(self, address: Address) -> httpx.BaseTransport:
        if self.runtime.transport is not None:
            return self.runtime.transport()
        if address.is_sandbox:
            return self.sandbox()
        proxy = proxy_for(address, self.runtime.environ)
        context = None if address.scheme == "http" else tls_context(self.ca_bundle, self.runtime.environ)
        return NetworkTransport(DeadlineBackend(self.state), context, proxy.for_httpcore(context) if proxy else None)
