"""The work of a removed option is done by the commands that its error prints, with the
words that were typed.
"""

import shlex
from pathlib import Path

import pytest
from front_door import Clock, Unified

CREATE = "knowledge-base page-exports create"
TYPED = [
    f"-p sandbox {CREATE} -q 'collection[id]=collections-1' -q 'page[id]=pages-1' -f format=html",
    f"{CREATE} --profile=sandbox --query 'page[id]=pages-1'",
]


@pytest.mark.parametrize("typed", TYPED)
def test_the_three_commands_instead_of_wait_do_it(
    typed: str, unified: Unified, tmp_path: Path
) -> None:
    result = unified(f"{typed} --wait --wait-timeout 60 --out {tmp_path}/a")
    reason, *commands = result.stderr.splitlines()
    said = f"error: unified {CREATE}: no such option: --wait; three commands replace it"
    assert (reason, result.code) == (f"{said} (ID is the id that the first command prints)", 2)

    create, get, download = (shlex.split(command)[1:] for command in commands)
    made = unified(create)
    assert (made.code, made.json["status"]) == (0, "queued")
    clock = Clock()
    ready, saved = (
        unified(
            [made.json["id"] if word == "ID" else word for word in words],
            monotonic=clock.now,
            sleep=clock.sleep,
        )
        for words in (get, download)
    )
    assert (ready.code, ready.json["status"], len(ready.json["urls"])) == (0, "completed", 1)
    assert (saved.code, (tmp_path / "a").stat().st_size > 0) == (0, True)


def test_without_a_place_the_file_has_a_name_to_replace(unified: Unified) -> None:
    result = unified(f"{CREATE} --wait -o json")
    assert result.code == 2
    assert '"next": "unified knowledge-base page-exports create -o json\\n' in result.stderr
    assert "page-exports download ID --out FILE" in result.stderr


def test_another_command_has_its_usual_error(unified: Unified) -> None:
    said = "error: unified ticketing tickets create: no such option: --wait"
    assert unified("ticketing tickets create --wait").stderr.startswith(said)
    result = unified("ticketing tickets get 1 --wait")
    assert "--until JQ repeats until it is true" in result.stderr
