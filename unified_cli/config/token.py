"""Read a token from its declared source, and check it without printing it."""

import os
import re
import selectors
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from unified_cli import hints
from unified_cli.config.file import expand
from unified_cli.errors import ConfigError
from unified_cli.masking import hide
from unified_cli.runtime import Runtime
from unified_cli.storage import permissions, regular_file

_LONGEST = 4096
_TOKEN = re.compile(rb"[\x21-\x7e]+")
_QUOTES = (b'"', b"'")
_ASSIGNED = re.compile(rb"(export )?[A-Z_]*TOKEN=.")
_PIPE_SECONDS = 10.0
_LOOK_AGAIN = 0.1
_TYPED = ("environment", "token")


class TokenSource(NamedTuple):
    """The source of a token.

    `kind` is the name of a config key, or one of `environment`, `token_stdin`,
    `sandbox` and `replay`. `origin` is the origin that the token belongs to, or None if
    unknown. `config.resolution` does not send the token to other origins.
    """

    kind: str
    detail: Any
    source: str
    origin: str | None = None
    profile: str | None = None

    @property
    def words(self) -> str:
        """The config key of the token, and its place."""
        if self.kind == "token_file":
            return f"{self.source} (file {self.detail})"
        if self.kind == "token_command":
            # The arguments may contain a secret.
            return f"{self.source} (command {self.detail[0]})"
        words = {"keyring": "keyring", "token": "plain text in the file"}
        return f"{self.source} ({words[self.kind]})" if self.kind in words else self.source

    def __repr__(self) -> str:
        """Return text that hides the detail, which may be the token."""
        return f"TokenSource({self.kind!r}, {self.source!r})"


Poll = Callable[[], None]
"""Called during a wait for a token, and may end it by raising an error."""


def read(token: TokenSource, runtime: Runtime, poll: Poll = lambda: None) -> str:
    """Return the token, and mask it in all later messages.

    Raises ConfigError if the source fails or its content is not a token. Other sources
    are not tried.
    """
    if token.kind == "sandbox" or runtime.replays:
        # The sandbox and a replay accept any token.
        return token.kind
    if token.kind == "token":
        moves = f"{_login(token)} --store keyring moves it"
        runtime.stderr.note(f"warning: the token of {token.source} is plain text ({moves})")
    if token.kind in _TYPED:
        content = os.fsencode(token.detail)
    else:
        content = _READERS[token.kind](token, runtime, poll).removesuffix(b"\n").removesuffix(b"\r")
    try:
        return checked(content, f"the token from {token.source}")
    except ConfigError as error:
        if error.hint is None and token.kind == "token_file":
            error.add_hint(f"{_login(token)} stores one")
        raise


def checked(content: bytes, where: str) -> str:
    """Return the content as a token, and mask it.

    Raises ConfigError, without the content, if it is invalid.
    """
    if not content:
        piped = (
            "pipe the token in, or use --token-file FILE"
            if where.endswith("--token-stdin")
            else None
        )
        raise ConfigError(f"{where} is empty", hint=piped)
    if len(content) > _LONGEST:
        raise ConfigError(
            f"{where} is longer than {_LONGEST} characters",
            hint="the file must contain only the token, on one line",
        )
    if _ASSIGNED.match(content):
        raise ConfigError(
            f"{where} is an assignment", hint="the token is the part after the equals sign"
        )
    if content[:7].lower() == b"bearer ":
        raise ConfigError(
            f'{where} begins with "Bearer "',
            hint="leave the word out: each request adds it",
        )
    if content[:1] in _QUOTES and content[:1] == content[-1:]:
        raise ConfigError(f"{where} is in quotes", hint="leave the quotes out")
    if content.endswith((b"\n", b"\r")):
        raise ConfigError(f"{where} has a line break at its end", hint="remove it")
    if not _TOKEN.fullmatch(content):
        raise ConfigError(
            f"{where} contains a blank, a line break or another invalid character",
            # A typed token needs no hint, because the prompt is repeated.
            hint="copy the token again, without anything around it" if " from " in where else None,
        )
    result = content.decode("ascii")
    hide(result)
    return result


def keyring_user(profile: str | None, origin: str | None) -> str:
    """Return the user name of a token in the keyring. It includes the origin, so that
    other origins do not get the token.
    """
    return f"{origin or ''}|{profile or ''}"


def _from_stdin(_token: TokenSource, runtime: Runtime, _poll: Poll) -> bytes:
    return read_line(runtime)


def read_line(runtime: Runtime) -> bytes:
    """Return the first line of standard input, for `--token-stdin`."""
    if runtime.stdin is None:
        raise ConfigError("--token-stdin reads standard input, which is closed")
    return runtime.stdin.readline(_LONGEST + 3)


def read_whole(runtime: Runtime) -> bytes:
    """Read a token to store from standard input, without its newline.

    Reads only one line from a terminal, and not more than the longest token.
    """
    if runtime.stdin is None or runtime.stdin_is_terminal:
        found = read_line(runtime)
    else:
        found = runtime.stdin.read(_LONGEST + 3)
    return found.removesuffix(b"\n").removesuffix(b"\r")


def _from_file(token: TokenSource, runtime: Runtime, poll: Poll) -> bytes:
    path = expand(token.detail, runtime.environ)
    try:
        handle = regular_file.without_waiting(path)
        with os.fdopen(handle, "rb", buffering=0) as file:
            status = os.fstat(handle)
            if stat.S_ISREG(status.st_mode):
                permissions.check_with_folder(path, status)
                if permissions.readable_by_others(status) and status.st_uid == os.geteuid():
                    runtime.stderr.note(
                        f"warning: others can read the token file {path}"
                        f" ({hints.make_private(path)})"
                    )
                return file.read(_LONGEST + 3)
            return _read_pipe(handle, path, poll)
    except OSError as error:
        raise ConfigError(
            f"cannot read the token file {path} of {token.source}: {error.strerror}",
            hint=_login(token),
        ) from None


def _read_pipe(handle: int, path: Path, poll: Poll) -> bytes:
    until = time.monotonic() + _PIPE_SECONDS
    result = b""
    with selectors.DefaultSelector() as selector:
        selector.register(handle, selectors.EVENT_READ)
        while len(result) <= _LONGEST:
            if not selector.select(_LOOK_AGAIN):
                poll()
                if time.monotonic() > until:
                    raise ConfigError(f"{path} gave no token within {_PIPE_SECONDS:g} seconds")
                continue
            chunk = os.read(handle, _LONGEST)
            if not chunk:
                break
            result += chunk
    return result


def _from_command(token: TokenSource, runtime: Runtime, poll: Poll) -> bytes:
    from unified_cli.config import token_command  # noqa: PLC0415  a source that few tokens have

    return token_command.run(token.detail, runtime, f"token_command of {token.source}", poll)


def _from_keyring(token: TokenSource, _runtime: Runtime, _poll: Poll) -> bytes:
    from unified_cli.config import keyring  # noqa: PLC0415  as above

    try:
        found = keyring.get(keyring_user(token.profile, token.origin))
    except ConfigError as error:
        raise ConfigError(f"{error.message}; {token.source} has its token in the keyring") from None
    if found is None:
        raise ConfigError(
            f"the keyring has no token of {token.source} for {token.origin}", hint=_login(token)
        )
    return found.encode("utf-8", "surrogatepass")


def _login(token: TokenSource) -> str | None:
    return (
        None
        if token.source.startswith("--")
        else f"unified profile login {token.profile or '--shared'}"
    )


_READERS = {
    "token_stdin": _from_stdin,
    "token_file": _from_file,
    "token_command": _from_command,
    "keyring": _from_keyring,
}
