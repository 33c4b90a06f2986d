"""What completion needs to know of the program, reduced to a few tables that fit into a shell script."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from unified_cli.catalogue import STANDARD, Catalogue, Operation, Service
from unified_cli.catalogue.known_filters import known_filters
from unified_cli.cli.flags import Flag
from unified_cli.docs.command_index import CommandEntry, all_flags

Words = Sequence[tuple[str, str]]
"""Words, each with its purpose."""

ANY = "*"


@dataclass(frozen=True, slots=True)
class Grammar:
    """The tables. A path is the command's words joined by blanks.

    `flags` is by pattern, in which `*` stands for any one word and the first match wins; `values` by spelling, for all
    options that take a value, `own_values` by path and spelling where a command takes others; `arguments` by path, the
    last one repeats. `columns` are the known fields of a resource, `parameters` what an operation is known to take as
    a query parameter, `fields` what its body is known to take, both up to the `=`.
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
        """The commands that are no API; an API that a user gives such a name is left out."""
        return [word for word, _ in self.words[""] if word not in self.apis]


def grammar(catalogue: Catalogue, entries: Sequence[CommandEntry]) -> Grammar:
    """The tables of the program with this catalogue; `entries` are its groups and commands."""
    values = {spelling: _kind(flag) for spelling, flag in all_flags(entries).items() if flag.takes_value}
    return Grammar(
        apis=tuple(catalogue.apis),
        words={" ".join(entry.path): entry.words for entry in entries if entry.words},
        flags=[*_flags(entries, catalogue)],
        values=values,
        own_values=dict(_own_values(entries, values)),
        arguments={" ".join(entry.path): entry.takes for entry in entries if any(entry.takes)},
        columns=_columns(catalogue),
        parameters={one.command: names for one in catalogue if (names := _parameters(one, catalogue.service))},
        fields={
            one.command: [f"{field.name}=" for field in one.accepted_fields]
            for one in catalogue
            if one.takes_body and one.accepted_fields
        },
    )


def _own_values(entries: Iterable[CommandEntry], values: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    for entry in entries:
        for flag in entry.flags:
            for spelling in flag.spellings:
                if flag.takes_value and (kind := _kind(flag)) != values[spelling]:
                    yield f"{' '.join(entry.path)} {spelling}", kind


def _columns(catalogue: Catalogue) -> Mapping[str, Sequence[str]]:
    resources = [(f"{api.name} {one.name}", one) for api in catalogue.apis.values() for one in api.resources.values()]
    return {path: [field.name for field in one.facts.fields] for path, one in resources if one.facts.fields}


def _parameters(operation: Operation, service: Service) -> Sequence[str]:
    known = known_filters(operation, service)
    names = known.filters or operation.facts.query.get(operation.name, ())
    ranges = [f"{name}[{operator}]=" for name in known.sort_keys for operator in ("gt", "lt")]
    return [*(f"{one.name}=" for one in names), *ranges, *(f"{service.sort}[{name}]=" for name in known.sort_keys)]


def _kind(flag: Flag) -> str:
    return " ".join(flag.choices) or flag.takes


def _flags(entries: Iterable[CommandEntry], catalogue: Catalogue) -> Iterable[tuple[str, Words]]:
    """The options by pattern: an exact path where it must be, the operation's name for all others of that name."""
    operations = [entry for entry in entries if entry.path[:1] and entry.path[0] in catalogue.apis and not entry.words]
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
    # For the operations of a user's own catalogue, whose names are unknown here.
    action = _most_common([flags for name, flags in common.items() if name not in STANDARD])
    for name, spelled in common.items():
        if spelled != action:
            yield f"{ANY} {ANY} {name}", spelled
    yield f"{ANY} {ANY} {ANY}", action


def _spelled(flags: Iterable[Flag]) -> Words:
    return tuple((spelling, flag.about) for flag in flags for spelling in reversed(flag.spellings))


def _most_common(sets: Iterable[Words]) -> Words:
    return Counter(sets).most_common(1)[0][0]
