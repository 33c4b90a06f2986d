"""The README's tables, each between `<!-- generated: NAME -->` and `<!-- end -->`."""

import re
from collections.abc import Iterable, Mapping, Sequence

from unified_cli.catalogue import STANDARD, Catalogue, Resource
from unified_cli.config.keys import KEYS, Key
from unified_cli.docs.command_index import CommandEntry, options
from unified_cli.docs.layers import LAYERS
from unified_cli.errors import ExitCode

_REGION = re.compile(r"(<!-- generated: (?P<name>[\w-]+) -->\n).*?(?=<!-- end -->)", re.DOTALL)
_WHERE = {"t": "top", "p": "profile", "tp": "top, profile"}


def filled(text: str, catalogue: Catalogue, entries: Sequence[CommandEntry]) -> str:
    """The README with its regions regenerated. Raises ValueError if a region is unknown or missing."""
    known = regions(catalogue, entries)
    found = [match["name"] for match in _REGION.finditer(text)]
    if sorted(found) != sorted(known):
        raise ValueError(f"the README has the regions {found}, not one each of {[*known]}")
    return _REGION.sub(lambda match: f"{match[1]}\n{known[match['name']]}\n", text)


def regions(catalogue: Catalogue, entries: Sequence[CommandEntry]) -> Mapping[str, str]:
    """The text of each region by its name."""
    return {
        "operations": _operations(catalogue),
        "options": _options(entries),
        "environment": _table(("Variable", "What it is", "Default"), _environment()),
        "exit-codes": _table(("Code", "What it means"), [(str(int(code)), code.meaning) for code in ExitCode]),
        "layers": _table(
            ("Layer", "Packages", "What is in them"),
            [(str(layer.level), " ".join(f"`{name}`" for name in layer.packages), layer.about) for layer in LAYERS],
        ),
        "config-keys": _table(("Key", "Where", "What it is", "Default"), _keys()),
    }


def _operations(catalogue: Catalogue) -> str:
    rows = [
        (f"`{api.name}`<br>{api.about}", "<br>".join(_operations_of(one) for one in api.resources.values()))
        for api in catalogue.apis.values()
    ]
    crud = ", ".join(STANDARD)
    note = f"*crud* is {crud}. The table holds {sum(1 for _ in catalogue)} operations."
    return f"{note}\n\n{_table(('API', 'Resources and their operations'), rows)}"


def _operations_of(resource: Resource) -> str:
    names = list(resource.operations)
    if set(STANDARD) <= set(names):
        names = ["*crud*", *(name for name in names if name not in STANDARD)]
    return f"`{resource.name}` {' '.join(names)}"


def _options(entries: Sequence[CommandEntry]) -> str:
    rows = []
    for flag, commands in options(entries):
        spelled = ", ".join(f"`{spelling}`" for spelling in flag.spellings)
        value = f" `{flag.metavar}`" if flag.metavar else ""
        choices = f": {', '.join(flag.choices)}" if len(flag.choices) > 1 else ""
        only = f" (`{'`, `'.join(commands)}`)" if commands else ""
        rows.append((flag.group, spelled + value, flag.about + choices + only))
    return _table(("Group", "Option", "What it does"), rows)


def _environment() -> Iterable[Sequence[str]]:
    return ((f"`{key.variable}`", key.about, _default(key)) for key in KEYS.values() if key.env)


def _keys() -> Iterable[Sequence[str]]:
    return ((f"`{key.name}`", _WHERE[key.at], key.about, _default(key)) for key in KEYS.values() if key.at)


def _default(key: Key) -> str:
    if key.default in (None, False):
        return ""
    return f"`{key.default:g}`" if isinstance(key.default, float) else f"`{key.default}`"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *([cell.replace("|", r"\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"
