"""Keep a library from unpickling what others send: a pickle can run any function of this process."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_EVENT = "pickle.find_class"
# The type of each result, which a scheduler passes on; without a value it does nothing.
_HARMLESS = {("builtins", "bytes")}


class PickleRefusedError(TypeError):
    """A pickle named a class or a function."""


class _Refusals:
    """Refuses every pickle that names anything, as long as somebody asks for it, and remembers what was named.

    Python tells its audit hooks of each name before it is looked up. A pickle without names holds plain data only.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked = 0
        self._is_hooked = False

    def begin(self) -> None:
        with self._lock:
            if not self._is_hooked:
                # A hook stays as long as the process.
                sys.addaudithook(self._check)
                self._is_hooked = True
            self._asked += 1

    def end(self) -> None:
        with self._lock:
            self._asked -= 1

    def _check(self, event: str, arguments: tuple[object, ...]) -> None:
        if event == _EVENT and self._asked and arguments not in _HARMLESS:
            # A library may take this error for one of the data, and go on.
            raise PickleRefusedError("a pickle is not read here: " + ".".join(map(str, arguments)))


_REFUSALS = _Refusals()


@contextmanager
def refused() -> Iterator[None]:
    """Refuse pickles in all threads of this process, for as long as the block lasts, with PickleRefusedError."""
    _REFUSALS.begin()
    try:
        yield
    finally:
        _REFUSALS.end()
