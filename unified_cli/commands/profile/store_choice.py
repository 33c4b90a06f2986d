"""Where the token of a profile is to be stored, if neither the command line nor the profile says it."""

from collections.abc import Sequence

from unified_cli.cli import prompt
from unified_cli.config.credentials import keyring, login
from unified_cli.config.credentials.keyring import NoKeyringError
from unified_cli.config.credentials.login import TokenPlace
from unified_cli.runtime import Runtime


def places(runtime: Runtime, names: Sequence[str | None], wanted: str | None, *, ask: bool) -> list[TokenPlace]:
    """The place for the token of each profile, None being the shared token; no place at all if the user declines.

    Without a keyring, a terminal asks whether to store it in a private file; otherwise that is done, with a message.
    Raises the errors of `login.choose` and `login.check`.
    """
    found = [login.choose(runtime, name, wanted) for name in names]
    undecided = [place for place in found if wanted is None and not place.declared]
    missing = _missing_keyring() if undecided else None
    if missing:
        question = f"{missing}; store the token in a file only you can read?"
        if ask and not prompt.ask(runtime, question, default=True):
            return []
        if not ask:
            runtime.stderr.note(f"{missing}, so the token is stored in a file only you can read")
        found = [login.choose(runtime, place.profile, "file") if place in undecided else place for place in found]
    for place in found:
        login.check(place)
    return found


def _missing_keyring() -> str | None:
    try:
        keyring.backend_name()
    except NoKeyringError as error:
        return error.reason
    return None
