"""The completion scripts: a template for each shell, filled with the grammar's tables."""

from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files

from unified_cli.catalogue import Catalogue
from unified_cli.docs.command_index import CommandEntry
from unified_cli.docs.completion import tables
from unified_cli.docs.completion.grammar import grammar

_TABLES = {"bash": tables.bash, "zsh": tables.zsh, "fish": tables.fish, "pwsh": tables.pwsh}

FILES = {"bash": "unified.bash", "zsh": "_unified", "fish": "unified.fish", "pwsh": "unified.ps1"}
"""The file name of each shell's script."""


def script(shell: str, catalogue: Catalogue, index: Sequence[CommandEntry]) -> str:
    """The completion script for a shell."""
    template = files("unified_cli.docs.completion").joinpath("templates", FILES[shell]).read_text("utf-8")
    return fill(template, _TABLES[shell](grammar(catalogue, index)))


def fill(template: str, lines_of: Mapping[str, Iterable[str]]) -> str:
    """The template with each `@NAME@` replaced by its lines, indented as the placeholder is."""
    for name, lines in lines_of.items():
        before, marker, after = template.partition(f"@{name}@")
        if not marker:
            raise ValueError(f"the template has no placeholder @{name}@")
        indent = before[before.rfind("\n") + 1 :]
        glue = f"\n{indent}" if not indent.strip() else " "
        template = before + glue.join(lines) + after
    return template
