"""Options looked for among the words of a command line, where it was not read: for a help page, and for its errors."""

import itertools
from collections.abc import Sequence

from unified_cli.cli.shared_options import errors_are_json
from unified_cli.output import stdout
from unified_cli.runtime import Runtime


def ask_for_json(argv: Sequence[str], runtime: Runtime) -> bool:
    """Whether the words ask for errors as JSON."""
    return errors_are_json(_typed(argv, "--output", "-o"), runtime, asked="--json-errors" in _options(argv))


def for_help(argv: Sequence[str], runtime: Runtime) -> Runtime:
    """The runtime with the colour that the words ask for, and without a pager where they want none."""
    if "--no-pager" in _options(argv):
        stdout.unpage(runtime)
    return runtime._replace(color=_typed(argv, "--color") or runtime.color)


def _options(argv: Sequence[str]) -> list[str]:
    return [*itertools.takewhile("--".__ne__, argv)]


def _typed(argv: Sequence[str], name: str, letter: str = "") -> str | None:
    """The last value of an option."""
    found, words = None, _options(argv)
    for position, word in enumerate(words):
        if word in {name, letter} and position + 1 < len(argv):
            found = argv[position + 1]
        elif word.startswith(f"{name}="):
            found = word.removeprefix(f"{name}=")
        elif letter and word.startswith(letter):
            found = word.removeprefix(letter)
    return found
