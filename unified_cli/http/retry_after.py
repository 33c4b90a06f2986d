"""When an answer asks to come back: its Retry-After header, and dates in headers."""

import re
from email.utils import parsedate_to_datetime

_NUMBER = re.compile(r"\d{1,9}(\.\d+)?", re.ASCII)


def seconds(values: list[str], date: str | None) -> float | None:
    """The seconds of a Retry-After header; None if it is absent or invalid.

    A date is compared with the answer's own Date, because this machine's clock may be wrong.
    """
    if len(values) != 1:
        return None
    value = values[0].strip()
    if _NUMBER.fullmatch(value):
        return float(value) or None
    then, now = http_date(value), http_date(date)
    return None if then is None or now is None else max(0.0, then - now) or None


def http_date(text: str | None) -> float | None:
    """The seconds since 1970 of a date in a header; None if it is absent or invalid."""
    try:
        date = parsedate_to_datetime(text or "")
        return date.timestamp() if date.tzinfo else None
    except (ValueError, TypeError, OverflowError):
        return None
