"""Lock a destination in an object store with a lease."""

import json
import os
import platform
import secrets
import threading
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from unified_cli import os_limits
from unified_cli.errors import StateError, StorageError
from unified_cli.exported.destination import InUseError
from unified_cli.exported.list_export import TakenOverError
from unified_cli.runtime import Runtime
from unified_cli.storage import state
from unified_cli.storage.object_store import StoredObjects

# A run renews its lease every `_BEAT_SECONDS`. It is considered dead after
# `_DEAD_SECONDS` without a renewal.
_BEAT_SECONDS = 5.0
_DEAD_SECONDS = 20.0
_POLL_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Sign:
    """The stored record of a lease, or of its renewals: the process that holds it."""

    writer: str
    process: int
    host: str
    machine: str
    beats: int = 0

    def text(self, beats: int = 0) -> bytes:
        """Return the record as it is stored after this many renewals of the lease."""
        return json.dumps(asdict(replace(self, beats=beats))).encode()


class StoreLease:
    """A lease that one run holds at a time and renews every few seconds.

    Leases are numbered, so that only one run can take over from a dead run. A lease is
    only created and removed. Renewals go to an object with the name of the lease and
    its writer, so that a late one does not bring back a lease that another run removed.

    Clocks are not compared: a second run waits, and checks whether either object
    changes. If the first run was only slow, its next chunk is refused, so no data is
    lost or mixed.
    """

    def __init__(self, runtime: Runtime, objects: StoredObjects, folder: str) -> None:
        self._runtime = runtime
        self._objects = objects
        self._folder = folder
        self._number = 0
        self._before: list[str] = []
        self.follows_frozen = False
        """Whether an earlier run did not release the lease. It may be frozen."""
        self._sign = own_sign()
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def take(self) -> None:
        """Take the lease, and keep renewing it.

        Raises InUseError if another run has the lease, and StorageError if the store
        fails or does not support If-None-Match.
        """
        names = self._names()
        if names and self._is_alive(names[-1]):
            raise self._in_use(self._read(names[-1]))
        signs = [sign for name in names if (sign := self._read(name))]
        self.follows_frozen = not all(map(is_dead, signs))
        self._number = int(names[-1]) + 1 if names else 1
        self._before = sorted({*names, *self._objects.listed(self._folder)})
        if not self._objects.create(self._path, self._sign.text()):
            raise self._in_use(self._read(_name(self._number)))
        if self._objects.create(self._path, self._sign.text(beats=1)):
            raise StorageError(
                f"{self._objects.url} replaces objects where it should only create them, so runs"
                " could mix",
                hint="use a store that supports If-None-Match on a put",
            )
        self._thread = os_limits.start_thread(self._renew)

    @property
    def is_held(self) -> bool:
        """Whether a run has the lease, after waiting for its next renewal. Raises
        StorageError.
        """
        names = self._names()
        return bool(names) and self._is_alive(names[-1])

    def check(self) -> None:
        """Raise TakenOverError if another run has the lease.

        Raises StorageError if the store fails.
        """
        sign = self._read(_name(self._number))
        if sign != self._sign or self._read(_name(self._number + 1)):
            raise TakenOverError(str(self._objects.url))

    def release(self) -> None:
        """Remove the lease, unless another run has taken over. Waits at most a few
        seconds for the store.
        """
        self._ended.set()
        if self._thread:
            self._thread.join(_BEAT_SECONDS)
            os_limits.start_thread(self._remove).join(_BEAT_SECONDS)

    @property
    def _path(self) -> str:
        return f"{self._folder}/{_name(self._number)}"

    @property
    def _renewals(self) -> str:
        return f"{self._path}-{self._sign.writer}"

    def _renew(self) -> None:
        beats = 0
        while not self._ended.wait(_BEAT_SECONDS):
            beats += 1
            # Ignore a failure: the store may work again before this run is considered
            # dead.
            with suppress(StorageError):
                self._objects.put(self._renewals, self._sign.text(beats))

    def _remove(self) -> None:
        with suppress(StateError, StorageError):
            self.check()
            # Remove earlier leases first, so that a frozen run that wakes up notices
            # the new one.
            self._objects.remove([f"{self._folder}/{name}" for name in self._before])
            self._objects.remove([self._path])
        with suppress(StorageError):
            self._objects.remove([self._renewals])

    def _names(self) -> list[str]:
        names = [name for name in self._objects.listed(self._folder) if name.isdecimal()]
        # A new object can be read before the store lists it, so look for it by its
        # name.
        while self._read(later := _name(int(names[-1]) + 1 if names else 1)):
            names.append(later)
        return names

    def _is_alive(self, name: str) -> bool:
        before = self._read(name)
        if before is None or is_dead(before):
            return False
        self._runtime.stderr.note(
            f"waiting {_DEAD_SECONDS:.0f} s to see whether process {before.process} on"
            f" {before.host} still runs its export to {self._objects.url}"
        )
        renewals = f"{name}-{before.writer}"
        last = self._read(renewals)
        until = self._runtime.monotonic() + _DEAD_SECONDS
        while self._runtime.monotonic() < until:
            self._runtime.sleep(_POLL_SECONDS)
            # The lease is removed first, so read it last.
            renewed, found = self._read(renewals), self._read(name)
            if (renewed, found) != (last, before):
                # If the lease is gone, the other run has ended.
                return found is not None
        return False

    def _read(self, name: str) -> Sign | None:
        text = self._objects.get(f"{self._folder}/{name}")
        return None if text is None else state.decoded(text, Sign)

    def _in_use(self, sign: Sign | None) -> InUseError:
        holder = f"process {sign.process} on {sign.host}" if sign else "another run"
        return InUseError(f"the export to {self._objects.url} is in use by {holder}")


def own_sign() -> Sign:
    """Return a new, unique lease record for this process."""
    return Sign(secrets.token_hex(8), os.getpid(), platform.node(), _machine())


def is_dead(sign: Sign) -> bool:
    """Return whether the process has certainly ended.

    Only a process of this machine since its last boot can be checked.
    """
    if sign.machine != _machine() or sign.process in {0, os.getpid()}:
        return False
    try:
        os.kill(sign.process, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False


def _name(number: int) -> str:
    return f"{number:06}"


def _machine() -> str:
    """Return an id of the host, its boot and the container.

    Processes with the same id can see each other.
    """
    found = [platform.node()]
    with suppress(OSError):
        found.append(Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip())
        found.append(str(Path("/proc/self/ns/pid").readlink()))
    return " ".join(found)
