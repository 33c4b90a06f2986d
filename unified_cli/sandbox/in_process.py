"""An httpx transport to the sandbox in this process, without a socket."""

from collections.abc import Iterator
from dataclasses import replace

import httpx

from unified_cli.catalogue import Catalogue
from unified_cli.runtime import Runtime
from unified_cli.sandbox import application, request_content
from unified_cli.sandbox.application import Sandbox
from unified_cli.sandbox.messages import ConnectionDropped, Refusal, SandboxRequest, SandboxResponse
from unified_cli.sandbox.store import own_store


class InProcess(httpx.BaseTransport):
    """Sends every request to the sandbox in this process, whatever the host is."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the sandbox's response. Raises httpx.ReadError if a fault drops the
        connection.
        """
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1")
            for name, value in request.headers.raw
        }
        target = request.url.raw_path.decode("ascii")
        try:
            answer = self._answer(
                SandboxRequest.from_target(request.method, target, headers), request
            )
        except Refusal as refusal:
            answer = refusal.answer(self._sandbox.service)
        except ConnectionDropped as dropped:
            raise httpx.ReadError("the connection was reset", request=request) from dropped
        headers = {**answer.headers, "content-length": str(answer.size)}
        return httpx.Response(
            answer.status, headers=headers, stream=_Body(answer, request), request=request
        )

    def _answer(self, received: SandboxRequest, request: httpx.Request) -> SandboxResponse:
        if not request_content.may_be_large(received, self._sandbox.service):
            return self._sandbox.answer(replace(received, body=request.read()))
        # A synchronous transport always gets such a stream.
        assert isinstance(request.stream, httpx.SyncByteStream)  # noqa: S101
        with request_content.kept(request.stream) as upload:
            return self._sandbox.answer(replace(received, upload=upload))


class OwnSandbox:
    """The user's own sandbox, with the store in the user's folder."""

    def __init__(self, runtime: Runtime, catalogue: Catalogue) -> None:
        """Open the store. Raises the same errors as `own_store`."""
        self._store = own_store(runtime)
        self._sandbox = application.Sandbox(
            catalogue, self._store, wall=runtime.wall, sleep=runtime.sleep
        )

    def transport(self) -> InProcess:
        """Return a new transport to the sandbox. Each client needs its own
        transport.
        """
        return InProcess(self._sandbox)

    def close(self) -> None:
        """Close the store."""
        self._store.close()


class _Body(httpx.SyncByteStream):
    """The body of a response. If a fault cuts the body, reading it raises the same
    error as httpx raises for a socket.
    """

    def __init__(self, answer: SandboxResponse, request: httpx.Request) -> None:
        self._answer = answer
        self._request = request

    def __iter__(self) -> Iterator[bytes]:
        yield from self._answer.content()
        if self._answer.cut is not None:
            raise httpx.RemoteProtocolError(
                "peer closed connection in the middle of a body", request=self._request
            )
