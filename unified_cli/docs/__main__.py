"""`python -m unified_cli.docs --write|--check`: regenerate the committed documents, or
list the stale ones.
"""

import sys

from unified_cli.app import whole
from unified_cli.catalogue import Catalogue, load
from unified_cli.cli.command_index import CommandEntry, command_entries
from unified_cli.docs.documents import ROOT, stale
from unified_cli.errors import ExitCode
from unified_cli.runtime import Runtime
from unified_cli.stderr import Stderr


def index(catalogue: Catalogue) -> list[CommandEntry]:
    """Return every group and command, for the generated files."""
    nowhere = Runtime(
        stdin=None, stdout=None, stderr=Stderr(None), environ={}, columns=80, folders={}
    )
    return command_entries(whole(nowhere, catalogue))


def main(argv: list[str], runtime: Runtime) -> int:
    """Write the stale documents, or return 9 if `--check` finds any."""
    if argv not in (["--write"], ["--check"]) or not (ROOT / "pyproject.toml").is_file():
        runtime.stderr.line("error: run in a checkout: python -m unified_cli.docs --write|--check")
        return ExitCode.USAGE
    catalogue = load()
    documents = [*stale(catalogue, index(catalogue))]
    for path, text in documents:
        name = path.relative_to(ROOT)
        if argv == ["--write"]:
            path.write_text(text, "utf-8")
            runtime.stderr.line(f"wrote {name}")
        else:
            runtime.stderr.line(f"{name} is stale (python -m unified_cli.docs --write)")
    return ExitCode.INCOMPLETE if documents and argv == ["--check"] else ExitCode.DONE


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:], Runtime.system()))
