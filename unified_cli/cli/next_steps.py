"""Build the commands that errors print as the next step."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, takewhile

from unified_cli.catalogue import Operation
from unified_cli.errors import UsageError
from unified_cli.hints import quoted, with_quotes

_READERS = "capabilities|connections|export|import|report|request|schema|sql"
# To be complete, a step needs arguments after a built-in command, or a resource and an
# operation after an API.
_STEP = (
    r"\bunified (?=(?:logs|connections (?:add|list|refresh|link))\b(?! --help)"
    rf"|(?:{_READERS}) (?:[\w*-]+/\S|[A-Z]{{3,}} |list\b|--to\b|(?<=sql )')"
    r"|(?!(?:profile|help|runs|completion|sandbox|operations|doctor|mcp) )"
    r"[a-z][\w-]* [a-z][\w-]* [a-z][\w-]*(?![\w-]* ?--help))"
)
_END = re.compile(r"[;)]|, | \(")


def for_records(api: str, resource: str, operation: str, source: str = "-") -> str:
    """Return the command that runs an operation for each record of a source."""
    chosen = "" if operation == "create" else f" --operation {operation}"
    return f"unified import {api}/{resource} {quoted(source)}{chosen}"


def name_import(error: UsageError, operation: Operation, data: str) -> None:
    """Add a hint to import a body with several records. `data` is the value of `-d`."""
    source = data.lstrip("@") if data.startswith(("@", "-")) else "FILE"
    step = for_records(operation.api, operation.resource, operation.name, source)
    error.replace_hint(f"{step} sends a record for each line")


def quote_json(error: UsageError, fields: Iterable[str]) -> None:
    """Add a hint to quote JSON whose quotes are missing or single. `fields` are the
    values of `-F`.
    """
    for name, value in (field.partition("=")[::2] for field in fields):
        if json := with_quotes(value):
            error.replace_hint(f"in single quotes: -F {quoted(f'{name}={json}')}")


def with_profiles(hint: str, argv: Sequence[str]) -> str:
    """Return the hint with the `-p` options of the command line."""
    chosen = "".join(f"-p {quoted(profile)} " for profile in profiles(argv))
    if not chosen:
        return hint

    def command(found: re.Match[str]) -> str:
        rest = hint[found.end() :]
        end = _END.search(rest)
        return found[0] if " -p " in rest[: end.start() if end else None] else f"unified {chosen}"

    return re.sub(_STEP, command, hint)


def profiles(argv: Sequence[str]) -> Iterator[str]:
    """Return the values of `-p` on a command line."""
    words = [*takewhile("--".__ne__, argv)]
    for word, following in pairwise((*words, "")):
        if word in {"-p", "--profile"}:
            if following and not following.startswith("-"):
                yield following
        elif word.startswith("--profile="):
            yield word.removeprefix("--profile=")
        elif word.startswith("-p") and not word.startswith("--"):
            yield word.removeprefix("-p").removeprefix("=")
