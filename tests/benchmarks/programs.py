"""The measured programs, installed: this package as its users have it, and the peers
that can be found.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[2]

# Python programs, each with an environment of its own; the others come with the system:
# apt install curl jq gh.
PEERS = {"http": "httpie", "linode-cli": "linode-cli", "aws": "awscli"}
VERSIONS = {
    "http": ["--version"],
    "linode-cli": ["--version"],
    "aws": ["--version"],
    "gh": ["--version"],
    "curl": ["--version"],
    "jq": ["--version"],
}


def install(folder: Path) -> Path:
    """The folder of programs of an environment that holds this unchanged package and
    only its dependencies.
    """
    programs = _environment(folder)
    # pip from 25 on writes console scripts that import nothing but what they run.
    _pip(programs, "install", "--upgrade", "pip>=25")
    _pip(programs, "install", str(ROOT))
    _pip(programs, "install", "--force-reinstall", "--no-deps", str(ROOT))
    return programs


def install_peers(folder: Path) -> None:
    """Give each Python peer an environment of its own below the folder."""
    for package in PEERS.values():
        programs = _environment(folder / package)
        _pip(programs, "install", "--upgrade", "pip>=25")
        _pip(programs, "install", package)


def find(folder: Path | None) -> dict[str, str]:
    """The path of each peer that is there: below the folder first, then on PATH."""
    folders = [str(one) for one in sorted(folder.glob("**/bin"))] if folder else []
    path = os.pathsep.join([*folders, os.environ.get("PATH", os.defpath)])
    found = ((name, shutil.which(name, path=path)) for name in VERSIONS)
    return {name: path for name, path in found if path}


def versions(programs: Path, peers: dict[str, str]) -> list[str]:
    """Name and version of everything that was measured."""
    python = _said([str(programs / "python"), "--version"])
    listed = _said([str(programs / "pip"), "list", "--format=freeze"]).splitlines()
    wanted = [
        line.replace("==", " ")
        for line in listed
        if line.partition("==")[0] in {"typer", "httpx", "msgspec"}
    ]
    return [python, *wanted, *(_version(name, path) for name, path in peers.items())]


def _version(name: str, path: str) -> str:
    words = _said([path, *VERSIONS[name]]).replace("/", " ").replace("jq-", "jq ").split()
    number = next((word for word in words if word.lstrip("v")[:1].isdigit()), "?")
    return f"{'httpie' if name == 'http' else name} {number.lstrip('v')}"


def _said(argv: Iterable[str]) -> str:
    return subprocess.run([*argv], capture_output=True, text=True, check=True).stdout.strip()


def _environment(folder: Path) -> Path:
    if not (folder / "bin" / "python").exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    return folder / "bin"


def _pip(programs: Path, *words: str) -> None:
    subprocess.run(
        [str(programs / "python"), "-m", "pip", "--quiet", "--disable-pip-version-check", *words],
        check=True,
    )
