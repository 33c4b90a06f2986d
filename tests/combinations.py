"""Every combination of the options that decide how a result is delivered, as command
lines; and a few of them that hold all pairs, and some triples.
"""

import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from unified_cli.output import formats

ID = "tags-1"
KINDS = {
    "list": "ticketing tags list",
    "get": f"ticketing tags get {ID}",
    "create": "ticketing tags create -f name=new",
    "update": f"ticketing tags update {ID} -f name=changed",
    "delete": f"ticketing tags delete {ID} --yes",
    "action": "user-directory users suspend -f user_id=users-1",
    "download": "ticketing attachments download -q id=attachments-1",
    "request": "request GET /unified/ticketing/tags",
}
MODES = {
    "one": "-p a",
    "--all": "-p a --all",
    "--limit": "-p a --limit 3",
    "several": "-p a -p b",
    "lines": "-p a",
    "--expect": "-p a --expect true",
    "--until": "-p a --until true",
    "--follow": "-p a --follow --since 2000-01-01",
    "--dry-run": "-p a --dry-run",
}
FORMATS = formats.names(formats.RESULTS)
OUTS = {"none": "", "file": "--out out/file", "-": "--out -", "folder": "--out out/"}
SOURCES = ("flag", "environment", "profile", "config")
SWITCHES = {
    "jq": "--jq .",
    "columns": "--columns id",
    "csv_safe": "--csv-safe",
    "bom": "--bom",
    "typed_header": "--typed-header",
}
FACTORS: Mapping[str, Sequence[str | bool]] = {
    "kind": tuple(KINDS),
    "mode": tuple(MODES),
    "form": FORMATS,
    "out": tuple(OUTS),
    "source": SOURCES,
    **dict.fromkeys(SWITCHES, (False, True)),
}


class Combination(NamedTuple):
    """A value of each factor."""

    kind: str
    mode: str
    form: str
    out: str
    source: str
    jq: bool
    columns: bool
    csv_safe: bool
    bom: bool
    typed_header: bool

    @property
    def words(self) -> list[str]:
        """The command line."""
        words = KINDS[self.kind].split()
        if self.mode == "lines":
            words = ["-" if one == ID else one for one in words]
            words += [] if "-" in words else ["-"]
        words += [*MODES[self.mode].split(), *OUTS[self.out].split()]
        words += ["-o", self.form] if self.source == "flag" else []
        if self.mode == "several" and self.kind in {"create", "update", "action"}:
            words.append("--yes")
        return [
            *words,
            *(w for name, text in SWITCHES.items() if getattr(self, name) for w in text.split()),
        ]

    @property
    def environ(self) -> dict[str, str]:
        """The environment."""
        return {"UNIFIED_OUTPUT": self.form} if self.source == "environment" else {}

    @property
    def config(self) -> str:
        """The config file: two connections of the sandbox, with the format where it is
        set.
        """
        output = f'output = "{self.form}"\n'
        profile = 'base_url = "sandbox:"\naccount_id = "{}"\n'
        return (
            (output if self.source == "config" else "")
            + f"rate = 0\n[profiles.a]\n{profile.format('full')}"
            + (output if self.source == "profile" else "")
            + f"[profiles.b]\n{profile.format('full:b')}"
        )


def every(kind: str) -> Iterator[Combination]:
    """The whole product, for a kind of operation."""
    return (Combination(*one) for one in itertools.product([kind], *[*FACTORS.values()][1:]))


@functools.cache
def chosen() -> Sequence[Combination]:
    """Return combinations with each triple of mode, format and `--out`, once more for
    lists, which have most of them; each of kind, mode and `--out`; and each pair of
    values.
    """
    names = [*FACTORS]
    wanted = {
        _pair((one, x), (other, y))
        for one, other in itertools.combinations(names, 2)
        for x in FACTORS[one]
        for y in FACTORS[other]
    }
    triples = [
        {"mode": mode, "form": form, "out": out}
        for mode, form, out in itertools.product(MODES, FORMATS, OUTS)
    ]
    begun = triples + [
        {"kind": kind, "mode": mode, "out": out}
        for kind, mode, out in itertools.product(KINDS, MODES, OUTS)
    ]
    found = [_filled(one, wanted, at) for at, one in enumerate(begun)]
    while wanted:
        found.append(_filled(dict(min(wanted, key=sorted_pair)), wanted, len(found)))
    found += [_filled({"kind": "list", **one}, wanted, at) for at, one in enumerate(triples)]
    made = (Combination(**one) for one in found)  # type: ignore[arg-type]  # the names are those of the factors
    return [*dict.fromkeys(made)]


Value = tuple[str, str | bool]
Pair = tuple[Value, Value]


def _pair(one: Value, other: Value) -> Pair:
    """Return the pair of two factors' values, the same in both orders."""
    return (one, other) if one[0] < other[0] else (other, one)


def sorted_pair(pair: Pair) -> list[tuple[str, str]]:
    """Return the pair in an order that is the same each time."""
    return sorted((name, str(value)) for name, value in pair)


def _filled(begun: Mapping[str, str | bool], wanted: set[Pair], at: int) -> dict[str, str | bool]:
    """Return the combination with values for the other factors: those that hold the
    most pairs that are still wanted; of several alike the next in turn.
    """
    made = dict(begun)
    for name in FACTORS:
        if name in made:
            continue
        values = FACTORS[name]
        # Options outside the pairs are not given, as most options mean nothing in most
        # formats.
        first = 0 if name in SWITCHES else at
        turned = [values[(first + shift) % len(values)] for shift in range(len(values))]
        made[name] = max(turned, key=lambda value: _gained((name, value), made, wanted))
    wanted.difference_update(_pair(*two) for two in itertools.combinations(made.items(), 2))
    return made


def _gained(value: Value, made: Mapping[str, str | bool], wanted: set[Pair]) -> int:
    """Return how many pairs that are still wanted a value adds."""
    if not wanted:
        return 0
    return sum(_pair(value, other) in wanted for other in made.items())
