"""Ask before something is deleted, where there is somebody to ask."""

from unified_cli.config.settings import Settings
from unified_cli.errors import UsageError
from unified_cli.runtime import Runtime
from unified_cli.wire.request import Request


def delete(runtime: Runtime, resolved: Settings, request: Request, *, yes: bool) -> None:
    """Let one typed id through off a terminal; on one, ask. UsageError where the answer is no, or cannot be had."""
    if yes or not (runtime.stdin_is_terminal and runtime.stderr_is_terminal):
        return
    if resolved["no_input"]:
        raise UsageError(f"not deleted: asking is off, so say --yes ({request.method} {request.path})")
    if not ask(runtime, f"delete {request.path} of connection {request.account}?"):
        raise UsageError("not deleted")


def ask(runtime: Runtime, question: str) -> bool:
    """Whether the person at the terminal says yes."""
    runtime.talk.prompt(f"{question} [y/N] ")
    answer = runtime.stdin.readline(100) if runtime.stdin else b""
    return answer.strip().lower() in {b"y", b"yes"}
