"""The generated parts of the README, each between `<!-- generated: NAME -->` and `<!-- end -->`."""

import re
from collections.abc import Iterable, Mapping, Sequence

from unified_cli.docs.layers import LAYERS

_REGION = re.compile(r"(<!-- generated: (?P<name>[\w-]+) -->\n).*?(?=<!-- end -->)", re.DOTALL)


def filled(text: str) -> str:
    """The README with its regions regenerated. Raises ValueError if a region is unknown or missing."""
    known = regions()
    found = [match["name"] for match in _REGION.finditer(text)]
    if sorted(found) != sorted(known):
        raise ValueError(f"the README has the regions {found}, not one each of {[*known]}")
    return _REGION.sub(lambda match: f"{match[1]}\n{known[match['name']]}\n", text)


def regions() -> Mapping[str, str]:
    """The text of each region by its name."""
    rows = [(str(layer.level), " ".join(f"`{name}`" for name in layer.packages), layer.about) for layer in LAYERS]
    return {"layers": _table(("Layer", "Packages", "What is in them"), rows)}


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *([cell.replace("|", r"\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"
