"""Ask for confirmation before a delete."""

from unified_cli.config.settings import Settings
from unified_cli.errors import UsageError
from unified_cli.runtime import Runtime


def confirm_delete(
    runtime: Runtime, settings: Settings, what: str, *, yes: bool, stdin_holds_data: bool = False
) -> None:
    """Ask before a delete, unless `yes` confirms it; `what` is deleted, in the connection of the settings.

    Raises UsageError if nobody confirms it: the answer is no, prompts are off, or there is no terminal to ask on.
    """
    if yes:
        return
    account = f"account {settings.account_id}"
    named = f"{what} in " + (f'profile "{settings.profile}" ({account})' if settings.profile else account)
    if stdin_holds_data or settings.no_input or not (runtime.stdin_is_terminal and runtime.stderr_is_terminal):
        raise UsageError(f"not deleted: cannot ask whether to delete {named}", hint="add --yes")
    if not ask(runtime, f"delete {named}?"):
        raise UsageError("not deleted")


def ask(runtime: Runtime, question: str, *, default: bool = False) -> bool:
    """Whether the person at the terminal says yes; a line without an answer is the default, no line is no."""
    runtime.stderr.prompt(f"{question} [{'Y/n' if default else 'y/N'}] ")
    answer = runtime.stdin.readline(100) if runtime.stdin else b""
    return answer.strip().lower() in {b"y", b"yes"} or (default and answer.endswith(b"\n") and not answer.strip())
