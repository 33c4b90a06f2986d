"""The tables of the completion script for PowerShell, with the purpose of each word."""

from collections.abc import Iterable, Mapping

from unified_cli.docs.completion.grammar import Grammar, Words


def tables(known: Grammar) -> Mapping[str, Iterable[str]]:
    """The lines for each placeholder of the template."""
    return {
        "WORDS": (f"{_quoted(path)} = {_described(words)}" for path, words in known.words.items()),
        "FLAGS": _list(f"@({_quoted(path)}, {_described(flags)})" for path, flags in known.flags),
        "VALUES": (
            f"$UnifiedValues[{_quoted(one)}] = {_quoted(kind)}"
            for one, kind in (*known.values.items(), *known.own_values.items())
        ),
        "ARGUMENTS": (f"{_quoted(path)} = {_kinds(kinds)}" for path, kinds in known.arguments.items()),
        "STANDARD": known.standard,
        "APIS": known.apis,
        "COMMANDS": known.commands,
    }


def _kinds(kinds: Iterable[str]) -> str:
    return f"@({', '.join(_quoted(kind.replace('|', ' ')) for kind in kinds)})"


def _described(words: Words) -> str:
    return "@(" + ", ".join(_quoted(f"{word}:{about}") for word, about in words) + ")"


def _list(items: Iterable[str]) -> Iterable[str]:
    *most, last = items
    return [*(f"{item}," for item in most), last]


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
