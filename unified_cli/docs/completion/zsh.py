"""The tables of the completion script for zsh, with the purpose of each word."""

from collections.abc import Iterable, Mapping

from unified_cli.docs.completion.grammar import Grammar, Words


def tables(known: Grammar) -> Mapping[str, Iterable[str]]:
    """The lines for each placeholder of the template."""
    return {
        "WORDS": (f"({_pattern(path)}) known=({_described(words)}) ;;" for path, words in known.words.items()),
        "FLAGS": (f"({_pattern(path)}) known+=({_described(flags)}) ;;" for path, flags in known.flags),
        "OWN_VALUES": (f"({_pattern(place)}) kind={_quoted(kind)} ;;" for place, kind in known.own_values.items()),
        "VALUES": (f"({spelling}) kind={_quoted(kind)} ;;" for spelling, kind in known.values.items() if kind),
        "ARGUMENTS": _arguments(known),
        "COLUMNS": (f"({_pattern(path)}) known=({' '.join(names)}) ;;" for path, names in known.columns.items()),
        "PARAMETERS": (f"({_pattern(path)}) known=({_all(names)}) ;;" for path, names in known.parameters.items()),
        "STANDARD": known.standard,
        "APIS": known.apis,
        "COMMANDS": ["|".join(known.commands)],
        "VALUED": ["|".join(known.values)],
    }


def _arguments(known: Grammar) -> Iterable[str]:
    for path, kinds in known.arguments.items():
        for index, kind in enumerate(kinds):
            count = "*" if index == len(kinds) - 1 else str(index)
            yield f"({_pattern(path)}:{count}) kind={_quoted(kind.replace('|', ' '))} ;;"


def _pattern(path: str) -> str:
    return path.replace(" ", r"\ ") or "''"


def _all(words: Iterable[str]) -> str:
    return " ".join(map(_quoted, words))


def _described(words: Words) -> str:
    return " ".join(_quoted(f"{word}:{about}") for word, about in words)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
