"""A JSON document on stdout: as served on a pipe, indented and coloured on a terminal; no digit changes."""

from collections.abc import Iterator

from unified_cli.output import stdout, terminal
from unified_cli.output.terminal import TerminalText
from unified_cli.runtime import Runtime


def write(runtime: Runtime, body: bytes) -> None:
    """Write one JSON document and a newline."""
    colour = terminal.has_colour(runtime)
    if not runtime.stdout_is_terminal and not colour:
        stdout.write(runtime, [body if body.endswith(b"\n") else body + b"\n"])
        return
    text = pretty(body) if runtime.stdout_is_terminal else body
    stdout.show(runtime, shown(text.rstrip() + b"\n", colour=colour))


def shown(document: bytes, *, colour: bool) -> Iterator[TerminalText]:
    """JSON as it is shown on a terminal, coloured where asked for, in pieces."""
    text = terminal.json_visible(document.decode("utf-8"))
    if not colour:
        yield text
        return
    from unified_cli.output import json_colour  # noqa: PLC0415  rich is for terminals only

    for piece in json_colour.pieces(text):
        yield json_colour.coloured(piece)


def pretty(body: bytes) -> bytes:
    """The document indented by two blanks, everything else as it was."""
    import msgspec  # noqa: PLC0415  what goes to a pipe is not changed

    try:
        return msgspec.json.format(body, indent=2)
    except msgspec.DecodeError:
        # Half a surrogate pair, which msgspec refuses; the document is shown as it was served.
        return body
