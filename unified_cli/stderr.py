"""The only writer of stderr: all text is safe for a terminal and free of secrets."""

from typing import BinaryIO

from unified_cli.masking import masked, visible


class Stderr:
    """Writes messages to stderr: secrets masked, control characters escaped, each call in one write.

    `stream` is None if stderr is closed: then nothing is written. `verbosity` counts the `-v`s.
    """

    def __init__(self, stream: BinaryIO | None, *, encoding: str = "utf-8") -> None:
        self._stream = stream
        self._encoding = encoding
        self._passing = False
        self.quiet = False
        self.machine = False
        """Errors are printed as JSON objects."""
        self.verbosity = 0

    def named(self, name: str) -> "Stderr":
        """The same, with a name at the start of each line, such as that of a connection."""
        return _NamedStderr(self, name)

    def note(self, text: str) -> None:
        """Print a line that `--quiet` suppresses."""
        if not self.quiet:
            self.line(text)

    def line(self, text: str) -> None:
        """Print a line, whatever the verbosity."""
        self.block([text])

    def status(self, text: str) -> None:
        """Show a temporary line on a terminal: the next output replaces it, and an empty text removes it."""
        if not self.quiet and (text or self._passing):
            self._write(visible(masked(text)))
            self._passing = bool(text)

    def prompt(self, text: str) -> None:
        """Print a prompt; the answer is typed on the same line."""
        self._write(visible(masked(text)))

    def block(self, lines: list[str]) -> None:
        """Print several lines in one write."""
        self._write("".join(f"{visible(masked(line))}\n" for line in lines))

    def _write(self, text: str) -> None:
        if self._stream is None:
            return
        try:
            erased = "\r\x1b[K" if self._passing else ""
            self._passing = False
            self._stream.write(f"{erased}{text}".encode(self._encoding, "backslashreplace"))
            self._stream.flush()
        except (OSError, ValueError):
            # The reader is gone; the exit code still says how it ended.
            self._stream = None


class _NamedStderr(Stderr):
    """Writes through another, which has the stream."""

    def __init__(self, stderr: Stderr, name: str) -> None:
        super().__init__(None)
        self._through = stderr
        self._name = name
        self.quiet, self.machine, self.verbosity = stderr.quiet, stderr.machine, stderr.verbosity

    def block(self, lines: list[str]) -> None:
        self._through.block([f"{self._name}: {line}" for line in lines])
