"""Store tokens in the keyring of this machine.

Calls have a timeout. Backends that store plain text are refused.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from unified_cli import os_limits
from unified_cli.errors import ConfigError, UnifiedError
from unified_cli.installation import command_to_add

SERVICE = "unified"
SECONDS = 3.0
T = TypeVar("T")

# Backends of the keyring library that store nothing, or store it in plain text.
_REFUSED_MODULES = ("keyring.backends.fail", "keyring.backends.null")
_REFUSED_CLASS = "plaintext"


class NoKeyringError(ConfigError):
    """The keyring library is not installed, or no backend is safe."""


def get(user: str) -> str | None:
    """Return the token with this name, or None. Raises ConfigError if the keyring
    fails.
    """
    return _with_timeout(lambda: _text(_backend().get_password(SERVICE, user)))


def put(user: str, token: str) -> str:
    """Store a token, and return the name of the keyring. Raises ConfigError if it
    fails.
    """

    def work() -> str:
        backend = _backend()
        backend.set_password(SERVICE, user, token)
        return _name(backend)

    return _with_timeout(work)


def remove(user: str) -> bool:
    """Remove the token with this name, and return whether it existed."""

    def work() -> bool:
        backend = _backend()
        if backend.get_password(SERVICE, user) is None:
            return False
        backend.delete_password(SERVICE, user)
        return True

    return _with_timeout(work)


def backend_name() -> str:
    """Return the name of the keyring. Raises ConfigError if there is no safe
    keyring.
    """
    return _with_timeout(lambda: _name(_backend()))


def _with_timeout(work: Callable[[], T]) -> T:
    """Call `work` with a timeout.

    A keyring may wait for a dialog that the user does not see.
    """
    try:
        return os_limits.run_with_timeout(work, SECONDS)
    except os_limits.UnansweredError:
        raise ConfigError(f"the keyring gave no answer within {SECONDS:g} seconds") from None
    except (UnifiedError, KeyboardInterrupt):
        raise
    except BaseException as error:  # noqa: BLE001  backends raise whatever they like
        if isinstance(error, ImportError) and error.name == "keyring":
            raise NoKeyringError(
                "the Python package keyring is not installed", hint=command_to_add("keyring")
            ) from None
        # Print only the type of the error, because its message may contain the token.
        raise ConfigError(f"the keyring failed: {type(error).__name__}") from None


def _backend() -> Any:
    import keyring  # noqa: PLC0415  an extra, and slow to import

    chosen = keyring.get_keyring()
    for backend in getattr(chosen, "backends", [chosen]):
        if not _is_refused(backend):
            return backend
    raise NoKeyringError("this machine has no keyring that stores a token safely")


def _is_refused(backend: Any) -> bool:
    kind = type(backend)
    return kind.__module__.startswith(_REFUSED_MODULES) or _REFUSED_CLASS in kind.__name__.lower()


def _name(backend: Any) -> str:
    return str(type(backend).__module__).removeprefix("keyring.backends.")


def _text(found: Any) -> str | None:
    return None if found is None else str(found)
