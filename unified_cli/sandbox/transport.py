"""The sandbox as an httpx transport: no port, no socket, the path exactly as it would travel."""

import httpx

from unified_cli.sandbox.app import Sandbox
from unified_cli.sandbox.exchange import Dropped, Request


class InProcess(httpx.BaseTransport):
    """Answers every request from a sandbox in this process, whatever host it names."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The sandbox's answer. Raises httpx.ReadError where the sandbox drops the connection on purpose."""
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in request.headers.raw}
        target = request.url.raw_path.decode("ascii")
        try:
            answer = self._sandbox.answer(Request.of(request.method, target, headers, request.read()))
        except Dropped as dropped:
            raise httpx.ReadError(str(dropped), request=request) from dropped
        return httpx.Response(
            answer.status,
            headers={**answer.headers, "content-length": str(len(answer.body))},
            content=answer.body,
            request=request,
        )
