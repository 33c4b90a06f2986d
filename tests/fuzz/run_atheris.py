"""Fuzz one target in its own process: `python -m fuzz.run_atheris MODULE TARGET INPUTS
FOLDER`, in the folder tests.

Only the module that has the target is imported, so that the process holds little but
the target.
"""

import importlib
import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["unified_cli"]):
    from fuzz.target import Target, pieces, run

    MODULE = importlib.import_module(sys.argv[1])

# Longer than any of the pieces, so that each can be put into an example.
LONGEST = 8192


def fuzz(target: Target, inputs: str, folder: Path) -> None:
    """Run this many inputs, made from the target's examples; the process ends with 0
    where nothing is found.
    """
    corpus = folder / "corpus"
    corpus.mkdir()
    for number, example in enumerate(target.examples):
        (corpus / str(number)).write_bytes(example)
    words = folder / "words"
    words.write_text("".join(f'"{_escaped(piece)}"\n' for piece in pieces() if len(piece) < 64))
    options = [
        f"-runs={inputs}",
        f"-max_len={LONGEST}",
        "-timeout=30",
        f"-dict={words}",
        f"-artifact_prefix={folder}/",
    ]
    atheris.Setup([sys.argv[0], *options, str(corpus)], lambda data: run(target, data))
    atheris.Fuzz()


def _escaped(piece: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in piece)


if __name__ == "__main__":
    fuzz(MODULE.TARGETS[sys.argv[2]], sys.argv[3], Path(sys.argv[4]))
