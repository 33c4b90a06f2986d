"""The files that are generated from the code, their content, and the layers of the
package.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from unified_cli.catalogue import Catalogue
from unified_cli.cli.command_index import CommandEntry
from unified_cli.docs import completion, manual, terminal_picture

ROOT = Path(__file__).parents[2]
"""The checkout."""

CONTRIBUTING = ".github/CONTRIBUTING.md"
MANUAL = "completions/unified.1"
OPERATIONS = "tests/program/operations.txt"
_REGION = re.compile(r"(<!-- generated: (?P<name>[\w-]+) -->\n).*?(?=<!-- end -->)", re.DOTALL)


class Layer(NamedTuple):
    """The packages and modules of one `level`.

    Level 1 is the lowest, and imports go down only.
    """

    level: int
    packages: tuple[str, ...]
    about: str


LAYERS = (
    Layer(14, ("__main__", "docs.__main__"), "the process; the writer of the generated documents"),
    Layer(
        13,
        ("main", "app"),
        "`main(argv, runtime)` returns an exit code; the whole tree of commands",
    ),
    Layer(12, ("commands",), "one folder for each command; none imports another"),
    Layer(11, ("call",), "one request, from typed options to its result on stdout"),
    Layer(
        11,
        ("docs",),
        "the generators of completion scripts, the manual page, OpenAPI, parts of the documents",
    ),
    Layer(
        10,
        ("writes",),
        "many writes: their input, journals, runs, sender and outcomes",
    ),
    Layer(9, ("exported",), "the files of an export: lists and their manifest, written and read"),
    Layer(
        8,
        ("fleet",),
        "work on many connections: selection, turns, clients, and how the work ends",
    ),
    Layer(
        7,
        ("cli",),
        "options (each defined once), aliases, the tree of commands, help pages, mistakes, prompts",
    ),
    Layer(
        6,
        ("output",),
        "formats on stdout, tables and other screens, the pager, jq programs, progress",
    ),
    Layer(
        6,
        ("http",),
        "requests, sent and retried within rate limits; responses, decoded within bounds",
    ),
    Layer(6, ("sandbox",), "a local server with the same operations as the service"),
    Layer(
        5,
        ("config",),
        "the config file, settings and their sources, credentials, programs of the user",
    ),
    Layer(
        4,
        ("storage",),
        "files: atomic, append-only, locked, cached, with safe names; objects in stores",
    ),
    Layer(
        3,
        ("runtime", "signals", "os_limits"),
        "streams, environment, clock, transport; signals; limits",
    ),
    Layer(2, ("stderr",), "the only writer of stderr"),
    Layer(
        1,
        (
            "catalogue",
            "errors",
            "hints",
            "installation",
            "masking",
            "plural",
            "text_width",
            "values",
            "json_text",
            "output.formats",
        ),
        "the operations as data; the errors; how the program was installed; text without secrets,"
        " and its width; ages in words; JSON as text; the table of formats",
    ),
)
"""The layers of the package. The test of imports and the table in CONTRIBUTING.md use
them.
"""


def filled(text: str) -> str:
    """Return CONTRIBUTING.md with new content of its generated regions.

    Raises ValueError if a region is unknown or missing.
    """
    known = regions()
    found = [match["name"] for match in _REGION.finditer(text)]
    if sorted(found) != sorted(known):
        raise ValueError(f"{CONTRIBUTING} has the regions {found}, not one each of {[*known]}")
    return _REGION.sub(lambda match: f"{match[1]}\n{known[match['name']]}\n", text)


def regions() -> Mapping[str, str]:
    """Return the text of each region by its name."""
    rows = [
        (str(layer.level), " ".join(f"`{name}`" for name in layer.packages), layer.about)
        for layer in LAYERS
    ]
    return {"layers": _table(("Layer", "Packages", "Contents"), rows)}


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [
        heads,
        ["---"] * len(heads),
        *([cell.replace("|", r"\|") for cell in row] for row in rows),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def generated(
    catalogue: Catalogue, index: Sequence[CommandEntry], root: Path = ROOT
) -> Iterator[tuple[Path, str]]:
    """Yield each generated file with its text."""
    for shell, name in completion.FILES.items():
        yield root / "completions" / name, completion.script(shell, catalogue, index)
    yield root / MANUAL, manual.page(catalogue, index)
    yield root / OPERATIONS, operations(catalogue)
    yield root / CONTRIBUTING, filled((root / CONTRIBUTING).read_text("utf-8"))


def pictures(root: Path = ROOT) -> Iterator[tuple[Path, str]]:
    """Yield each picture of a terminal with its text. Runs the program for them."""
    # The pictures need a pty, which exists on POSIX only.
    for picture in terminal_picture.pictures():
        yield (
            root / "unified_cli" / "docs" / "pictures" / f"{picture.name}.svg",
            terminal_picture.svg(picture),
        )


def operations(catalogue: Catalogue) -> str:
    """Return each operation's request and command, one per line.

    A diff of them shows the effect of a change of the catalogue.
    """
    return "".join(
        f"{operation.method:6} {operation.path:60} {operation.command}\n" for operation in catalogue
    )


def stale(
    catalogue: Catalogue, index: Sequence[CommandEntry], root: Path = ROOT
) -> Iterator[tuple[Path, str]]:
    """Yield the stale files, with their new content."""
    for path, text in (*generated(catalogue, index, root), *pictures(root)):
        if not path.is_file() or path.read_text("utf-8") != text:
            yield path, text
