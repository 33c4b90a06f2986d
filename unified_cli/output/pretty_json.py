"""A JSON document on stdout: as served on a pipe, indented and coloured on a terminal; no digit changes."""

from unified_cli.output import stdout, terminal
from unified_cli.runtime import Runtime

# rich takes seconds for megabytes.
LARGEST_COLOURED = 256 * 1024


def write(runtime: Runtime, body: bytes) -> None:
    """Write one JSON document and a newline."""
    if not runtime.stdout_is_terminal:
        stdout.write(runtime, [body if body.endswith(b"\n") else body + b"\n"])
        return
    text = terminal.json_visible(pretty(body).decode("utf-8"))
    if terminal.has_colour(runtime) and len(text) <= LARGEST_COLOURED:
        text = terminal.coloured_json(text)
    stdout.write(runtime, [terminal.encode(runtime, text + "\n")])


def pretty(body: bytes) -> bytes:
    """The document indented by two blanks, everything else as it was."""
    import msgspec  # noqa: PLC0415  what goes to a pipe is not changed

    try:
        return msgspec.json.format(body, indent=2)
    except msgspec.DecodeError:
        # Half a surrogate pair, which msgspec refuses; the document is shown as it was served.
        return body
