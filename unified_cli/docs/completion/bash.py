"""The tables of the completion script for bash."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from unified_cli.docs.completion.grammar import Grammar, Words


def tables(known: Grammar) -> Mapping[str, Iterable[str]]:
    """The lines for each placeholder of the template."""
    return {
        "WORDS": _words(known.words),
        "FLAGS": _cases((_pattern(path), f"flags+=' {_names(flags)}'") for path, flags in known.flags),
        "OWN_VALUES": _cases((_pattern(place), f"kind='{kind}'") for place, kind in known.own_values.items()),
        "VALUES": _cases((spelling, f"kind='{kind}'") for spelling, kind in known.values.items() if kind),
        "ARGUMENTS": _arguments(known.arguments),
        "COLUMNS": _cases((_pattern(path), f"words='{' '.join(names)}'") for path, names in known.columns.items()),
        "PARAMETERS": _cases((_pattern(path), f"words='{' '.join(names)}'") for path, names in _by_names(known)),
        "STANDARD": known.standard,
        "APIS": known.apis,
        "COMMANDS": ["|".join(known.commands)],
        "VALUED": ["|".join(known.values)],
    }


def _words(words: Mapping[str, Words]) -> Iterable[str]:
    """Cases in two levels: a flat list of a hundred patterns would be too slow for a TAB."""
    for first, several in groupby(words, lambda path: path.partition(" ")[0]):
        nested = []
        for path in several:
            _, _, rest = path.partition(" ")
            if rest:
                nested.append((_pattern(rest), f"words='{_names(words[path])}'"))
            else:
                yield f"{_pattern(path)}) words='{_names(words[path])}' ;;"
        if nested:
            yield f"{first}\\ *)"
            yield "    case ${1#* } in"
            yield from (f"        {line}" for line in _cases(sorted(nested, key=lambda row: row[1])))
            yield "    esac"
            yield "    ;;"


def _by_names(known: Grammar) -> Iterable[tuple[str, Sequence[str]]]:
    """The operations with the parameters of each, those with the same ones side by side."""
    return sorted(known.parameters.items(), key=lambda row: list(row[1]))


def _cases(rows: Iterable[tuple[str, str]]) -> Iterable[str]:
    """Cases, neighbours with the same action as one; the first match wins, so the order stays."""
    for action, several in groupby(rows, lambda row: row[1]):
        yield f"{'|'.join(pattern for pattern, _ in several)}) {action} ;;"


def _arguments(arguments: Mapping[str, Sequence[str]]) -> Iterable[str]:
    for path, kinds in arguments.items():
        for index, kind in enumerate(kinds):
            count = "*" if index == len(kinds) - 1 else str(index)
            yield f"{_pattern(path)}:{count}) kind='{kind.replace('|', ' ')}' ;;"


def _pattern(path: str) -> str:
    return path.replace(" ", r"\ ") or "''"


def _names(words: Words) -> str:
    return " ".join(word for word, _ in words)
