"""Misbehaviour as data: `429=5%,reset=1%,slow=200ms,drift,lose-reply=3`, the same for a seed every time.

Word by word, between commas or on lines of their own:

    429=CHANCE, 500=CHANCE, …   that status instead of an answer, nothing done
    reset=CHANCE                the connection is reset before anything is done
    truncate=CHANCE             the answer breaks off in the middle
    html=CHANCE                 a 200 that is a web page
    lose-reply=CHANCE           a write takes effect and its answer is lost
    slow=TIME                   every answer waits that long
    rate=N/TIME                 so many requests per connection in that time, then 429
    page-size=N                 pages are never longer
    cursor-ttl=TIME             how long a cursor lives
    empty-pages=CHANCE          a page without records though more follow
    dup-cursor=CHANCE           a page's cursor leads to that same page again
    drift=CHANCE                between two pages a record is deleted or added
    idempotency=on|off|cache500 off: keys are ignored; cache500: a 500 is kept for repeats of its key
    actions=wrapped|bare        whether an action's record stands in an envelope
    delete=id|record|204        what a delete answers

A CHANCE is `5%`, or a number n for the n-th request it could hit and no other, or nothing for every one. A TIME is
`200ms`, `2s` or `1m`.
"""

import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from unified_cli.catalogue import Operation
from unified_cli.errors import UsageError
from unified_cli.sandbox.data.seeded_random import SeededRandom

_TIME = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m)")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0}
_CHANCES = ("reset", "truncate", "html", "lose-reply", "empty-pages", "dup-cursor", "drift")
_TIMES = ("slow", "cursor-ttl")
_WORDS: Mapping[str, tuple[str, ...]] = {
    "idempotency": ("on", "off", "cache500"),
    "actions": ("wrapped", "bare"),
    "delete": ("id", "record", "204"),
}
# Faults that a request can only meet if it is a list, or a write.
_LISTS = frozenset({"empty-pages", "dup-cursor", "drift"})
_WRITES = frozenset({"lose-reply"})
_FILTERS = ("method", "path", "account")

FaultHits = dict[str, Any]
"""The faults that a request meets, by name, each with its value."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One fault: when it strikes, and with what value. `method`, `path` (with `*`) and `account` narrow it down."""

    name: str
    chance: str = ""
    value: Any = True
    method: str | None = None
    path: str | None = None
    account: str | None = None

    def meets(self, method: str, path: str, account: str, operation: Operation) -> bool:
        """Whether a request is one that the fault could hit."""
        if (self.name in _LISTS and not operation.lists) or (self.name in _WRITES and not operation.changes):
            return False
        pairs = ((self.method, method), (self.path, path), (self.account, account))
        return all(wanted is None or fnmatchcase(given, wanted) for wanted, given in pairs)


class Faults:
    """The rules in force and how often each was tried; safe for threads."""

    def __init__(self, rules: tuple[Rule, ...] = (), seed: str = "") -> None:
        self._lock = threading.Lock()
        self._seed = seed
        self._rules: tuple[Rule, ...] = ()
        self._tried: list[int] = []
        self.set(rules)

    @classmethod
    def parse(cls, spec: str, seed: str = "") -> "Faults":
        """The faults of a specification. Raises UsageError naming the word that cannot be meant."""
        return cls(parse(spec), seed)

    def set(self, rules: tuple[Rule, ...]) -> None:
        """Replace the rules and forget what was tried."""
        with self._lock:
            self._rules, self._tried = rules, [0] * len(rules)

    def strike(self, method: str, path: str, account: str, operation: Operation) -> FaultHits:
        """What a request meets; each call counts."""
        found: FaultHits = {}
        with self._lock:
            for place, rule in enumerate(self._rules):
                if rule.meets(method, path, account, operation):
                    self._tried[place] += 1
                    if self._hits(place, rule):
                        found[rule.name] = rule.value
        return found

    def _hits(self, place: int, rule: Rule) -> bool:
        tried = self._tried[place]
        if not rule.chance:
            return True
        if rule.chance.endswith("%"):
            often = float(rule.chance[:-1]) * 10_000
            return SeededRandom(self._seed, rule.name, place, tried).below("strike", 1_000_000) < often
        return tried == int(rule.chance)


def parse(spec: str) -> tuple[Rule, ...]:
    """The rules of a specification. Raises UsageError naming the word that cannot be meant."""
    words = [word.strip() for line in spec.splitlines() for word in line.partition("#")[0].split(",")]
    return tuple(_rule(word) for word in words if word)


def rules_of(data: Mapping[str, Any]) -> tuple[Rule, ...]:
    """The rules in `{"spec": "…", "rules": [{"fault": "429=2", "method": "POST", "path": "*/tickets"}]}`."""
    rules = list(parse(str(data.get("spec", ""))))
    for item in data.get("rules", ()):
        rule = _rule(str(item.get("fault", "")))
        narrowed = {name: str(item[name]) for name in _FILTERS if name in item}
        rules.append(Rule(rule.name, rule.chance, rule.value, **narrowed))
    return tuple(rules)


def _rule(word: str) -> Rule:
    name, _, text = word.partition("=")
    if re.fullmatch(r"[45]\d\d", name) or name in _CHANCES:
        if not re.fullmatch(r"|(100|\d{1,2}(\.\d+)?)%|[1-9]\d*", text):
            raise UsageError(f"not a chance in fault {word!r} (such as 5%, or 3 for the third request)")
        return Rule("status" if name.isdigit() else name, text, int(name) if name.isdigit() else True)
    if name in _TIMES:
        return Rule(name, value=_seconds(word, text))
    if name in _WORDS and text in _WORDS[name]:
        return Rule(name, value=text)
    if name == "page-size" and re.fullmatch(r"[1-9]\d*", text):
        return Rule(name, value=int(text))
    if name == "rate" and re.fullmatch(r"[1-9]\d*", text.partition("/")[0]):
        count, _, span = text.partition("/")
        return Rule(name, value=(int(count), _seconds(word, span)))
    known = ", ".join(("429", *_CHANCES, *_TIMES, *_WORDS, "page-size", "rate"))
    raise UsageError(f"cannot understand fault {word!r} (known: {known})")


def _seconds(word: str, text: str) -> float:
    match = _TIME.fullmatch(text)
    if match is None:
        raise UsageError(f"not a time in fault {word!r} (such as 200ms or 2s)")
    return float(match[1]) * _UNITS[match[2]]
