"""The connections of the sandbox.

The id of a connection determines its behaviour.
"""

from collections.abc import Mapping

# The behaviour of each kind of connection.
KINDS: Mapping[str, str] = {
    "full": "Everything works and every resource has records.",
    "empty": "There are no records yet; you can create some.",
    "read-only": "Reads work; every write is answered with 405.",
    "blocked": "The account is blocked: every request is answered with 503.",
    "needs-reauth": (
        "The provider refuses the stored credentials: 401 until the end user reconnects."
    ),
    "missing-scopes": "Reads work; writes are answered with 403 and the scopes that are missing.",
    "rate-limited": "More than 5 requests in 2 seconds are answered with 429 and Retry-After.",
    "dead-provider": "The provider does not answer: every request ends with 502.",
    "slow": "Every answer takes a second.",
    "tiny-pages": "A page never holds more than 3 records, whatever the limit.",
    "partial": "Lists are partial and give reduced records; get returns the complete record.",
    "help-desk": "The product is a help desk: it has the ticketing API only.",
    "directory": "The product is a directory of people: it has the user-directory API only.",
    "sales": (
        "The product is a CRM: it has the crm API and a search of tickets, which the catalogue"
        " lacks, and tickets."
    ),
    "remapped": (
        "It has a custom field mapping: references are plain ids, and there is a field mapped_by."
    ),
    "untimed": "Its field mapping leaves out created_at and updated_at.",
    "limited": "The provider lacks some resources, such as attachments, tags and comments.",
}

DEFAULT = "full"

# Resources that connections of the kind `limited` lack.
UNSUPPORTED = frozenset(
    {
        "activities",
        "attachments",
        "availability",
        "billing",
        "caches",
        "comments",
        "eeocs",
        "files",
        "folders",
        "permissions",
        "recordings",
        "role_assignments",
        "scorecards",
        "tags",
        "task_lists",
        "tasks",
        "transcripts",
        "utilization",
    }
)


_ONLY_API = {"help-desk": "ticketing", "directory": "user-directory"}


BEYOND = ("sales",)
"""The kinds of connections that offer operations that are not in the catalogue."""


def offers(kind: str, api: str, resource: str) -> bool:
    """Return whether connections of this kind have the resource."""
    if kind == "limited":
        return resource not in UNSUPPORTED
    if kind == "sales":
        return api == "crm" or (api, resource) == ("ticketing", "tickets")
    return _ONLY_API.get(kind, api) == api


def kind_of(account: str) -> str | None:
    """Return the kind of a connection, or None if it is unknown.

    The kind is the part of the id before a colon, or the whole id: `full:acme` is of
    the kind `full`. Each connection has its own records.
    """
    name, colon, suffix = account.partition(":")
    return name if name in KINDS and bool(colon) == bool(suffix) else None
