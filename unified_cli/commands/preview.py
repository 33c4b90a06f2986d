"""A request shown instead of sent: as JSON, or as a command line that runs as it is."""

import shlex

import msgspec

from unified_cli.errors import UsageError
from unified_cli.output import document, stream
from unified_cli.runtime import Runtime
from unified_cli.wire.request import Request

_TOKEN = "$UNIFIED_TOKEN"  # noqa: S105  the variable's name, which stands for the token


def show(runtime: Runtime, request: Request, as_: str | None) -> None:
    """Print the request; the token is not even looked up."""
    if as_ == "curl":
        if request.address.is_sandbox:
            raise UsageError("the sandbox in this process has no address for curl (unified sandbox serve gives it one)")
        stream.write(runtime, [(curl(request) + "\n").encode()])
        return
    shown = {
        "method": request.method,
        "url": request.url,
        "headers": {**request.headers, "Authorization": "Bearer ***"},
        "body": msgspec.Raw(request.body) if request.body is not None else None,
    }
    document.write(runtime, msgspec.json.encode(shown))


def curl(request: Request) -> str:
    """The request as a line for a POSIX shell, with the token left to the variable UNIFIED_TOKEN."""
    words = ["curl", "--fail-with-body", "-sS", "-X", request.method, shlex.quote(request.url)]
    words += ["-H", f'"Authorization: Bearer {_TOKEN}"']
    for name, value in request.headers.items():
        words += ["-H", shlex.quote(f"{name}: {value}")]
    if request.body is not None:
        words += ["--data-binary", shlex.quote(request.body.decode("utf-8"))]
    return " ".join(words)
