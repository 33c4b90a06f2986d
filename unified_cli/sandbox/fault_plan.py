"""Parse faults such as `429=5%,reset=1%,slow=200ms,drift,lose-reply=3`, and decide
which requests the faults affect.

The same seed always affects the same requests.
"""

import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import NamedTuple

from unified_cli.catalogue import Operation
from unified_cli.errors import UsageError
from unified_cli.json_text.json_codec import dump
from unified_cli.sandbox.list_page import ListTerms
from unified_cli.sandbox.messages import Refusal, SandboxRequest, SandboxResponse
from unified_cli.sandbox.operation_call import OperationCall
from unified_cli.sandbox.seeded_random import SeededRandom
from unified_cli.values import JsonObject


class FaultWord(NamedTuple):
    """The description of a fault: the word with its value, the effect, and an
    example.
    """

    spelling: str
    about: str
    example: str

    @property
    def name(self) -> str:
        """The word without its value."""
        return self.spelling.partition("=")[0]


FAULT_WORDS = (
    FaultWord(
        "429=CHANCE", "this status as the answer, any of 400 to 599; nothing is done", "500=2"
    ),
    FaultWord("reset=CHANCE", "the connection is reset before anything is done", "reset=1%"),
    FaultWord("truncate=CHANCE", "the answer is cut in the middle", "truncate=3"),
    FaultWord("html=CHANCE", "the answer is 200 with a web page", "html=1"),
    FaultWord("lose-reply=CHANCE", "a write takes effect and its answer is lost", "lose-reply=5%"),
    FaultWord("slow=TIME", "every answer comes after that time", "slow=200ms"),
    FaultWord("rate=N/TIME", "N requests per connection in that time, then 429", "rate=5/1s"),
    FaultWord(
        "rate-headers=WORD",
        "the headers that report the rate limit: all, none, retry-after (with a 429) or ratelimit"
        " (always)",
        "rate-headers=retry-after",
    ),
    FaultWord("page-size=N", "pages are never longer", "page-size=3"),
    FaultWord("cursor-ttl=TIME", "how long a cursor is valid", "cursor-ttl=2s"),
    FaultWord("empty-pages=CHANCE", "a page without records though more follow", "empty-pages=2"),
    FaultWord("dup-cursor=CHANCE", "a page's cursor leads to that same page again", "dup-cursor=2"),
    FaultWord("drift=CHANCE", "between two pages a record is deleted or added", "drift"),
    FaultWord(
        "idempotency=WORD",
        "on; off: keys are ignored; cache500: a 500 is repeated for its key",
        "idempotency=off",
    ),
    FaultWord(
        "actions=WORD", "an action's record comes wrapped in an envelope, or bare", "actions=bare"
    ),
    FaultWord("delete=WORD", "what the answer to a delete is: id, record or 204", "delete=204"),
)
"""Words are separated by commas or line breaks. A CHANCE is a percentage such as `5%`,
a number n for the n-th request that the fault can affect, or empty for all requests. A
TIME is `200ms`, `2s` or `1m`.
"""


_TIME = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m)")
_TOO_LONG = re.compile(r"\d{10}")
_SHOWN = 40
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0}
_CHANCES = ("reset", "truncate", "html", "lose-reply", "empty-pages", "dup-cursor", "drift")
_TIMES = ("slow", "cursor-ttl")
_WORDS: Mapping[str, tuple[str, ...]] = {
    "idempotency": ("on", "off", "cache500"),
    "actions": ("wrapped", "bare"),
    "delete": ("id", "record", "204"),
    "rate-headers": ("all", "none", "retry-after", "ratelimit"),
}
_MEMBERS = ("spec", "rules")
_MEMBERS_OF_RULE = ("fault", "method", "path", "account")
# The faults that only affect lists, and the faults that only affect writes.
_LISTS = frozenset({"empty-pages", "dup-cursor", "drift"})
_WRITES = frozenset({"lose-reply"})
_WAIT = {"retry-after": "1"}


@dataclass(frozen=True, slots=True)
class Rule:
    """A fault, its chance, and its value: a number, a time, or a word.

    `method`, `path` (with `*`) and `account` select the requests.
    """

    name: str
    chance: str = ""
    number: int = 0
    seconds: float = 0.0
    word: str = ""
    method: str | None = None
    path: str | None = None
    account: str | None = None

    def concerns(self, request: SandboxRequest, account: str, operation: Operation) -> bool:
        """Return whether the fault can affect a request."""
        if (self.name in _LISTS and not operation.lists) or (
            self.name in _WRITES and not operation.changes
        ):
            return False
        pairs = ((self.method, request.method), (self.path, request.path), (self.account, account))
        return all(pattern is None or fnmatchcase(text, pattern) for pattern, text in pairs)


FaultHits = Mapping[str, Rule]
"""The faults that affect a request, by name."""


class Faults:
    """The active rules, and the number of requests that each rule has matched.
    Thread-safe.
    """

    def __init__(self, rules: tuple[Rule, ...] = (), seed: str = "") -> None:
        self._lock = threading.Lock()
        self._seed = seed
        self._rules: tuple[Rule, ...] = ()
        self._counts: list[int] = []
        self.set(rules)

    @classmethod
    def parse(cls, spec: str, seed: str = "") -> "Faults":
        """Parse a specification. Raises UsageError, which names an invalid word."""
        return cls(parse(spec), seed)

    def set(self, rules: tuple[Rule, ...]) -> None:
        """Replace the rules and reset the counts."""
        with self._lock:
            self._rules, self._counts = rules, [0] * len(rules)

    @property
    def slow(self) -> bool:
        """Whether a fault may delay responses."""
        return any(rule.name == "slow" for rule in self._rules)

    def hits(self, request: SandboxRequest, account: str, operation: Operation) -> FaultHits:
        """Count a request, and return the faults that affect it."""
        result = {}
        with self._lock:
            for place, rule in enumerate(self._rules):
                if rule.concerns(request, account, operation):
                    self._counts[place] += 1
                    if self._happens(place, rule):
                        result[rule.name] = rule
        return result

    def _happens(self, place: int, rule: Rule) -> bool:
        count = self._counts[place]
        if not rule.chance:
            return True
        if rule.chance.endswith("%"):
            often = float(rule.chance[:-1]) * 10_000
            # Keep the word "strike": another word would make other requests fail for
            # the same seed.
            return (
                SeededRandom.from_words(self._seed, rule.name, place, count).below(
                    "strike", 1_000_000
                )
                < often
            )
        return count == int(rule.chance)


def parse(spec: str) -> tuple[Rule, ...]:
    """Parse the rules of a specification. Raises UsageError, which names an invalid
    word.
    """
    words = [
        word.strip() for line in spec.splitlines() for word in line.partition("#")[0].split(",")
    ]
    return tuple(_rule(word) for word in words if word)


def rules_of(data: JsonObject) -> tuple[Rule, ...]:
    """Return the rules of a JSON object such as `{"spec": "…", "rules": [{"fault":
    "429=2", "method": "POST", "path": "*/tickets"}]}`.
    """
    _refuse_unknown(data, _MEMBERS)
    rules = list(parse(str(data.get("spec", ""))))
    for item in data.get("rules", ()):
        _refuse_unknown(item, _MEMBERS_OF_RULE)
        rule = _rule(str(item.get("fault", "")))
        method, path, account = (
            str(item[name]) if name in item else None for name in ("method", "path", "account")
        )
        rules.append(replace(rule, method=method, path=path, account=account))
    return tuple(rules)


def _refuse_unknown(data: JsonObject, members: tuple[str, ...]) -> None:
    if unknown := data.keys() - {*members}:
        # If a misspelt member were ignored, the rule would match too many requests.
        raise UsageError(f"cannot understand {min(unknown)!r} (known: {', '.join(members)})")


def _rule(word: str) -> Rule:
    if _TOO_LONG.search(word):
        raise UsageError(f"a number of more than nine digits in fault {word[:_SHOWN]!r}")
    name, _, text = word.partition("=")
    if re.fullmatch(r"[45]\d\d", name) or name in _CHANCES:
        if not re.fullmatch(r"|(100|\d{1,2}(\.\d+)?)%|[1-9]\d*", text):
            raise UsageError(
                f"the fault {word!r} needs a chance (such as 5%, or 3 for the third request)"
            )
        return Rule("status", text, number=int(name)) if name.isdigit() else Rule(name, text)
    if name in _TIMES:
        return Rule(name, seconds=_seconds(word, text))
    if name in _WORDS and text in _WORDS[name]:
        return Rule(name, word=text)
    if name == "page-size" and re.fullmatch(r"[1-9]\d*", text):
        return Rule(name, number=int(text))
    if name == "rate" and re.fullmatch(r"[1-9]\d*", text.partition("/")[0]):
        count, _, span = text.partition("/")
        if seconds := _seconds(word, span):
            return Rule(name, number=int(count), seconds=seconds)
        raise UsageError(f"the fault {word!r} needs a time to count in (such as rate=50/10s)")
    known = ", ".join(word.name for word in FAULT_WORDS)
    raise UsageError(f"cannot understand fault {word!r} (known: {known}; unified help sandbox)")


def _seconds(word: str, text: str) -> float:
    match = _TIME.fullmatch(text)
    if match is None:
        raise UsageError(f"the fault {word!r} needs a time (such as 200ms or 2s)")
    return float(match[1]) * _UNITS[match[2]]


def failure(status: int) -> Refusal:
    """Return the service's error response with this status.

    A 503 has a Retry-After header. Without this header, it would mean a blocked
    account.
    """
    if status == 429:
        return Refusal(429, "too many requests", headers=_WAIT)
    headers = _WAIT if status == 503 else {}
    return Refusal(status, f"a fault of the sandbox answers {status}", headers=headers)


def changed_terms(terms: ListTerms, hits: FaultHits) -> ListTerms:
    """Return the terms of a list with faults."""
    size, lifetime = hits.get("page-size"), hits.get("cursor-ttl")
    return replace(
        terms,
        greatest=min(terms.greatest, size.number) if size else terms.greatest,
        lifetime=lifetime.seconds if lifetime else terms.lifetime,
        repeat_cursor="dup-cursor" in hits,
        empty="empty-pages" in hits,
    )


def drift(call: OperationCall) -> None:
    """Delete the first record of a list, or add a record at its end, alternately.

    Does nothing for the first page, so that lists change only between two pages.
    """
    if not call.query.get(call.service.cursor):
        return
    records = call.records()
    with call.store.transaction():
        first = next(records.rows(), None)
        last = next(records.rows_back(1 << 62), None)
        # Alternate between additions and deletions, so that a client that pages record
        # by record reaches the end.
        if first is not None and last is not None and (first.position + last.position) % 2:
            records.delete(first, str(first.value.get("id") or first.position))
        else:
            records.create({"name": dump("Drifted in")}, None, call.now)


def run_delete(
    call: OperationCall, run: Callable[[OperationCall], SandboxResponse], shape: str
) -> SandboxResponse:
    """Delete a record, and return the response that `shape` requests: the id, the
    complete record, or an empty 204.
    """
    if shape == "id":
        return run(call)
    identity = call.identity or call.named("id") or ""
    row = call.records().get(identity)
    run(call)
    return (
        SandboxResponse.json(row.text)
        if shape == "record" and row is not None
        else SandboxResponse(204)
    )
