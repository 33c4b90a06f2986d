"""Check completion scripts that version 0.2.0 installed, and the caches that they
read.
"""

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from written_files import Before, of_version

pytestmark = of_version("0.2.0")

INSTALLED = {
    "bash": "data/bash-completion/completions/unified",
    "zsh": "data/zsh/site-functions/_unified",
    "fish": "config/fish/completions/unified.fish",
    "pwsh": "config/powershell/unified.ps1",
}
# The candidates of each shell after a line, a candidate on each line.
BASH = """
source "$1"
COMP_LINE=$2 COMP_POINT=${#2}
read -r -a COMP_WORDS <<<"$2"
[[ $2 != *' ' ]] || COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_unified 2>/dev/null
printf '%s\\n' "${COMPREPLY[@]}"
"""
FISH = 'source "$argv[1]"; complete -C "$argv[2]"'


def environ(folder: Path) -> dict[str, str]:
    """Give the environment in which the files of that version are found."""
    home = folder / "home"
    kinds = ("config", "data", "cache")
    folders = {f"XDG_{kind.upper()}_HOME": str(home / kind) for kind in kinds}
    return {"PATH": os.environ["PATH"], "HOME": str(home), "LC_ALL": "C", **folders}


def started(argv: list[str], folder: Path) -> str:
    """Run a shell, and give what it prints."""
    if shutil.which(argv[0]) is None:
        pytest.skip(f"{argv[0]} is not installed here")
    done = subprocess.run(
        argv,
        env=environ(folder),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def offered(shell: str, folder: Path, line: str) -> set[str]:
    """Give what the installed script offers at the end of a line."""
    script = str(folder / "home" / INSTALLED[shell])
    if shell == "bash":
        argv = ["bash", "--norc", "--noprofile", "-c", BASH, "bash", script, line]
    else:
        argv = ["fish", "--no-config", "-c", FISH, script, line]
    return {one.split("\t")[0].strip() for one in started(argv, folder).splitlines()}


@pytest.mark.parametrize("shell", ["bash", "fish"])
@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("unified tick", "ticketing"),
        ("unified ticketing tags ", "list"),
        ("unified -p ful", "full"),
        ("unified mi", "mine"),
        ("unified sh", "shop"),
    ],
)
def test_an_installed_script_completes(folder: Path, shell: str, line: str, word: str) -> None:
    assert word in offered(shell, folder, line)


@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_an_installed_script_offers_the_ids_of_its_cache(folder: Path, shell: str) -> None:
    home = folder / "home"
    kept = home / "cache/unified/completion/full/ticketing.tags.ids"
    first, *ids = kept.read_text().splitlines()
    # They are offered for a day, as long as the config was not changed later.
    fresh = f"{int(time.time())} {first.partition(' ')[2]}"
    kept.write_text("\n".join([fresh, *ids, ""]))
    for path in (home / "config/unified").rglob("*"):
        os.utime(path, (1e9, 1e9))
    assert {*ids} <= offered(shell, folder, "unified -p full ticketing tags get ")


def test_an_installed_script_is_read_by_zsh(folder: Path) -> None:
    assert started(["zsh", "-n", str(folder / "home" / INSTALLED["zsh"])], folder) == ""


@pytest.mark.parametrize("shell", [*INSTALLED])
def test_a_script_is_installed_over_an_older_one(before: Before, folder: Path, shell: str) -> None:
    path = folder / "home" / INSTALLED[shell]
    kept = path.read_bytes()
    ended = before(f"completion install --shell {shell}", environ=environ(folder))
    # A version that has no completion for a shell says so, and leaves the script alone.
    assert ended.code in {0, 2}, ended.stderr
    if ended.code == 0:
        assert path.read_bytes() == before(f"completion {shell}").raw
    else:
        assert path.read_bytes() == kept
        assert shell in ended.stderr
