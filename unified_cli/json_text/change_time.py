"""When a record changed, as it says itself."""

from datetime import UTC, datetime

from unified_cli.json_text.members import Record, parts, string

FIELD = "updated_at"


def changed_at(record: Record | bytes) -> datetime | None:
    """When the record changed; None where it does not say so as ISO 8601 does.

    Assumption: a time without an offset is in UTC.
    """
    value = (parts(record) or {}).get(FIELD)
    if value is None or not value.startswith(b'"'):
        return None
    try:
        return parse(string(value))
    except (ValueError, OverflowError):
        return None


def parse(text: str) -> datetime:
    """The time that is written as in ISO 8601, in UTC. Raises ValueError, OverflowError."""
    found = datetime.fromisoformat(text)
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def timestamp(at: datetime) -> str:
    """The time as ISO 8601 writes it, in UTC."""
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
