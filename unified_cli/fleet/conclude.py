"""Choose the exit code and the final message for work on many parts."""

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from unified_cli.errors import DifferentError, ExitCode, IncompleteError, UnifiedError, UnknownError
from unified_cli.plural import all_of, counted, named

ORDER = (
    ExitCode.BUG,
    ExitCode.INTERRUPTED, ExitCode.TERMINATED, ExitCode.CLOSED,
    ExitCode.STORAGE,
    ExitCode.STATE,
    ExitCode.UNKNOWN,
    ExitCode.USAGE, ExitCode.CONFIG, ExitCode.UNSAFE,
    ExitCode.ACCESS, ExitCode.NETWORK, ExitCode.SERVICE, ExitCode.RATE_LIMIT,
    ExitCode.REFUSED,
    ExitCode.INCOMPLETE,
    ExitCode.DIFFERENT,
)  # fmt: skip
"""The exit codes of single errors, the most important first.

The exit code of the whole work may differ: if two of thirty parts fail with 5, the code
is 9.
"""
_OWN = (ExitCode.BUG, ExitCode.STORAGE, ExitCode.STATE, ExitCode.UNSAFE)
"""The codes of this machine's own errors. If a part ends with one of these codes, the
command ends with it, too.
"""
_PLAIN_WORD = re.compile(r"(?<!\S)[A-Za-z]+(?=[,.;:)]*(?:\s|$))")
_MOST_NAMED = 5
"""How many failed parts to name. Connections are all named."""
MOST_LISTED = 3
"""Up to this many parts with the same message get their own lines."""


class Ending(NamedTuple):
    """How work on `total` parts ended; `unit` is the word for a part, such as
    `connection`.

    `failed` has the error of each failed part, by its name. `stopped` is the error that
    ended the work early, and `not_tried` the number of parts that were not started.
    `missing` has sentences about incomplete results, and `different` about unexpected
    results. `see` names the file for each outcome: `failed`, `in doubt` or `not tried`.

    Parts without names, such as records, are only counted: `unnamed` is the number of
    failures, and `failed_by` the number for each connection.
    """

    unit: str
    total: int
    failed: Mapping[str, UnifiedError] = {}
    in_doubt: int = 0
    not_tried: int = 0
    missing: Sequence[str] = ()
    different: Sequence[str] = ()
    stopped: UnifiedError | None = None
    see: Mapping[str, Path | None] = {}
    unnamed: int = 0
    failed_by: Mapping[str, int] = {}

    @property
    def number_failed(self) -> int:
        """The number of failed parts."""
        return len(self.failed) + self.unnamed

    @property
    def failed_alike(self) -> UnifiedError | None:
        """The first error, if all parts failed with the same exit code."""
        errors = [*self.failed.values()]
        alike = len(errors) == self.total and len({error.code for error in errors}) == 1
        return errors[0] if alike else None

    @property
    def sentence(self) -> str:
        """One line about everything that failed or was not as expected, or ""."""
        return "; ".join([*self._counts(), *self.missing, *self.different])

    def _counts(self) -> Iterable[str]:
        total = counted(self.total, self.unit)
        for number, word, outcome in (
            (self.number_failed, "failed", "failed"),
            (self.in_doubt, "may or may not be done", "in doubt"),
            (self.not_tried, "not tried", "not tried"),
        ):
            if number:
                names = self._named_failures() if outcome == "failed" else ""
                file = f", see {self.see[outcome]}" if self.see.get(outcome) else ""
                why = f": {self.stopped.reason}" if outcome == "not tried" and self.stopped else ""
                yield f"{number} of {total} {word}{names}{file}{why}"

    def _named_failures(self) -> str:
        if self.failed_by:
            counts = sorted(self.failed_by.items(), key=lambda item: -item[1])
            return f" ({', '.join(f'{name} {number}' for name, number in counts)})"
        most = None if self.unit == "connection" else _MOST_NAMED
        absent = sum(error.not_offered for error in self.failed.values())
        what = "offer the list" if self.unit == "connection" else "be offered"
        why = f" ({absent} may not {what})" if absent else ""
        return f"{why}: {named([*self.failed], most)}" if any(self.failed) else ""


def failure_lines(
    failed: Mapping[str, UnifiedError],
    read: Mapping[str, str] = MappingProxyType({}),
    *,
    skipped: bool = False,
) -> Iterator[str]:
    """Yield a line for each failed part. Many parts that failed for the same reason
    share a line. Names, ids and numbers in the reason may differ.

    `read` has the progress of each interrupted part, in words. With `skipped`, the
    parts did not fail, but were skipped.
    """
    alike: dict[tuple[int, int | None, str], list[str]] = {}
    for name, error in failed.items():
        if name in read:
            yield f"{name}: {error.one_line}; stopped after {read[name]}"
        else:
            alike.setdefault(_cause(error, failed), []).append(name)
    for names in alike.values():
        if len(names) > MOST_LISTED:
            first = failed[names[0]].one_line
            what = f"{len(names)} {'were skipped' if skipped else 'failed'} for similar reasons"
            yield f"{what} ({', '.join(names)}); the error of {names[0]}: {first}"
        else:
            what = "skipped: " if skipped else ""
            yield from (f"{name}: {what}{failed[name].one_line}" for name in names)


def _cause(error: UnifiedError, names: Container[str]) -> tuple[int, int | None, str]:
    """Return a key for the cause of a failure: code, status, and the reason in plain
    words.

    Names, ids, numbers and paths are left out, because they differ for the same cause.
    """
    if error.not_offered:
        return error.code, error.status, "not offered"
    words = (word for word in _PLAIN_WORD.findall(error.reason) if word not in names)
    return error.code, error.status, " ".join(words)


def worst(errors: Iterable[UnifiedError]) -> UnifiedError:
    """Return the error whose exit code comes first in `ORDER`."""
    return min(errors, key=lambda error: ORDER.index(error.code))


def own_failure(errors: Iterable[UnifiedError]) -> UnifiedError | None:
    """Return the worst of the errors that this machine caused, or None.

    Such an error ends the whole work.
    """
    own = [error for error in errors if error.code in _OWN]
    return worst(own) if own else None


def conclude(ending: Ending) -> None:
    """Raise the error that summarises the work, if any.

    Does nothing if everything is done and as expected. The first of these that applies
    determines the exit code: a failure of this machine, writes in doubt, the error that
    ended the work early, the common error of all parts, missing parts, differences.
    """
    if error := _conclusion(ending):
        if ending.unit == "connection" and any(
            other is not error for other in ending.failed.values()
        ):
            error.failed = ending.failed
        # If one command continues all failed parts, it is the next step.
        commands = {failure.next_command for failure in ending.failed.values()}
        if error.code is ExitCode.INCOMPLETE and len(commands) == 1:
            (error.next_command,) = commands
        raise error


def _conclusion(ending: Ending) -> UnifiedError | None:
    errors = [error for error in (ending.stopped, *ending.failed.values()) if error is not None]
    own = own_failure(errors)
    sentence, alike = ending.sentence, ending.failed_alike
    rows: tuple[tuple[object, Callable[[], UnifiedError | None]], ...] = (
        (own, lambda: own),
        (ending.in_doubt, lambda: UnknownError(sentence)),
        (ending.stopped, lambda: _stopped(ending)),
        (alike, lambda: alike and _all_failed_error(ending, alike)),
        (
            ending.number_failed or ending.not_tried or ending.missing,
            lambda: IncompleteError(sentence),
        ),
        (ending.different, lambda: DifferentError(sentence)),
    )
    return next((make() for applies, make in rows if applies), None)


def _all_failed_error(ending: Ending, first: UnifiedError) -> UnifiedError:
    return (
        first
        if ending.total == 1
        else first.reworded(f"{all_of(ending.total, ending.unit)} failed")
    )


def _stopped(ending: Ending) -> UnifiedError | None:
    if ending.stopped is None:
        return None
    left = f"{ending.not_tried} of {counted(ending.total, ending.unit)} not tried"
    error = ending.stopped.reworded(f"stopped with {left}: {ending.stopped.reason}")
    if ending.stopped.hint:
        error.add_hint(ending.stopped.hint)
    return error
