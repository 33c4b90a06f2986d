"""jq programs, and their results for JSON."""

from collections.abc import Iterator, Sequence

from unified_cli.errors import UsageError
from unified_cli.json_text import surrogates
from unified_cli.json_text.json_codec import dump
from unified_cli.json_text.numbers import changed_by_jq
from unified_cli.json_text.values import Json


class JqProgram:
    """A compiled jq program. It computes in doubles, so it remembers whether it met a number that it changes."""

    def __init__(self, expression: str) -> None:
        """Raises UsageError where the expression cannot be compiled."""
        import jq  # noqa: PLC0415  only for --jq

        try:
            self._program = jq.compile(expression)
        except ValueError as error:
            raise UsageError(f"--jq {_reason(error)}") from None
        self._changed = False

    def run(self, text: bytes) -> Iterator[Json]:
        """The results of the program for one JSON text. Raises UsageError where it fails on it."""
        # jq reads no halves of surrogate pairs.
        readable = surrogates.without(text)
        self._changed = self._changed or readable != text or changed_by_jq(text) is not None
        try:
            yield from iter(self._program.input_text(readable.decode("utf-8")))
        except ValueError as error:
            raise UsageError(f"--jq {_reason(error)}") from None

    def texts(self, text: bytes) -> Iterator[bytes]:
        """The same results, each as JSON on one line."""
        return (dump(value).encode() for value in self.run(text))

    def remarks(self) -> Sequence[str]:
        """What may differ though the program did not ask for it."""
        remark = "--jq computes in doubles, so some values are not as served (integers beyond 2^53, zeros at the end)"
        return [remark] if self._changed else []


def _reason(error: ValueError) -> str:
    return " ".join(str(error).removeprefix("jq: ").split())
