"""On a disk that does not distinguish names by case, or by the normal form of Unicode,
two profiles never share a file.
"""

import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
from front_door import Result, Unified
from hypothesis import given, strategies as st
from installed import needs_extra
from pages import served
from server import Service

from unified_cli.storage import names

Config = Callable[[str], Path]
TWINS = """
[profiles.Acme]
base_url = "sandbox:"
account_id = "full"
[profiles.acme]
base_url = "sandbox:"
account_id = "empty"
[profiles.other]
base_url = "sandbox:"
account_id = "full:other"
"""
EXPORT = "export ticketing/tags --to HERE/dump"
SHARED = "would share files: the disk of "
NEEDS_CLOUD = needs_extra("cloud", "obstore")
NEEDS_PARQUET = needs_extra("parquet", "pyarrow")
NEEDS_DELTA = needs_extra("delta", "deltalake")


@pytest.fixture
def folding(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Have no disk distinguish such names; gives the folders whose disks were
    asked.
    """
    asked: list[Path] = []

    def are_same(folder: Path, one: str, other: str) -> bool:
        asked.append(folder)
        return names.folded(one) == names.folded(other)

    monkeypatch.setattr(names, "are_same", are_same)
    return asked


@pytest.fixture
def run(unified: Unified, tmp_path: Path) -> Callable[[str], Result]:
    def typed(command: str) -> Result:
        folders = {kind: tmp_path / kind for kind in ("config", "data", "cache")}
        return unified(command.replace("HERE", str(tmp_path)), folders=folders)

    return typed


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.mark.usefixtures("folding")
@pytest.mark.parametrize(
    "to",
    [
        "HERE/dump",
        "HERE/dump -o csv",
        pytest.param("HERE/dump --format parquet", marks=NEEDS_PARQUET),
        pytest.param("HERE/dump --format delta", marks=NEEDS_DELTA),
        pytest.param("file://HERE/dump", marks=NEEDS_CLOUD),
        pytest.param("file://HERE/dump --format parquet", marks=NEEDS_CLOUD + NEEDS_PARQUET),
        pytest.param("file://HERE/dump --format delta", marks=NEEDS_CLOUD + NEEDS_DELTA),
    ],
)
def test_two_profiles_are_not_exported_into_one_folder(
    to: str, run: Callable[[str], Result], config: Config, tmp_path: Path
) -> None:
    config(TWINS)
    result = run(f"-p Acme -p acme export ticketing/tags --to {to}")
    said = f'"Acme" and "acme" {SHARED}{tmp_path / "dump"} does not distinguish these names'
    assert (result.code, result.stdout) == (11, "")
    assert f"error: {said} (export one of them to another folder)\n" in result.stderr
    assert files(tmp_path / "dump") == set()


@pytest.mark.usefixtures("folding")
@pytest.mark.parametrize(
    "form",
    [
        "",
        "-o csv",
        pytest.param("--format parquet", marks=NEEDS_PARQUET),
        pytest.param("--format delta", marks=NEEDS_DELTA),
    ],
)
def test_a_later_export_does_not_write_over_that_of_another_name(
    form: str, run: Callable[[str], Result], config: Config, tmp_path: Path
) -> None:
    config(TWINS)
    assert run(f"-p Acme {EXPORT} {form}").code == 0
    before = files(tmp_path / "dump")
    result = run(f"-p acme {EXPORT} {form}")
    assert (result.code, f'"Acme" and "acme" {SHARED}' in result.stderr) == (11, True)
    assert files(tmp_path / "dump") == before
    assert run(f"-p Acme -p other {EXPORT} {form}").code == 0


@pytest.mark.usefixtures("folding")
@pytest.mark.extra
@pytest.mark.skipif(find_spec("obstore") is None, reason="needs the extra cloud")
def test_a_task_does_not_take_the_manifest_of_another_for_its_own(
    run: Callable[[str], Result], config: Config, tmp_path: Path
) -> None:
    config(TWINS)
    what = "export ticketing/tags --to file://HERE/dump"
    tasks = [
        json.loads(line) for line in run(f"-p Acme -p acme {what} --tasks").stdout.splitlines()
    ]
    first, second = (f"export --task '{json.dumps(one)}'" for one in tasks)
    assert run(first).code == 0
    before = files(tmp_path / "dump")
    result = run(second)
    assert (result.code, SHARED in result.stderr) == (11, True)
    assert files(tmp_path / "dump") == before


@pytest.mark.usefixtures("folding")
@pytest.mark.parametrize(
    "command", ["profile add Acme --account-id 2", "profile add ACME --account-id 2"]
)
def test_a_profile_is_not_added_beside_one_of_that_name(
    command: str, run: Callable[[str], Result], config: Config
) -> None:
    text = '[profiles.acme]\naccount_id = "1"\n'
    path = config(text)
    result = run(command)
    name = command.split()[2]
    assert result.code == 2
    assert result.stderr == (
        f'error: profiles "acme" and "{name}" {SHARED}{path.parent} does not distinguish'
        " these names (choose another name)\n"
    )
    assert path.read_text() == text


@pytest.mark.usefixtures("folding")
def test_no_two_such_profiles_are_imported(
    run: Callable[[str], Result], config: Config, tmp_path: Path
) -> None:
    path = config("")
    (tmp_path / "new.csv").write_text("name,account_id\nAcme,1\nacme,2\n")
    result = run("profile import HERE/new.csv")
    assert (result.code, SHARED in result.stderr, path.read_text()) == (2, True, "")


@pytest.mark.usefixtures("folding")
def test_no_two_such_connections_are_added(
    unified: Unified, config: Config, service: Service, tmp_path: Path
) -> None:
    path = config(f'base_url = "{service.url}"\n')
    listed = [
        {"id": f"id-{tenant}", "tenant_id": tenant, "status": "active"}
        for tenant in ("Acme", "acme")
    ]
    service.reply = lambda _: served({"result": listed, "next_cursor": None})
    before = path.read_text()
    result = unified(
        "connections add --yes",
        environ={"UNIFIED_TOKEN": "t-0123456789"},
        folders={"config": tmp_path / "config", "cache": tmp_path / "cache"},
    )
    assert (result.code, SHARED in result.stderr) == (2, True), result.stderr
    assert path.read_text() == before


def test_elsewhere_both_are_as_they_were(
    run: Callable[[str], Result], config: Config, tmp_path: Path
) -> None:
    config(TWINS)
    if names.are_same(tmp_path, "Acme", "acme"):
        pytest.skip("this disk does not distinguish upper and lower case")
    assert run(f"-p Acme -p acme {EXPORT}").code == 0
    assert run(f"-p Acme -p acme {EXPORT}").code == 0
    assert {"Acme", "acme", "manifest.json"} == {one.name for one in (tmp_path / "dump").iterdir()}
    assert run("profile add ACME --account-id 2").code == 0


def test_no_disk_is_asked_where_all_names_are_apart(
    folding: list[Path], run: Callable[[str], Result], config: Config
) -> None:
    config(TWINS)
    assert run(f"-p acme -p other {EXPORT}").code == 0
    assert run("profile add one-more --account-id 2").code == 0
    assert folding == []


def test_words_of_one_profile_are_not_completed_for_a_similar_name(
    unified: Unified, config: Config, tmp_path: Path
) -> None:
    path = config(TWINS)
    folders = {"cache": tmp_path / "cache", "data": tmp_path / "data"}
    for profile in ("Acme", "acme", "other"):
        listed = unified(
            f"-p {profile} ticketing tags list",
            tty=True,
            environ={"UNIFIED_CONFIG": str(path)},
            folders=folders,
        )
        assert listed.code == 0
    kept = tmp_path / "cache" / "completion"
    assert [one.name for one in kept.iterdir()] == ["other"]


@given(st.text(max_size=4), st.text(max_size=4))
def test_names_that_fold_alike_are_found_in_any_order(one: str, other: str) -> None:
    alike = one != other and names.folded(one) == names.folded(other)
    assert (names.others_like(one, [other, one]) == [other]) is alike
    assert (names.others_like(other, [one, other]) == [one]) is alike


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Acme", "acme"),
        ("caf\u00e9", "cafe\u0301"),
        ("\u00c9t\u00e9", "e\u0301te\u0301"),
        ("Straße", "STRASSE"),
    ],
)
def test_case_and_normal_form_are_one_rule(one: str, other: str) -> None:
    assert names.folded(one) == names.folded(other)


def test_the_folding_of_a_disk_is_tested_with_files(tmp_path: Path) -> None:
    assert names.are_same(tmp_path / "not" / "there", "a", "a")
    assert not names.are_same(tmp_path, "a", "b")
    assert not names.are_same(Path("/proc"), "a", "A")
    assert [*tmp_path.iterdir()] == []
