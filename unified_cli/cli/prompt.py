"""Ask for confirmation before a delete."""

from unified_cli.config.settings import Settings
from unified_cli.errors import UsageError
from unified_cli.http.request import Request
from unified_cli.runtime import Runtime


def delete(runtime: Runtime, resolved: Settings, request: Request, *, yes: bool) -> None:
    """Ask before a delete on a terminal; off a terminal a typed id needs no confirmation.

    Raises UsageError if it is not confirmed.
    """
    if yes or not (runtime.stdin_is_terminal and runtime.stderr_is_terminal):
        return
    if resolved.no_input:
        raise UsageError(f"not deleted: prompts are off ({request.method} {request.path}; add --yes)")
    if not ask(runtime, f"delete {request.path} of connection {request.account}?"):
        raise UsageError("not deleted")


def ask(runtime: Runtime, question: str) -> bool:
    """Whether the person at the terminal says yes."""
    runtime.stderr.prompt(f"{question} [y/N] ")
    answer = runtime.stdin.readline(100) if runtime.stdin else b""
    return answer.strip().lower() in {b"y", b"yes"}


def delete_many(runtime: Runtime, resolved: Settings, what: str, *, yes: bool, piped: bool) -> None:
    """Ask before many records are deleted. Raises UsageError without confirmation; off a terminal only `yes` is one."""
    if yes:
        return
    if piped or resolved.no_input or not (runtime.stdin_is_terminal and runtime.stderr_is_terminal):
        raise UsageError(f"not deleted: cannot ask about {what} (add --yes)")
    if not ask(runtime, f"delete {what} of connection {resolved.account_id}?"):
        raise UsageError("not deleted")
