"""The connections of the sandbox: each id says how its connection behaves."""

from collections.abc import Mapping

# How a connection behaves, by its kind.
KINDS: Mapping[str, str] = {
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

# Resources that the provider behind `limited` does not have, in any API.
UNSUPPORTED = frozenset({
    "activities", "attachments", "availability", "billing", "caches", "comments", "eeocs", "files", "folders",
    "permissions", "recordings", "role_assignments", "scorecards", "tags", "task_lists", "tasks", "transcripts",
    "utilization",
})  # fmt: skip


def kind_of(account: str) -> str | None:
    """The kind of a connection: its id, or the part before a colon as in `full:acme`; None for an unknown one.

    Connections of one kind have each their own records.
    """
    name, colon, suffix = account.partition(":")
    return name if name in KINDS and bool(colon) == bool(suffix) else None
