"""Read options from an unparsed command line."""

import itertools
from collections.abc import Sequence

from unified_cli.config.keys import errors_are_json
from unified_cli.runtime import Runtime


def asks_for_json(argv: Sequence[str], runtime: Runtime) -> bool:
    """Return whether an invalid command line requests JSON errors."""
    return errors_are_json(
        last_value(argv, "--output", "-o"),
        runtime,
        asked="--json-errors" in words_before_dashes(argv),
    )


def words_before_dashes(argv: Sequence[str]) -> list[str]:
    """Return the words before `--`."""
    return [*itertools.takewhile("--".__ne__, argv)]


def last_value(argv: Sequence[str], name: str, letter: str = "") -> str | None:
    """Return the last value of an option, or None."""
    result, words = None, words_before_dashes(argv)
    for position, word in enumerate(words):
        if word in {name, letter} and position + 1 < len(argv):
            result = argv[position + 1]
        elif word.startswith(f"{name}="):
            result = word.removeprefix(f"{name}=")
        elif letter and word.startswith(letter):
            result = word.removeprefix(letter)
    return result
