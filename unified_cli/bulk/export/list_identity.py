"""What tells one export of a list from another, and which of their options differ."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from unified_cli.http.request import Request

Option = str | int | list[str] | None
# How each option is spelled for the user.
_WORDS = {
    "origin": "base URL",
    "path": "operation",
    "query": "-q or --page-size",
    "account": "account",
    "format": "-o",
    "columns": "--columns",
    "jq": "--jq",
    "csv_safe": "--csv-safe",
    "bom": "--bom",
    "dedupe": "--dedupe",
    "limit": "--limit",
    "cursor": "--cursor",
    "since": "--lag",
    "replay": "--replay",
    "changed_since": "--since",
}


@dataclass(frozen=True, slots=True)
class ListIdentity:
    """Where a list is read from, what is asked for and how it is written: a `digest` of all, and of each option."""

    digest: str
    options: Mapping[str, str]

    @classmethod
    def of(cls, request: Request, *, bom: bool, replay: bool, **options: Option) -> Self:
        """The identity of the export of the request's list with these options."""
        # Identities from before there were these options lack them.
        options |= ({"bom": True} if bom else {}) | ({"replay": True} if replay else {})
        asked = {
            "origin": request.address.origin,
            "path": request.path,
            "query": [*map(list, request.query)],
            "account": request.account,
            **options,
        }
        # The query names the account too, which is an option of its own.
        told = {**asked, "query": [[*pair] for pair in request.query if pair[1] != request.account]}
        # The values themselves stay out of the file: a query may hold what is nobody's business.
        return cls(_digest(asked), {name: _digest(value)[:8] for name, value in told.items()})

    def other(self, earlier: Mapping[str, str]) -> str:
        """The options that an earlier export had otherwise, in words; it may not have said which it had."""
        names = {**self.options, **earlier} if earlier else {}
        differing = [_WORDS.get(name, name) for name in names if earlier.get(name) != self.options.get(name)]
        return f"another {' and another '.join(differing)}" if differing else "other options"


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
