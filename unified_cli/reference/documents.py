"""Which files are made from the code, and what each must hold."""

from collections.abc import Iterator
from pathlib import Path

from unified_cli.catalogue import load
from unified_cli.commands.shells import scripts
from unified_cli.reference import man, readme

ROOT = Path(__file__).parents[2]
"""The checkout."""

MANUAL = "completions/unified.1"


def made(root: Path = ROOT) -> Iterator[tuple[Path, str]]:
    """Each file with the text that it must have."""
    catalogue = load()
    for shell, name in scripts.FILES.items():
        yield root / "completions" / name, scripts.script(shell, catalogue)
    yield root / MANUAL, man.page(catalogue)
    text = (root / "README.md").read_text("utf-8")
    yield root / "README.md", readme.filled(text, catalogue)


def drifted(root: Path = ROOT) -> Iterator[tuple[Path, str]]:
    """Those files that hold something else, with what they must hold."""
    for path, text in made(root):
        if not path.is_file() or path.read_text("utf-8") != text:
            yield path, text
