"""The token: one declared source, read late, checked, and never shown."""

import os
import re
import signal
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unified_cli.errors import ConfigError
from unified_cli.runtime import Runtime

_LONGEST = 4096
_TOKEN = re.compile(rb"[\x21-\x7e]+")
_COMMAND_SECONDS = 10
_KEYRING_SECONDS = 3
KEYRING_SERVICE = "unified"


@dataclass(frozen=True, slots=True)
class TokenSource:
    """Where a token is: `kind` is a key of the config, or `environment`, `token_stdin`, `sandbox`.

    `origin` is the scheme, host and port it belongs to, None where that is not written down.
    """

    kind: str
    detail: Any = field(repr=False)
    source: str
    origin: str | None = None
    profile: str | None = None


def read(token: TokenSource, runtime: Runtime) -> str:
    """The token itself, hidden from stderr from now on.

    Raises ConfigError where the source fails or gives what cannot be a token; it never tries another source.
    """
    if token.kind == "sandbox":
        return "sandbox"
    content = _READERS[token.kind](token, runtime)
    found = _checked(content, token)
    runtime.talk.hide(found)
    return found


def keyring_user(token: TokenSource) -> str:
    """The name a token is kept under in the keyring."""
    return f"{token.origin or ''}|{token.profile or ''}"


def _checked(content: bytes, token: TokenSource) -> str:
    for end in (b"\r\n", b"\n"):
        if content.endswith(end) and token.kind not in {"environment", "token"}:
            content = content.removesuffix(end)
            break
    where = f"the token from {token.source}"
    if not content:
        raise ConfigError(f"{where} is empty")
    if len(content) > _LONGEST:
        raise ConfigError(f"{where} is longer than {_LONGEST} characters")
    if content.endswith((b"\n", b"\r")):
        raise ConfigError(f"{where} has a line break at its end")
    if not _TOKEN.fullmatch(content):
        raise ConfigError(f"{where} holds a blank, a line break or a character that no token can have")
    return content.decode("ascii")


def _from_environment(token: TokenSource, _: Runtime) -> bytes:
    return os.fsencode(token.detail)


def _from_stdin(_: TokenSource, runtime: Runtime) -> bytes:
    if runtime.stdin is None:
        raise ConfigError("--token-stdin was given, and standard input is closed")
    return runtime.stdin.readline(_LONGEST + 3)


def _from_file(token: TokenSource, _: Runtime) -> bytes:
    path = Path(token.detail).expanduser()
    try:
        with path.open("rb") as file:
            if (
                os.name == "posix"
                and stat.S_ISREG((status := os.fstat(file.fileno())).st_mode)
                and status.st_mode & 0o022
            ):
                raise ConfigError(f"others can write the token file {path} (chmod go-w {path})")
            return file.read(_LONGEST + 3)
    except OSError as error:
        raise ConfigError(f"cannot read the token file {path}: {error.strerror}") from None


def _from_config(token: TokenSource, runtime: Runtime) -> bytes:
    runtime.talk.note(f"warning: {token.source} keeps its token in plain text (unified profile login moves it)")
    return os.fsencode(token.detail)


def _from_command(token: TokenSource, runtime: Runtime) -> bytes:
    import subprocess  # noqa: PLC0415  most calls start no program

    program, *arguments = token.detail
    found = _find(program, runtime.environ)
    what = f"token_command of {token.source}"
    if found is None:
        raise ConfigError(f"{what}: no program {program!r} on PATH")
    environ = {name: value for name, value in runtime.environ.items() if name != "UNIFIED_TOKEN"}
    try:
        child = subprocess.Popen(  # noqa: S603  an argument list from the user's own config, and no shell
            [found, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environ,
            start_new_session=True,
        )
    except OSError as error:
        raise ConfigError(f"{what}: cannot run {found}: {error.strerror}") from None
    try:
        output, complaint = child.communicate(timeout=_COMMAND_SECONDS)
    except subprocess.TimeoutExpired:
        raise ConfigError(f"{what} gave no answer within {_COMMAND_SECONDS} seconds") from None
    finally:
        _end(child.pid)
        child.wait()
    if child.returncode:
        said = complaint.decode("utf-8", "replace").strip().splitlines()
        raise ConfigError(f"{what} failed with {child.returncode}" + (f": {said[-1][:200]}" if said else ""))
    if len(output.splitlines()) > 1:
        raise ConfigError(f"{what} printed more than one line")
    return output


def _end(group: int) -> None:
    # The group, not the process: a helper that hangs may have started others.
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return


def _find(program: str, environ: Mapping[str, str]) -> str | None:
    if Path(program).is_absolute():
        return program
    if os.sep in program:
        return None
    # Empty and relative entries of PATH mean the working directory, which is nobody's to trust.
    import shutil  # noqa: PLC0415  most calls start no program

    folders = [entry for entry in environ.get("PATH", os.defpath).split(os.pathsep) if Path(entry).is_absolute()]
    return shutil.which(program, path=os.pathsep.join(folders))


def _from_keyring(token: TokenSource, _: Runtime) -> bytes:
    try:
        import keyring  # noqa: PLC0415  an extra, and slow to import
    except ImportError:
        raise ConfigError(
            f"{token.source} keeps its token in the keyring (pip install 'unified-cli[keyring]')"
        ) from None
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  as above

    ask = ThreadPoolExecutor(1).submit(keyring.get_password, KEYRING_SERVICE, keyring_user(token))
    try:
        found = ask.result(_KEYRING_SECONDS)
    except TimeoutError:
        raise ConfigError(
            f"the keyring gave no answer within {_KEYRING_SECONDS} seconds, asked by {token.source}"
        ) from None
    except Exception as error:  # noqa: BLE001  backends raise whatever they like
        raise ConfigError(f"the keyring failed, asked by {token.source}: {type(error).__name__}") from None
    if found is None:
        raise ConfigError(f"the keyring holds no token for {token.source} (unified profile login {token.profile})")
    return os.fsencode(found)


_READERS = {
    "environment": _from_environment,
    "token_stdin": _from_stdin,
    "token_file": _from_file,
    "token_command": _from_command,
    "token": _from_config,
    "keyring": _from_keyring,
}
