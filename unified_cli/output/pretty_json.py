"""A JSON document on stdout: as served, or indented and coloured on a terminal or on request; no digit changes."""

from collections.abc import Iterator

from unified_cli.output import stdout, terminal
from unified_cli.output.terminal import TerminalText
from unified_cli.runtime import Runtime


def write(runtime: Runtime, body: bytes) -> None:
    """Write one JSON document and a newline."""
    colour = terminal.has_colour(runtime)
    text = pretty(body).rstrip() if runtime.stdout_is_terminal or runtime.pretty else body
    text = text if text.endswith(b"\n") else text + b"\n"
    if runtime.stdout_is_terminal or colour:
        stdout.show(runtime, shown(text, colour=colour))
    else:
        stdout.write(runtime, [text])


def shown(document: bytes, *, colour: bool) -> Iterator[TerminalText]:
    """JSON as it is shown on a terminal, coloured where asked for, in pieces."""
    text = document.decode("utf-8")
    if not colour:
        yield terminal.json_visible(text)
        return
    from unified_cli.output import json_colour  # noqa: PLC0415  only where there are colours

    for piece in json_colour.pieces(text):
        yield json_colour.coloured(terminal.json_visible(piece))


def pretty(body: bytes) -> bytes:
    """The document indented by two blanks, everything else as it was."""
    import msgspec  # noqa: PLC0415  what goes to a pipe is not changed

    try:
        return msgspec.json.format(body, indent=2)
    except msgspec.DecodeError:
        # Half a surrogate pair, which msgspec refuses; the document is shown as it was served.
        return body
