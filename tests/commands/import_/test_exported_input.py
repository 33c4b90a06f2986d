"""Import reads what export wrote: Parquet, and the folder of an export in any format
that keeps whole records.
"""

import json
import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from front_door import Unified
from many_connections import profiles
from pages import served
from server import Reply, Seen, Service

from unified_cli.storage.unchanged_file import UnchangedFile

Config = Callable[[str], Path]
FORMATS = [
    "ndjson",
    pytest.param("parquet", marks=pytest.mark.extra),
    pytest.param("delta", marks=pytest.mark.extra),
]
EXACT = '{"id":"%s","updated_at":"%s","n":1234567890123456789012345,"price":1.10}'


def needs(form: str) -> None:
    """Skip where the packages of a format are not installed."""
    for package in {"parquet": ["pyarrow"], "delta": ["pyarrow", "deltalake"]}.get(form, []):
        pytest.importorskip(package, reason=f"needs the extra {form}")


class Source:
    """A list of records that change from night to night; created ones are noted."""

    def __init__(self, service: Service) -> None:
        self.records: dict[str, str] = {}
        self.created: list[bytes] = []
        service.reply = self.reply

    def reply(self, seen: Seen) -> Reply:
        if seen.method == "POST":
            self.created.append(seen.body)
            return served({"id": "new"})
        since = dict(seen.query).get("updated_at[gt]", "")
        found = [EXACT % one for one in self.records.items() if one[1] > since]
        return Reply(200, f'{{"result":[{",".join(found)}],"next_cursor":null}}'.encode())

    @property
    def texts(self) -> list[str]:
        """The records as they are now."""
        return sorted(EXACT % one for one in self.records.items())


@pytest.fixture
def source(service: Service, config: Config) -> Source:
    profiles(config, service.url, 2)
    found = Source(service)
    found.records = {f"t{at}": f"2026-11-0{at + 1}T00:00:00Z" for at in range(3)}
    return found


@pytest.mark.parametrize("form", FORMATS)
def test_the_newest_state_of_a_folder_is_imported_once(
    form: str, source: Source, unified: Unified, tmp_path: Path
) -> None:
    needs(form)
    folder = tmp_path / "dump"
    export = f"export ticketing/tags -p c00 --to {folder} --format {form} --incremental"
    assert unified(export).code == 0
    source.records |= {"t1": "2026-11-09T00:00:00Z", "t7": "2026-11-09T00:00:01Z"}
    assert unified(export).code == 0
    command = f"import ticketing/tags {folder} -p c01"
    imported = unified(command)
    assert imported.code == 0, imported.stderr
    assert sorted(body.decode() for body in source.created) == source.texts
    assert f"ticketing/tags of {folder} is saved as " in imported.stderr
    again = unified(command)
    assert (again.code, len(source.created)) == (0, 4)
    assert "already imported" in again.stderr


@pytest.mark.parametrize("form", FORMATS)
def test_a_folder_with_the_list_of_several_profiles_names_them(
    form: str, source: Source, unified: Unified, tmp_path: Path
) -> None:
    needs(form)
    folder = tmp_path / "dump"
    assert unified(f"export ticketing/tags -p c* --to {folder} --format {form}").code == 0
    refused = unified(f"import ticketing/tags {folder} -p c01")
    assert (refused.code, source.created) == (2, [])
    assert f"{folder} holds ticketing/tags of several profiles (" in refused.stderr
    if form == "delta":
        return
    one = unified(f"import ticketing/tags {folder}/c00 -p c01")
    assert (one.code, len(source.created)) == (0, 3), one.stderr


@pytest.mark.extra
@pytest.mark.parametrize("piped", [False, True])
def test_a_file_of_parquet_is_imported_digit_by_digit(
    piped: bool, source: Source, unified: Unified, tmp_path: Path
) -> None:
    needs("parquet")
    export = f"export ticketing/tags -p c00 --to {tmp_path}/dump --format parquet"
    assert unified(export).code == 0
    file = tmp_path / "dump" / "c00" / "ticketing" / "tags.parquet"
    stdin = file.read_bytes() if piped else b""
    command = f"import ticketing/tags {'-' if piped else file} -p c01"
    imported = unified(command, stdin=stdin)
    assert imported.code == 0, imported.stderr
    assert sorted(body.decode() for body in source.created) == source.texts
    again = unified(command, stdin=stdin)
    assert (again.code, len(source.created)) == (0, 3)


@pytest.mark.extra
@pytest.mark.parametrize(
    ("option", "said"),
    [("--format csv", "is Parquet (leave out --format"), ("--trim-header", "is Parquet (leave")],
)
def test_options_of_text_are_refused_for_parquet(
    option: str, said: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    file = tmp_path / "a.parquet"
    file.write_bytes(b"PAR1\x15\x04")
    refused = unified(f"import ticketing/tags {file} {option}", environ=service.environ)
    assert (refused.code, service.seen) == (2, [])
    assert said in refused.stderr


@pytest.mark.extra
def test_other_parquet_is_refused(unified: Unified, service: Service, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="needs the extra parquet")
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra parquet")
    broken, other = tmp_path / "broken.parquet", tmp_path / "other.parquet"
    broken.write_bytes(b"PAR1\x15\x04")
    parquet.write_table(pyarrow.table({"name": ["A"]}), other)
    for file, said in ((broken, "cannot be read: "), (other, "it has no column record")):
        refused = unified(f"import ticketing/tags {file}", environ=service.environ)
        assert (refused.code, service.seen) == (2, [])
        assert f"{file} is Parquet that cannot be read: " in refused.stderr
        assert said in refused.stderr
        assert json.loads(unified("runs list -o json").stdout)["runs"] == []


def test_a_file_may_be_read_out_of_order(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"0123456789")
    with closing(UnchangedFile(path)) as file, file.reader() as content:
        assert (content.seek(-4, os.SEEK_END), content.read()) == (6, b"6789")
        assert (content.seek(0), content.read()) == (0, b"0123456789")
