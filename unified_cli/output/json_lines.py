"""One record, one line: as JSON, or as nothing but its id."""

from collections.abc import Sequence

from unified_cli.json_text.members import Record, one_line as on_one_line, parts, text
from unified_cli.json_text.values import JsonObject


class Lines:
    """NDJSON: records as they were served; those that held line breaks are written compactly."""

    def __init__(self, memory: JsonObject) -> None:
        self.memory = memory

    def add(self, records: Sequence[Record], *, one_line: bool) -> bytes:
        """One line a record."""
        if not records:
            return b""
        lines = records if one_line else [_flat(bytes(record)) for record in records]
        return b"\n".join([*lines, b""])

    def end(self, next_cursor: str | None) -> bytes:  # noqa: ARG002  lines need no end
        """Nothing."""
        return b""

    def shortcomings(self) -> Sequence[str]:
        """None."""
        return ()

    def remarks(self) -> Sequence[str]:
        """None."""
        return ()


def _flat(record: bytes) -> bytes:
    return on_one_line(record) if b"\n" in record or b"\r" in record else record


class Ids:
    """One id a line, for other programs."""

    def __init__(self, memory: JsonObject) -> None:
        self.memory = memory
        self._without: int = memory.get("without", 0)

    def add(self, records: Sequence[Record], *, one_line: bool) -> bytes:  # noqa: ARG002  ids are short
        """The ids; records that have none, or one that would not stay on its line, are counted."""
        found = [text((parts(record) or {}).get("id")) for record in records]
        good = [one for one in found if one and one.isprintable()]
        self._without += len(found) - len(good)
        self.memory["without"] = self._without
        return "".join(f"{one}\n" for one in good).encode("utf-8")

    def end(self, next_cursor: str | None) -> bytes:  # noqa: ARG002  lines need no end
        """Nothing."""
        return b""

    def shortcomings(self) -> Sequence[str]:
        """How many records had no id."""
        return [f"{self._without} records have no id that fits on a line"] if self._without else []

    def remarks(self) -> Sequence[str]:
        """None."""
        return ()
