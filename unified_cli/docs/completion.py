"""The completion scripts: a template for each shell, filled with tables about the
program.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import groupby

from unified_cli.catalogue import STANDARD, Catalogue, Operation, Service
from unified_cli.catalogue.known_filters import known_filters
from unified_cli.catalogue.load import operation_of
from unified_cli.cli.command_index import CommandEntry, all_flags
from unified_cli.cli.flags import Flag, flags_of
from unified_cli.cli.operation_options import class_for

Words = Sequence[tuple[str, str]]
"""Words, each with its purpose."""
Tables = Mapping[str, Iterable[str]]
FILES = {"bash": "unified.bash", "zsh": "_unified", "fish": "unified.fish"}
"""The file name of each shell's script."""


@dataclass(frozen=True, slots=True)
class Grammar:
    """The tables. A path is the words of a command, joined by spaces.

    `flags` lists options by pattern: `*` is any word, and the first match wins.
    `values` has the kind of each option's value by spelling, and `own_values` has
    exceptions by path and spelling. `arguments` has the kinds of a command's arguments
    by path; the last kind repeats. `columns` are the known fields of a resource,
    `parameters` the known query parameters of an operation, and `fields` the known
    fields of its body. The last two end with `=`.
    """

    apis: Sequence[str]
    words: Mapping[str, Words]
    flags: Sequence[tuple[str, Words]]
    values: Mapping[str, str]
    own_values: Mapping[str, str]
    arguments: Mapping[str, Sequence[str]]
    columns: Mapping[str, Sequence[str]]
    parameters: Mapping[str, Sequence[str]]
    fields: Mapping[str, Sequence[str]]
    standard: Sequence[str] = tuple(STANDARD)

    @property
    def commands(self) -> Sequence[str]:
        """The commands that are not APIs.

        A user's API cannot have these names.
        """
        return [word for word, _ in self.words[""] if word not in self.apis]


def grammar(catalogue: Catalogue, entries: Sequence[CommandEntry]) -> Grammar:
    """Return the tables of the program with this catalogue.

    `entries` are its groups and commands.
    """
    values = {
        spelling: _kind(flag) for spelling, flag in all_flags(entries).items() if flag.takes_value
    }
    return Grammar(
        apis=tuple(catalogue.apis),
        words={" ".join(entry.path): entry.words for entry in entries if entry.words},
        flags=[*_flags(entries, catalogue)],
        values=values,
        own_values=dict(_own_values(entries, values)),
        arguments={" ".join(entry.path): entry.takes for entry in entries if any(entry.takes)},
        columns=_columns(catalogue),
        parameters={
            operation.command: names
            for operation in catalogue
            if (names := _parameters(operation, catalogue.service))
        },
        fields={
            operation.command: [f"{field.name}=" for field in operation.accepted_fields]
            for operation in catalogue
            if operation.takes_body and operation.accepted_fields
        },
    )


def _own_values(
    entries: Iterable[CommandEntry], values: Mapping[str, str]
) -> Iterable[tuple[str, str]]:
    for entry in entries:
        for flag in entry.flags:
            for spelling in flag.spellings:
                if flag.takes_value and (kind := _kind(flag)) != values[spelling]:
                    yield f"{' '.join(entry.path)} {spelling}", kind


def _columns(catalogue: Catalogue) -> Mapping[str, Sequence[str]]:
    resources = [
        (f"{api.name} {resource.name}", resource)
        for api in catalogue.apis.values()
        for resource in api.resources.values()
    ]
    return {
        path: [field.name for field in resource.facts.fields]
        for path, resource in resources
        if resource.facts.fields
    }


def _parameters(operation: Operation, service: Service) -> Sequence[str]:
    known = known_filters(operation, service)
    names = known.filters or operation.facts.query.get(operation.name, ())
    ranges = [f"{name}[{operator}]=" for name in known.sort_keys for operator in ("gt", "lt")]
    return [
        *(f"{parameter.name}=" for parameter in names),
        *ranges,
        *(f"{service.sort}[{name}]=" for name in known.sort_keys),
    ]


def _kind(flag: Flag) -> str:
    return " ".join(flag.choices) or flag.takes


def _flags(entries: Iterable[CommandEntry], catalogue: Catalogue) -> Iterable[tuple[str, Words]]:
    """Yield the options by pattern.

    A pattern is the operation's name or, where needed, an exact path.
    """
    operations = [
        entry
        for entry in entries
        if entry.path[:1] and entry.path[0] in catalogue.apis and not entry.words
    ]
    for entry in entries:
        if entry.flags and entry not in operations:
            yield " ".join(entry.path), _spelled(entry.flags)
    by_name: dict[str, list[Words]] = {}
    for entry in operations:
        by_name.setdefault(entry.path[-1], []).append(_spelled(entry.flags))
    common = {name: _most_common(sets) for name, sets in by_name.items()}
    for entry in operations:
        if (spelled := _spelled(entry.flags)) != common[entry.path[-1]]:
            yield " ".join(entry.path), spelled
    # Add a pattern for the operations of a user's own catalogue, whose names are
    # unknown here.
    action = _most_common([flags for name, flags in common.items() if name not in STANDARD])
    for name, spelled in common.items():
        if spelled != action:
            yield f"* * {name}", spelled
    search = operation_of(catalogue.service, "", "", catalogue.service.search, "")
    yield f"* * {search.name}", _spelled(flags_of(class_for(search), operation=search))
    yield "* * *", action


def _spelled(flags: Iterable[Flag]) -> Words:
    return tuple((spelling, flag.about) for flag in flags for spelling in reversed(flag.spellings))


def _most_common(sets: Iterable[Words]) -> Words:
    return Counter(sets).most_common(1)[0][0]


def script(shell: str, catalogue: Catalogue, index: Sequence[CommandEntry]) -> str:
    """Return the completion script for a shell."""
    tables = {"bash": bash, "zsh": zsh, "fish": fish}[shell]
    template = (
        files("unified_cli.docs").joinpath("completion_templates", FILES[shell]).read_text("utf-8")
    )
    return fill(template, tables(grammar(catalogue, index)))


def fill(template: str, lines_of: Mapping[str, Iterable[str]]) -> str:
    """Return the template with its `@NAME@` lines filled in.

    They are indented like the placeholder.
    """
    for name, lines in lines_of.items():
        before, marker, after = template.partition(f"@{name}@")
        if not marker:
            raise ValueError(f"the template has no placeholder @{name}@")
        indent = before[before.rfind("\n") + 1 :]
        glue = f"\n{indent}" if not indent.strip() else " "
        template = before + glue.join(lines) + after
    return template


def bash(known: Grammar) -> Tables:
    """Return the tables for bash.

    bash does not show the purpose of words.
    """
    return {
        "WORDS": _bash_nested((path, _names(words)) for path, words in known.words.items()),
        "FLAGS": _bash_cases(
            (_pattern(path), f"flags+=' {_names(flags)}'") for path, flags in known.flags
        ),
        "OWN_VALUES": _bash_cases(
            (_pattern(place), f"kind='{kind}'") for place, kind in known.own_values.items()
        ),
        "VALUES": _bash_cases(
            (spelling, f"kind='{kind}'") for spelling, kind in known.values.items() if kind
        ),
        "ARGUMENTS": (f"{_pattern(place)}) kind='{kind}' ;;" for place, kind in _arguments(known)),
        "COLUMNS": _bash_nested((path, " ".join(names)) for path, names in known.columns.items()),
        "PARAMETERS": _bash_nested(
            (path, " ".join(names)) for path, names in known.parameters.items()
        ),
        "FIELDS": (
            f"{'|'.join(map(_pattern, paths))}) words='{names}' ;;"
            for names, paths in _by_fields(known)
        ),
        "COMMANDS": ["|".join(known.commands)],
        "VALUED": ["|".join(known.values)],
        **_names_of(known),
    }


def zsh(known: Grammar) -> Tables:
    """Return zsh's tables, with each word's purpose."""

    def described(words: Words) -> str:
        return " ".join(_posix(f"{word}:{about}") for word, about in words)

    return {
        "WORDS": (
            f"({_pattern(path)}) known=({described(words)}) ;;"
            for path, words in known.words.items()
        ),
        "FLAGS": (
            f"({_pattern(path)}) known+=({described(flags)}) ;;" for path, flags in known.flags
        ),
        "OWN_VALUES": (
            f"({_pattern(place)}) kind={_posix(kind)} ;;"
            for place, kind in known.own_values.items()
        ),
        "VALUES": (
            f"({spelling}) kind={_posix(kind)} ;;"
            for spelling, kind in known.values.items()
            if kind
        ),
        "ARGUMENTS": (
            f"({_pattern(place)}) kind={_posix(kind)} ;;" for place, kind in _arguments(known)
        ),
        "COLUMNS": (
            f"({_pattern(path)}) known=({' '.join(names)}) ;;"
            for path, names in known.columns.items()
        ),
        "PARAMETERS": (
            f"({_pattern(path)}) known=({' '.join(map(_posix, names))}) ;;"
            for path, names in known.parameters.items()
        ),
        "FIELDS": (
            f"({'|'.join(map(_pattern, paths))}) known=({names}) ;;"
            for names, paths in _by_fields(known)
        ),
        "COMMANDS": ["|".join(known.commands)],
        "VALUED": ["|".join(known.values)],
        **_names_of(known),
    }


def fish(known: Grammar) -> Tables:
    """Return fish's tables, with each word's purpose."""

    def quoted(text: str) -> str:
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    def described(words: Words) -> str:
        return r"printf '%s\t%s\n' " + " ".join(f"{word} {quoted(about)}" for word, about in words)

    def cases(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
        for pattern, action in rows:
            yield f"case {quoted(pattern)}"
            yield f"    {action}"

    return {
        "WORDS": cases((path, described(words)) for path, words in known.words.items()),
        "FLAGS": cases((path, described(flags)) for path, flags in known.flags),
        "OWN_VALUES": cases(
            (place, f"echo {quoted(kind)}") for place, kind in known.own_values.items()
        ),
        "VALUES": cases(
            (spelling, f"echo {quoted(kind)}") for spelling, kind in known.values.items() if kind
        ),
        "ARGUMENTS": cases((place, f"echo {quoted(kind)}") for place, kind in _arguments(known)),
        "COLUMNS": cases(
            (path, f"string split ' ' '{' '.join(names)}'") for path, names in known.columns.items()
        ),
        "PARAMETERS": cases(
            (path, f"string split ' ' '{' '.join(one)}'") for path, one in known.parameters.items()
        ),
        "FIELDS": (
            line
            for names, paths in _by_fields(known)
            for line in (f"case {' '.join(map(quoted, paths))}", f"    string split ' ' '{names}'")
        ),
        "COMMANDS": known.commands,
        "VALUED": known.values,
        **_names_of(known),
    }


def _names_of(known: Grammar) -> Tables:
    return {"STANDARD": known.standard, "APIS": known.apis}


def _by_fields(known: Grammar) -> Iterator[tuple[str, Sequence[str]]]:
    found: dict[str, list[str]] = {}
    for path, names in known.fields.items():
        found.setdefault(" ".join(names), []).append(path)
    yield from found.items()


def _arguments(known: Grammar) -> Iterator[tuple[str, str]]:
    """Yield each command's path with an argument's number and kind.

    The last argument repeats, so its number is `*`.
    """
    for path, kinds in known.arguments.items():
        for index, kind in enumerate(kinds):
            yield f"{path}:{'*' if index == len(kinds) - 1 else index}", kind.replace("|", " ")


def _bash_nested(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield words by path, in two levels.

    After a TAB, searching a flat list of a hundred patterns would take too long.
    """
    for first, several in groupby(rows, lambda row: row[0].partition(" ")[0]):
        nested = []
        for path, words in several:
            _, _, rest = path.partition(" ")
            if rest:
                nested.append((_pattern(rest), f"words='{words}'"))
            else:
                yield f"{_pattern(path)}) words='{words}' ;;"
        if nested:
            yield f"{first}\\ *)"
            yield "    case ${1#* } in"
            yield from (
                f"        {line}" for line in _bash_cases(sorted(nested, key=lambda row: row[1]))
            )
            yield "    esac"
            yield "    ;;"


def _bash_cases(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield cases, merging neighbours with the same action.

    The order is kept, because the first match wins.
    """
    for action, several in groupby(rows, lambda row: row[1]):
        yield f"{'|'.join(pattern for pattern, _ in several)}) {action} ;;"


def _pattern(path: str) -> str:
    return path.replace(" ", r"\ ") or "''"


def _names(words: Words) -> str:
    return " ".join(word for word, _ in words)


def _posix(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
