"""Read the rate limit in the headers of a response."""

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from unified_cli.http.rate import RateFacts, Window

# The IETF draft "RateLimit header fields for HTTP" writes RateLimit: "default";r=3;t=7
# and RateLimit-Policy: "default";q=50;w=10. Earlier versions of the draft, and services
# older than the draft, use three separate headers.
_OLDER = {
    f"{prefix}{word}": prefix
    for prefix in ("ratelimit-", "x-ratelimit-", "x-rate-limit-")
    for word in ("remaining", "limit")
}
_ITEM = re.compile(r'\s*"?([^";,]*)"?\s*((?:;[^,]*)?)')
_PARAMETER = re.compile(r";\s*(\w+)=(\d{1,18}(?:\.\d{1,9})?)")
_NUMBER = re.compile(r"\s*(\d{1,18})(?:\.\d*)?\s*(?:$|[;,])", re.ASCII)

# A later reset belongs to a daily or monthly quota, not to a rate limit.
_FARTHEST = 60.0
_LARGEST = 1_000_000
_EPOCH_SECONDS, _EPOCH_MILLISECONDS = 1e9, 1e12
_SECONDS = re.compile(r"\d{1,9}(\.\d+)?", re.ASCII)


def read(headers: Mapping[str, str]) -> RateFacts | None:
    """Return the limit in the headers, or None. Names must be in lower case."""
    if "ratelimit" in headers:
        return _structured(headers)
    # Fast path: most responses have no such headers.
    if headers.keys().isdisjoint(_OLDER):
        return None
    return _three_fields(
        headers, next(prefix for name, prefix in _OLDER.items() if name in headers)
    )


def _structured(headers: Mapping[str, str]) -> RateFacts:
    policies = dict(_items(headers.get("ratelimit-policy", "")))
    limits = [
        (values["r"], name, values)
        for name, values in _items(headers["ratelimit"])
        if "r" in values
    ]
    if not limits:
        return RateFacts(None, None, None)
    remaining, name, values = (
        min(limits)[:3] if len(limits) == 1 else min(limits, key=lambda limit: limit[0])
    )
    policy = policies.get(name, {})
    return RateFacts(
        _window(policy.get("q"), policy.get("w")), int(remaining), _near(values.get("t"))
    )


def _items(text: str) -> list[tuple[str, dict[str, float]]]:
    return [
        (name, {key: float(value) for key, value in _PARAMETER.findall(parameters)})
        for name, parameters in _ITEM.findall(text)
        if parameters
    ]


def _three_fields(headers: Mapping[str, str], prefix: str) -> RateFacts:
    limit, remaining = (
        headers.get(f"{prefix}limit", ""),
        _NUMBER.match(headers.get(f"{prefix}remaining", "")),
    )
    reset = headers.get(f"{prefix}reset", "").strip()
    return RateFacts(
        _policy(limit),
        int(remaining[1]) if remaining else None,
        _reset(reset, headers.get("date")),
    )


def _policy(limit: str) -> Window | None:
    """Return the window of the first limit, the one that is reached first.

    If it has none, return the slowest other window. In "10, 100;w=60" the limit of 10
    has no window, because the 60 seconds belong to the limit of 100.
    """
    parts = [
        (float(number[1]), float(dict(_PARAMETER.findall(part)).get("w", 0)))
        for part in limit.split(",")
        if (number := _NUMBER.match(part))
    ]
    windows = [window for sends, seconds in parts if (window := _window(sends, seconds))]
    nearest = [window for window in windows if window.sends == parts[0][0]]
    return min(nearest or windows, key=lambda window: window.rate, default=None)


def _reset(text: str, date: str | None) -> float | None:
    number = _NUMBER.fullmatch(text)
    if number is None:
        return _near(retry_after([text], date))
    value = float(number[1])
    if value < _EPOCH_SECONDS:
        return _near(value)
    # Compare a time with the Date of the response, because this machine's clock may be
    # wrong.
    then = value / 1000 if value >= _EPOCH_MILLISECONDS else value
    now = http_date(date)
    return _near(then - now) if now else None


def _near(seconds: float | None) -> float | None:
    return seconds if seconds is not None and 0 < seconds <= _FARTHEST else None


def _window(sends: float | None, seconds: float | None) -> Window | None:
    if not sends or not seconds or sends > _LARGEST or seconds > _FARTHEST:
        return None
    return Window(sends, seconds)


def retry_after(values: list[str], date: str | None) -> float | None:
    """Return the seconds of a Retry-After header, or None.

    Returns None if it is absent or invalid. A date is compared with the response's
    Date, because this machine's clock may be wrong.
    """
    if len(values) != 1:
        return None
    value = values[0].strip()
    if _SECONDS.fullmatch(value):
        return float(value) or None
    then, now = http_date(value), http_date(date)
    return None if then is None or now is None else max(0.0, then - now) or None


def http_date(text: str | None) -> float | None:
    """Return an HTTP date in seconds since 1970, or None.

    Returns None if it is absent or invalid.
    """
    try:
        date = parsedate_to_datetime(text or "")
        return date.timestamp() if date.tzinfo else None
    except (ValueError, TypeError, OverflowError):
        return None
