"""Which files are generated from the code, and what each must contain."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from unified_cli.catalogue import Catalogue
from unified_cli.docs import manual, readme
from unified_cli.docs.command_index import CommandEntry
from unified_cli.docs.completion import scripts

ROOT = Path(__file__).parents[2]
"""The checkout."""

MANUAL = "completions/unified.1"
OPERATIONS = "tests/program/operations.txt"


def generated(catalogue: Catalogue, index: Sequence[CommandEntry], root: Path = ROOT) -> Iterator[tuple[Path, str]]:
    """Each generated file with its text."""
    for shell, name in scripts.FILES.items():
        yield root / "completions" / name, scripts.script(shell, catalogue, index)
    yield root / MANUAL, manual.page(catalogue, index)
    yield root / OPERATIONS, operations(catalogue)
    text = (root / "README.md").read_text("utf-8")
    yield root / "README.md", readme.filled(text)


def pictures(root: Path = ROOT) -> Iterator[tuple[Path, str]]:
    """Each picture of a terminal with its text; the program is run for them."""
    # A pty is there on POSIX only, and nothing else needs this.
    from unified_cli.docs import terminal_picture  # noqa: PLC0415

    for picture in terminal_picture.pictures():
        yield root / "unified_cli" / "docs" / "pictures" / f"{picture.name}.svg", terminal_picture.svg(picture)


def operations(catalogue: Catalogue) -> str:
    """Each operation's request and command, one per line: its diff shows the effect of a change of the catalogue."""
    return "".join(f"{one.method:6} {one.path:60} {one.command}\n" for one in catalogue)


def stale(catalogue: Catalogue, index: Sequence[CommandEntry], root: Path = ROOT) -> Iterator[tuple[Path, str]]:
    """The files that contain something else, with what they must contain."""
    for path, text in (*generated(catalogue, index, root), *pictures(root)):
        if not path.is_file() or path.read_text("utf-8") != text:
            yield path, text
