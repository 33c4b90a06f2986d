"""Create errors for removed options, with the commands that replace them."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from unified_cli.errors import UsageError
from unified_cli.hints import quoted

_EXPORT = "unified knowledge-base page-exports"
_LOCAL = ("--wait-timeout", "--out")
_SHARED = ["-p", "--profile", "-a", "--account-id", "--base-url", "--token-file", "-q", "--query"]
_UNTIL = (
    "--until '.urls | length > 0'"
    """ --fail-if '.status | IN("failed","error","cancelled","expired")'"""
)


def wait(path: str, argv: Sequence[str]) -> UsageError | None:
    """Return the error for `--wait`, which 0.2.0 had.

    Returns None unless the command exports pages. The hint has the three commands that
    replace it.
    """
    if path != f"{_EXPORT} create":
        return None
    typed = [*_pairs(argv)]
    create = " ".join(["unified", *(quoted(word) for name, word in typed if name not in _LOCAL)])
    shared = "".join(f" {quoted(word)}" for name, word in typed if name in _SHARED)
    out = " ".join(quoted(word) for name, word in typed if name == "--out") or "--out FILE"
    reason = f"{path}: no such option: --wait; three commands replace it"
    error = UsageError(reason, hint="ID is the id that the first command prints")
    get, download = (f"{_EXPORT} {name} ID{shared}" for name in ("get", "download"))
    error.next_command = f"{create}\n{get} {_UNTIL}\n{download} {out}"
    return error


def _pairs(argv: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield each word except `--wait`, with the option that it belongs to."""
    for before, word in pairwise(("", *argv)):
        takes_value = before in _LOCAL or before in _SHARED
        if word != "--wait":
            yield before if takes_value else word.partition("=")[0], word
