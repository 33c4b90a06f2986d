"""The tables of the completion script for fish, with the purpose of each word."""

from collections.abc import Iterable, Mapping

from unified_cli.docs.completion.grammar import Grammar, Words


def tables(known: Grammar) -> Mapping[str, Iterable[str]]:
    """The lines for each placeholder of the template."""
    return {
        "WORDS": _cases((path, _described(words)) for path, words in known.words.items()),
        "FLAGS": _cases((path, _described(flags)) for path, flags in known.flags),
        "OWN_VALUES": _cases((place, f"echo {_quoted(kind)}") for place, kind in known.own_values.items()),
        "VALUES": _cases((spelling, f"echo {_quoted(kind)}") for spelling, kind in known.values.items() if kind),
        "ARGUMENTS": _cases(_arguments(known)),
        "COLUMNS": _cases((path, f"string split ' ' '{' '.join(names)}'") for path, names in known.columns.items()),
        "PARAMETERS": _cases((path, f"string split ' ' '{' '.join(one)}'") for path, one in known.parameters.items()),
        "STANDARD": known.standard,
        "APIS": known.apis,
        "COMMANDS": known.commands,
        "VALUED": known.values,
    }


def _cases(rows: Iterable[tuple[str, str]]) -> Iterable[str]:
    for pattern, action in rows:
        yield f"case {_quoted(pattern)}"
        yield f"    {action}"


def _arguments(known: Grammar) -> Iterable[tuple[str, str]]:
    for path, kinds in known.arguments.items():
        for index, kind in enumerate(kinds):
            count = "*" if index == len(kinds) - 1 else str(index)
            yield f"{path}:{count}", f"echo {_quoted(kind.replace('|', ' '))}"


def _described(words: Words) -> str:
    return r"printf '%s\t%s\n' " + " ".join(f"{word} {_quoted(about)}" for word, about in words)


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
