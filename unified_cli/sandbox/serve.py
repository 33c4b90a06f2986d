"""Serve the sandbox until a signal, for `unified sandbox serve`."""

import contextlib
import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from unified_cli.catalogue import Catalogue
from unified_cli.errors import StorageError, UsageError
from unified_cli.json_text.typed_json import compact_objects
from unified_cli.masking import hide
from unified_cli.runtime import Runtime
from unified_cli.sandbox.accounts import DEFAULT
from unified_cli.sandbox.application import Sandbox
from unified_cli.sandbox.fault_plan import Faults
from unified_cli.sandbox.server import RequestLog, Server, listen
from unified_cli.sandbox.store import SandboxStore, own_store, tell_lost
from unified_cli.sandbox.wsgi_application import check_names
from unified_cli.storage import atomic_file, output_file, regular_file

# The pattern of a file's name. No fault matches this pattern.
_FILE = re.compile(r"[^=,]*(/[^=,]*|\.[a-z]+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The settings of a server. If `token` is None, a new token is generated."""

    port: int = 0
    host: str | None = None
    names: tuple[str, ...] = ()
    token: str | None = None
    ready_file: str | None = None
    seed: str | None = None
    state: str | None = None
    faults: str | None = None
    records: Mapping[tuple[str, str], int] = field(default_factory=dict)
    keep_ids: bool = False


def serve(
    runtime: Runtime,
    catalogue: Catalogue,
    announce: Callable[[bytes], None],
    settings: ServerSettings,
) -> None:
    """Serve until a signal.

    `announce` is called with `export` lines for a shell, which have the address and, if
    it was generated, the token. Raises UsageError for invalid faults or an unknown
    host, and StorageError if the port, the state or the file cannot be used.
    """
    check_names(settings.names)
    faults = Faults.parse(_spec(settings.faults), settings.seed or "")
    token = settings.token or secrets.token_urlsafe(24)
    hide(token)
    with contextlib.closing(_store(runtime, settings)) as store:
        store.encode = compact_objects
        sandbox = Sandbox(
            catalogue,
            store,
            token=token,
            faults=faults,
            control=True,
            keep_ids=settings.keep_ids,
            wall=runtime.wall,
            sleep=runtime.sleep,
        )
        server = Server(sandbox, listen(settings.port, settings.host), names=settings.names)
        with contextlib.closing(server):
            server.log = RequestLog(runtime) if runtime.stderr.verbosity else None
            values = {
                "UNIFIED_BASE_URL": server.url,
                "UNIFIED_TOKEN": token,
                "UNIFIED_ACCOUNT_ID": DEFAULT,
            }
            if settings.token:
                del values["UNIFIED_TOKEN"]
            with _ready_file(settings.ready_file, values):
                announce(
                    "".join(f"export {name}={value}\n" for name, value in values.items()).encode()
                )
                runtime.stderr.note(f"the sandbox listens on {server.url}; stop it with Ctrl-C")
                if server.others:
                    runtime.stderr.note(
                        "warning: other machines can reach the sandbox, and nothing is encrypted"
                    )
                server.run()


def _store(runtime: Runtime, settings: ServerSettings) -> SandboxStore:
    if settings.state is None:
        return own_store(runtime, settings.seed, settings.records)
    path = None if settings.state == ":memory:" else Path(settings.state)
    if path:
        output_file.check_folder(path)
    store = SandboxStore.open(path, settings.seed, records=settings.records)
    tell_lost(runtime, store)
    return store


def _spec(faults: str | None) -> str:
    if not faults:
        return ""
    try:
        path = Path(faults)
        is_file = path.is_file() or _FILE.fullmatch(faults)
        return path.read_text("utf-8") if is_file else faults
    except FileNotFoundError as error:
        raise UsageError(f"cannot read the faults in {faults}: {error.strerror}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the faults in {faults}: {error}") from None


@contextlib.contextmanager
def _ready_file(name: str | None, values: Mapping[str, str]) -> Iterator[None]:
    """Keep a file of `NAME=value` lines during the block. Raises StorageError."""
    if name is None:
        yield
        return
    path = Path(name)
    try:
        regular_file.check(path)
        atomic_file.sweep_unheld(path.parent, path.name)
        with atomic_file.AtomicFile.beside(path) as file:
            file.write("".join(f"{key}={value}\n" for key, value in values.items()).encode())
            file.publish(path, replace=True)
    except OSError as error:
        raise StorageError(f"cannot write --ready-file {path}: {error.strerror}") from None
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
