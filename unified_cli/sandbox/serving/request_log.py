"""The log of the requests to a served sandbox: a line each, with `-vv` the bodies too."""

import time
from typing import TYPE_CHECKING

from unified_cli.masking import cut, masked
from unified_cli.runtime import Runtime
from unified_cli.sandbox.messages import SandboxResponse

if TYPE_CHECKING:
    from wsgiref.types import WSGIEnvironment

_LONGEST = 2000


class RequestLog:
    """Writes to stderr what was requested and answered: nothing without `-v`."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def start(self) -> float:
        """The time at which a request came."""
        return self._runtime.monotonic()

    def write(self, environ: "WSGIEnvironment", answer: SandboxResponse | None, start: float) -> None:
        """Log a request with its answer; without one the connection was reset."""
        stderr = self._runtime.stderr
        if not stderr.verbosity:
            return
        moment = time.strftime("%H:%M:%S", time.localtime(self._runtime.wall()))
        target = str(environ.get("REQUEST_URI", environ.get("PATH_INFO", "")))
        took = f"{(self._runtime.monotonic() - start) * 1000:.1f} ms"
        end = "connection reset" if answer is None else f"{answer.line}, {len(answer.body)} bytes"
        lines = [f"{moment} {environ['REQUEST_METHOD']} {cut(masked(target))} -> {end}, {took}"]
        if answer is not None and stderr.verbosity > 1:
            lines += [f"    {name}: {value}" for name, value in answer.headers.items()]
            if "content-encoding" not in answer.headers:
                lines.append(f"    {cut(masked(answer.body.decode('utf-8', 'backslashreplace')), _LONGEST)}")
        stderr.block(lines)
