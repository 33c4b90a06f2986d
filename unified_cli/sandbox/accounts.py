"""The connections that exist: each has a character, and any number of names can share one."""

from collections.abc import Mapping

# The connections by id, with what is special about each.
CHARACTERS: Mapping[str, str] = {
    "full": "Everything works and every resource has records.",
    "empty": "Nothing is there yet; records can be created.",
    "read-only": "Reads work; every write is answered with 405.",
    "blocked": "The account is blocked: every request is answered with 503.",
    "needs-reauth": "The provider refuses the stored credentials: 401 until the end user reconnects.",
    "missing-scopes": "Reads work; writes are answered with 403 and the scopes that are missing.",
    "rate-limited": "More than 5 requests in 2 seconds are answered with 429 and Retry-After.",
    "dead-provider": "The provider does not answer: every request ends with 502.",
    "slow": "Every answer takes a second.",
    "tiny-pages": "A page never holds more than 3 records, whatever the limit.",
    "partial": "Lists are partial and give reduced records; get gives the whole one.",
    "limited": "The provider lacks some resources, attachments, tags and comments among them.",
}

DEFAULT = "full"

# Resources that the provider behind `limited` does not have, in whatever API they stand.
LACKED = frozenset({
    "activities", "attachments", "availability", "billing", "caches", "comments", "eeocs", "files", "folders",
    "permissions", "recordings", "role_assignments", "scorecards", "tags", "task_lists", "tasks", "transcripts",
    "utilization",
})  # fmt: skip


def character(account: str) -> str | None:
    """The character of a connection: the id itself, or what stands before a colon as in `full:acme`; None if unknown.

    Every spelling is a connection of its own, with its own records.
    """
    name, colon, suffix = account.partition(":")
    return name if name in CHARACTERS and bool(colon) == bool(suffix) else None
