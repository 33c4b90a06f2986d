"""`unified doctor --bundle`: one file for a report, without what must not be sent."""

import json
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified
from server import Reply, Service

Config = Callable[[str], Path]
SECRET = "CANARY-0123456789abcdef"
PLAIN = "PLAIN-0123456789abcdef"


def read(path: Path) -> dict[str, Any]:
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name).decode() for name in archive.namelist()}


@pytest.fixture
def profiles(config: Config, tmp_path: Path) -> None:
    (tmp_path / "token").write_text(SECRET)
    (tmp_path / "token").chmod(0o600)
    config(
        'base_url = "https://api.example.com"\n[profiles.a]\naccount_id = "1"\ntoken_file ='
        f' "{tmp_path}/token"\n[profiles.b]\naccount_id = "{PLAIN}"\ntoken ='
        f' "{PLAIN}"\n[profiles.c]\n'
    )


@pytest.mark.usefixtures("profiles")
def test_a_bundle_has_the_facts_for_a_report_and_no_secret(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    service.reply = lambda _: Reply(200, b'{"result":[{"id":"1"}],"next_cursor":null}')
    har, bundle = tmp_path / "a.har", tmp_path / "report.zip"
    unified(f"ticketing tickets list --record {har}", environ=service.environ)
    unified("-p sandbox -p sandbox ticketing tickets delete nothing --yes")
    found = unified(f"doctor --bundle {bundle} --har {har} -o json")
    assert found.code == 3, "profile c has no token, which the bundle tells too"
    assert stat.S_IMODE(bundle.stat().st_mode) == 0o600
    assert f"bytes to {bundle}; look into it before you send it" in found.stderr
    files = read(bundle)
    assert [*files] == [
        "README.txt",
        "findings.json",
        "versions.json",
        "settings.json",
        "runs.json",
        "session.har",
    ]
    assert json.loads(files["findings.json"]) == found.json["findings"]
    assert json.loads(files["versions.json"])["packages"]["httpx"]
    settings = {one["profile"]: one for one in json.loads(files["settings.json"])}
    values = {one["key"]: (one["value"], one["source"]) for one in settings["a"]["values"]}
    assert values["account_id"] == ("1", "profile a")
    assert values["token"] == ("set", f"profile a (file {tmp_path}/token)")
    assert json.loads(files["session.har"])["log"]["version"] == "1.2"
    text = "".join(files.values())
    assert [
        secret for secret in (SECRET, PLAIN, service.environ["UNIFIED_TOKEN"]) if secret in text
    ] == []


def test_an_unreadable_configuration_is_reported(
    unified: Unified, config: Config, tmp_path: Path
) -> None:
    config("no toml")
    assert unified(f"doctor --bundle {tmp_path}/report.zip").code == 3
    files = read(tmp_path / "report.zip")
    assert [
        one["level"] for one in json.loads(files["findings.json"]) if one["check"] == "config"
    ] == ["error"]
    assert files["settings.json"] == "[]"


@pytest.mark.usefixtures("profiles")
def test_a_recording_with_a_secret_is_not_passed_on(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    har, bundle = tmp_path / "a.har", tmp_path / "report.zip"
    unified(f"ticketing tickets list --record {har}", environ=service.environ)
    clean = har.read_text()
    for change in (
        clean.replace(
            '"name":"authorization","value":"***"', '"name":"authorization","value":"Bearer x"'
        ),
        clean.replace('"text":"{}"', f'"text":"{{\\"a\\":\\"{SECRET}\\"}}"'),
        clean.replace('"text":"{}"', '"text":"https://x.example/?sig=abc"'),
        clean.replace("integrated_account_id=acct-1", "integrated_account_id=acct-1&token=abc"),
    ):
        assert change != clean
        har.write_text(change)
        found = unified(f"doctor a --bundle {bundle} --har {har}")
        assert (found.code, bundle.exists()) == (13, False)
        assert (
            "holds credentials, so it is not passed on (--record makes a file without them)"
            in found.stderr
        )


def test_a_secret_anywhere_in_a_recording_is_found(
    unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    har, bundle = tmp_path / "a.har", tmp_path / "report.zip"
    (tmp_path / "token").write_text(SECRET)
    (tmp_path / "token").chmod(0o600)
    config(
        f'[profiles.a]\n[profiles.b]\ntoken_file = "{tmp_path}/token"\nbase_url ='
        ' "https://api.example.com"\n'
    )
    unified(f"ticketing tickets list --record {har}", environ=service.environ)
    clean = har.read_text()
    pair = f'[{{"name":"a","value":"{SECRET}"}}]'
    for change, said in (
        (
            clean.replace('"cookies":[]', f'"cookies":{pair}', 1),
            "holds credentials outside its entries",
        ),
        (
            clean.replace('"queryString":[', f'"queryString":{pair[:-1]},', 1),
            "holds credentials outside its entries",
        ),
        (
            clean.replace('"entries":', f'"comment":"{SECRET}","entries":', 1),
            "holds credentials outside its entries",
        ),
        (clean.replace('"log":{', '"log":{"comment":"",', 1), "was not made by --record"),
        (json.dumps(json.loads(clean)), "was not made by --record"),
        (clean.replace("unified-api-cli", "Browser", 1), "was not made by --record"),
    ):
        assert change != clean
        har.write_text(change)
        found = unified(f"doctor a --bundle {bundle} --har {har}")
        assert (found.code, bundle.exists()) == (13, False)
        assert found.stderr.endswith(
            f" {said}, so it is not passed on (--record makes a file without them)\n"
        )


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ("--har a.har", 2, "--har adds a recording to a bundle (--bundle FILE.zip)"),
        ("--bundle {0}", 11, "is a folder"),
        ("--bundle {0}/there", 11, "there exists (name another file, or remove it)"),
        ("--bundle {0}/no/report.zip", 11, "there is no folder"),
        ("--bundle {0}/new.zip --har {0}/none.har", 11, "cannot read"),
        ("--bundle {0}/new.zip --har {0}/there", 12, "is not a HAR file"),
    ],
)
def test_a_file_that_cannot_be_written_or_added_is_reported_first(
    options: str, code: int, said: str, unified: Unified, tmp_path: Path
) -> None:
    (tmp_path / "there").write_text("x")
    found = unified(f"doctor {options.format(tmp_path)}")
    assert (found.stdout, found.code, said in found.stderr) == ("", code, True), found.stderr
    assert not (tmp_path / "new.zip").exists()


def test_a_file_that_appears_during_the_run_is_kept(
    unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    bundle = tmp_path / "report.zip"
    config(f'base_url = "{service.url}"\n[profiles.a]\naccount_id = "1"\ntoken = "{PLAIN}"\n')

    def reply(_: object) -> Reply:
        bundle.write_text("mine")
        return Reply()

    service.reply = reply
    found = unified(f"doctor a --network --bundle {bundle}")
    assert (found.code, bundle.read_text()) == (11, "mine")
    assert found.stderr.endswith(f"error: {bundle} exists (name another file, or remove it)\n")
