"""State that earlier runs left: a torn last line is repaired, damage is reported with
its place, no pipe blocks.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from unified_cli.errors import StateError
from unified_cli.storage import regular_file, state
from unified_cli.storage.append_file import AppendFile

WHOLE = b'{"n":1}\n{"n":2,"why":"gr\xc3\xbc\xc3\x9fe"}\n'
MOVE = "move it away"


def read(path: Path) -> list[bytes]:
    file = AppendFile(path)
    file.open()
    try:
        return [line.text for line in state.lines(file, MOVE, longest=100)]
    finally:
        file.close()


def test_a_line_that_is_torn_anywhere_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    for size in range(len(WHOLE) + 1):
        path.write_bytes(WHOLE[:size])
        assert read(path) == WHOLE[:size].split(b"\n")[:-1]
        assert path.read_bytes() == WHOLE[: WHOLE[:size].rfind(b"\n") + 1]


@pytest.mark.parametrize(
    "tail",
    [b"\0" * 40, b"garbage", b'{"n":3\0\0', b"{n", b'{"n":\xff', b'{"' + b"n" * 100],
    ids=["NULs", "no object", "NULs at its end", "no name", "no UTF-8", "too long"],
)
@pytest.mark.parametrize("before", [b"", WHOLE])
def test_a_line_that_no_crash_can_leave_is_damage(
    before: bytes, tail: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "journal"
    path.write_bytes(before + tail)
    with pytest.raises(StateError) as raised:
        read(path)
    number = before.count(b"\n") + 1
    assert raised.value.message == f"{path} is damaged in line {number} ({MOVE})"
    assert path.read_bytes() == before + tail


def test_a_line_says_where_it_is(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    path.write_bytes(WHOLE)
    file = AppendFile(path)
    file.open()
    for line in [*state.lines(file, MOVE)]:
        assert file.read(len(line.text), line.position) == line.text
    file.close()


def plant_pipe(path: Path) -> None:
    os.mkfifo(path)


def plant_link(path: Path) -> None:
    (path.parent / "elsewhere").write_bytes(WHOLE)
    path.symlink_to("elsewhere")


PLANTED = [plant_pipe, plant_link, Path.mkdir]


@pytest.mark.parametrize("plant", PLANTED)
def test_nothing_but_a_regular_file_is_opened(
    plant: Callable[[Path], None], tmp_path: Path
) -> None:
    path = tmp_path / "state"
    plant(path)
    with pytest.raises(StateError, match=r"state is not a regular file \(move it away\)"):
        state.whole(path, MOVE)
    with pytest.raises(regular_file.NotRegularError):
        AppendFile(path).open(missing_ok=True)
    with pytest.raises(regular_file.NotRegularError):
        regular_file.check(path)


def test_a_file_that_is_far_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "state"
    path.touch()
    os.truncate(path, state.LARGEST_FILE + 1)
    with pytest.raises(StateError, match="larger than 64 MiB"):
        state.whole(path, MOVE)


def test_a_missing_state_file_is_accepted(tmp_path: Path) -> None:
    assert state.whole(tmp_path / "state", MOVE) is None
    regular_file.check(tmp_path / "state")
