"""Whether other machines see the place of an export as this one does: each reads there
what the other wrote.
"""

import re
import secrets
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from types import TracebackType
from typing import Self

from unified_cli import os_limits
from unified_cli.commands.export import store_lease
from unified_cli.commands.export.store_lease import Sign
from unified_cli.errors import StateError, StorageError
from unified_cli.runtime import Runtime
from unified_cli.storage import state
from unified_cli.storage.object_store import StoredObjects

_FOLDER = ".probe"
_HINT = "all machines have to see the same place: a shared disk, or a bucket"
_WORD = re.compile(r"[0-9a-f]{16}", re.ASCII)
# A shared disk may show a moment later what another machine wrote.
_PATIENCE_SECONDS = 3.0
_POLL_SECONDS = 0.25
# A driver writes its probe anew so often, and one that is that much older than another
# was left behind.
_BEAT_SECONDS = 30.0
_JOIN_SECONDS = 5.0
_LEFT = timedelta(minutes=10)


class SharedPlace:
    """The probe of an export's driver, which is there as long as the block lasts.

    It is a probe of that run: a place that was copied some time ago has another.
    """

    def __init__(self, runtime: Runtime, objects: StoredObjects) -> None:
        self._runtime = runtime
        self._objects = objects
        self._sign = store_lease.own_sign()
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self._answers: list[str] = []

    @property
    def word(self) -> str:
        """A unique name for this probe."""
        return self._sign.writer

    def __enter__(self) -> Self:
        """Write the probe, and remove those that were left behind.

        Raises StorageError.
        """
        self._write()
        self._sweep()
        self._thread = os_limits.start_thread(self._renew)
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _: TracebackType | None,
    ) -> None:
        self._ended.set()
        if self._thread:
            # It may be writing the probe.
            self._thread.join(_JOIN_SECONDS)
        with suppress(StorageError):
            there = [name for name in self._objects.listed(_FOLDER) if name.startswith(self.word)]
            # A store may list an object some time after it can be read.
            self._objects.remove([_path(name) for name in {*there, *self._answers, self.word}])

    def check_answer(self, where: str, word: str) -> None:
        """Raise StateError if the probe of this worker, as it calls it, is not there;
        StorageError.
        """
        name = f"{self.word}-{word}"
        if not _WORD.fullmatch(word) or not _found(
            self._runtime, lambda: self._objects.get(_path(name)) == word.encode()
        ):
            raise StateError(
                f"what {where} wrote to {self._objects.url} is not seen here", hint=_HINT
            )
        self._answers.append(name)

    def _write(self) -> None:
        self._objects.put(_path(self.word), self._sign.text())

    def _renew(self) -> None:
        while not self._ended.wait(_BEAT_SECONDS):
            # A store that fails now may work again later.
            with suppress(StorageError):
                self._write()

    def _sweep(self) -> None:
        """Remove the probes of drivers that were killed. The times are those of the
        store, so no clocks differ.
        """
        there = self._objects.listed(_FOLDER)
        own = there.get(self.word)
        for name, stored in there.items():
            word = name.partition("-")[0]
            text = None if word == self.word else self._objects.get(_path(word))
            sign = state.decoded(text, Sign) if text else None
            is_old = own is not None and own.modified - stored.modified > _LEFT
            if word != self.word and (is_old or (sign is not None and store_lease.is_dead(sign))):
                left = [_path(one) for one in there if one.partition("-")[0] == word]
                # Its probe last: anyone who is killed here finds the others by it.
                self._objects.remove(sorted(left, reverse=True))


def check(runtime: Runtime, objects: StoredObjects, word: str) -> None:
    """Raise StateError if this machine does not see the probe of the driver;
    StorageError.
    """

    def is_seen() -> bool:
        text = objects.get(_path(word))
        sign = state.decoded(text, Sign) if text else None
        return sign is not None and sign.writer == word

    if not _WORD.fullmatch(word) or not _found(runtime, is_seen):
        raise StateError(f"what the driver wrote to {objects.url} is not seen there", hint=_HINT)


def answer(objects: StoredObjects, word: str) -> str:
    """Write a probe beside that of the driver, and give what it is called.

    Raises StorageError.
    """
    own = secrets.token_hex(8)
    objects.put(_path(f"{word}-{own}"), own.encode())
    return own


def _path(name: str) -> str:
    return f"{_FOLDER}/{name}"


def _found(runtime: Runtime, is_there: Callable[[], bool]) -> bool:
    until = runtime.monotonic() + _PATIENCE_SECONDS
    while not (found := is_there()) and runtime.monotonic() < until:
        runtime.sleep(_POLL_SECONDS)
    return found
