"""Tokens in this machine's keyring: asked for three seconds at most, and never in one that keeps plain text."""

import threading
from collections.abc import Callable
from typing import Any, TypeVar

from unified_cli.errors import ConfigError

SERVICE = "unified"
SECONDS = 3.0
T = TypeVar("T")

# Modules and classes of the keyring library that keep nothing, or keep it for everybody to read.
_REFUSED_MODULES = ("keyring.backends.fail", "keyring.backends.null")
_REFUSED_CLASS = "plaintext"


def get(user: str) -> str | None:
    """The token kept under that name, None where there is none. Raises ConfigError for a keyring that does not work."""
    return _asked(lambda: _text(_backend().get_password(SERVICE, user)))


def put(user: str, token: str) -> str:
    """Keep a token under that name; the keyring's own name. Raises ConfigError for a keyring that does not work."""

    def work() -> str:
        backend = _backend()
        backend.set_password(SERVICE, user, token)
        return _name(backend)

    return _asked(work)


def remove(user: str) -> bool:
    """Forget the token under that name; whether there was one."""

    def work() -> bool:
        backend = _backend()
        if backend.get_password(SERVICE, user) is None:
            return False
        backend.delete_password(SERVICE, user)
        return True

    return _asked(work)


def backend_name() -> str:
    """What the keyring of this machine is called; ConfigError where there is none to trust."""
    return _asked(lambda: _name(_backend()))


def _asked(work: Callable[[], T]) -> T:
    """What `work` gives, in a thread that nothing waits for: a keyring may be waiting for a window nobody sees."""
    result: list[T] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            result.append(work())
        except BaseException as error:  # noqa: BLE001  backends raise whatever they like
            failure.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(SECONDS)
    if result:
        return result[0]
    if not failure:
        raise ConfigError(f"the keyring gave no answer within {SECONDS:g} seconds")
    error = failure[0]
    if isinstance(error, ConfigError):
        raise error
    if isinstance(error, ImportError) and error.name == "keyring":
        raise ConfigError("the keyring needs the library of that name (pip install 'unified-cli[keyring]')") from None
    # Only the kind: what a backend says may quote what it was given.
    raise ConfigError(f"the keyring failed: {type(error).__name__}") from None


def _backend() -> Any:
    import keyring  # noqa: PLC0415  an extra, and slow to import

    chosen = keyring.get_keyring()
    for backend in getattr(chosen, "backends", [chosen]):
        if not _is_refused(backend):
            return backend
    raise ConfigError("there is no keyring on this machine that keeps a token safe")


def _is_refused(backend: Any) -> bool:
    kind = type(backend)
    return kind.__module__.startswith(_REFUSED_MODULES) or _REFUSED_CLASS in kind.__name__.lower()


def _name(backend: Any) -> str:
    return str(type(backend).__module__).removeprefix("keyring.backends.")


def _text(found: Any) -> str | None:
    return None if found is None else str(found)
