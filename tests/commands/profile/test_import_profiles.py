"""`unified profile import`: many connections from a CSV file, all of them or none."""

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified

Config = Callable[[str], Path]


def test_each_line_becomes_a_profile(unified: Unified, config: Config, tmp_path: Path) -> None:
    path = config("# ours\n")
    source = tmp_path / "connections.csv"
    source.write_bytes(
        b"\xef\xbb\xbfname,account_id,tags,read_only\r\nacme,1,prod;eu,\r\n\r\n"
        b'"globex", 2 ,"prod, us",true\r\ninitech,,,no'
    )
    result = unified(["profile", "import", str(source)])
    assert (result.code, result.stdout, result.stderr) == (0, "", f"added 3 profiles to {path}\n")
    assert path.read_text().startswith("# ours\n")
    assert tomllib.loads(path.read_text())["profiles"] == {
        "acme": {"account_id": "1", "tags": ["prod", "eu"]},
        "globex": {"account_id": "2", "tags": ["prod", "us"], "read_only": True},
        "initech": {"read_only": False},
    }


def test_columns_may_be_called_as_options_are(unified: Unified, config: Config) -> None:
    path = config("")
    assert unified("profile import -", stdin=b"name,account,tag\nacme,1,prod eu\n").code == 0
    assert tomllib.loads(path.read_text())["profiles"] == {
        "acme": {"account_id": "1", "tags": ["prod", "eu"]}
    }
    result = unified("profile import -", stdin=b"name,account,account_id\nb,1,2\n")
    assert (result.code, result.stderr) == (2, 'error: the column "account_id" is repeated\n')


def test_standard_input_and_a_thousand_lines(unified: Unified, config: Config) -> None:
    path = config("")
    text = "name,account_id\n" + "".join(f"acme-{number},id-{number}\n" for number in range(1000))
    assert unified("profile import -", stdin=text.encode()).code == 0
    assert len(tomllib.loads(path.read_text())["profiles"]) == 1000


def test_update_changes_existing_profiles_and_an_empty_cell_unsets(
    unified: Unified, config: Config
) -> None:
    path = config('[profiles.acme]  # first\naccount_id = "1"\ntags = ["a"]\n')
    refused = unified("profile import -", stdin=b"name,account_id\nacme,2\n")
    said = "a profile named acme already exists, so nothing was added"
    again = "unified profile import - --update changes existing profiles"
    assert (refused.code, refused.stderr) == (2, f"error: {said} ({again})\n")
    assert (
        unified("profile import - --update", stdin=b"name,account_id,tags\nacme,2,\nnew,3,b\n").code
        == 0
    )
    assert (
        path.read_text()
        == '[profiles.acme]  # first\naccount_id = "2"\n\n[profiles.new]\naccount_id = "3"\ntags ='
        ' ["b"]\n'
    )


NO_NAME = "the first line must name the columns, including name (such as name,account_id,tags)"
NO_CSV = (
    "line 1 is not CSV: ',' expected after '\"' (the first line must name the columns, such as"
    " name,account_id,tags)"
)


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        (b"", 2, NO_NAME),
        (b"account_id\n1\n", 2, NO_NAME),
        (b"name,acount_id\na,1\n", 2, 'no column "acount_id" (did you mean "account_id"?)'),
        (
            b"name,token\na,t-canary\n",
            2,
            "tokens are not read from a CSV file (use a column token_file)",
        ),
        (b"name,name\na,b\n", 2, 'the column "name" is repeated'),
        (b"name\n", 2, "no profiles in -"),
        (b"name,account_id\na,1\nb\n", 2, "line 3 has 1 cell for 2 columns"),
        (b"name,account_id\na,1,2\n", 2, "line 2 has 3 cells for 2 columns"),
        (b"name\na\nb\na\n", 2, 'line 4 repeats the profile "a" of line 2'),
        (b'name,account_id\na,"1\n', 2, "line 2 is not CSV: unexpected end of data"),
        (b'[{"name":"a","tags":"b"}]', 2, NO_CSV),
        (b"name\na\n\xff\n", 2, "-: line 3 is not UTF-8"),
        (b"name\nsandbox\n", 2, 'line 2: the profile "sandbox" is built in; choose another name'),
        (b"name,retries\na,many\n", 2, "line 2: retries must be a whole number, 0 or more"),
        (b"name,base_url\na,http://x.example\n", 13,
         "line 2: base URL in base_url would send the token in clear text (use https://x.example)"),
        (b"name\n../x\n", 2, None),
        (b"name\nacme\n", 2, None),
    ],
)  # fmt: skip
def test_one_wrong_line_and_nothing_is_added(
    unified: Unified, config: Config, text: bytes, code: int, said: str | None
) -> None:
    path = config("[profiles.acme]\n")
    result = unified("profile import -", stdin=text)
    assert (result.code, result.stdout) == (code, "")
    assert said is None or result.stderr == f"error: {said}\n"
    assert path.read_text() == "[profiles.acme]\n"


def test_a_missing_file_is_named(unified: Unified) -> None:
    result = unified("profile import /nonexistent.csv")
    assert (result.code, result.stderr) == (
        11,
        "error: cannot read /nonexistent.csv: No such file or directory\n",
    )
