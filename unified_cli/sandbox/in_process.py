"""The sandbox as an httpx transport: no port, no socket, the path exactly as it would be sent."""

from collections.abc import Iterator

import httpx

from unified_cli.sandbox.application import Sandbox
from unified_cli.sandbox.messages import ConnectionDropped, Refusal, SandboxRequest


class InProcess(httpx.BaseTransport):
    """Answers every request from a sandbox in this process, whatever host it names."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The sandbox's answer. Raises httpx.ReadError where the sandbox drops the connection on purpose."""
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in request.headers.raw}
        target = request.url.raw_path.decode("ascii")
        try:
            answer = self._sandbox.answer(SandboxRequest.of(request.method, target, headers, request.read()))
        except Refusal as refusal:
            answer = refusal.answer(self._sandbox.service)
        except ConnectionDropped as dropped:
            raise httpx.ReadError("the connection was reset", request=request) from dropped
        headers = {**answer.headers, "content-length": str(len(answer.body))}
        body = _Broken(answer.body[: answer.cut], request) if answer.cut is not None else httpx.ByteStream(answer.body)
        return httpx.Response(answer.status, headers=headers, stream=body, request=request)


class _Broken(httpx.SyncByteStream):
    """A body that breaks off, with what httpx raises over a socket."""

    def __init__(self, start: bytes, request: httpx.Request) -> None:
        self._start = start
        self._request = request

    def __iter__(self) -> Iterator[bytes]:
        yield self._start
        raise httpx.RemoteProtocolError("peer closed connection in the middle of a body", request=self._request)
