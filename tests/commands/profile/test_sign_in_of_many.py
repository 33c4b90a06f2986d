"""One token for many profiles: where it comes from, where it goes, and who loses it."""

import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from front_door import Unified
from keyrings import InMemory, using
from pages import served
from server import Reply, Service

Config = Callable[[str], Path]
TOKEN = "t-canary-0123456789"
TYPED = f"{TOKEN}\n".encode()
LISTED = {
    "result": [
        {
            "id": f"c-{at}",
            "tenant_id": f"t{at}",
            "integration": {"name": "desk"},
            "status": "active",
        }
        for at in range(3)
    ],
    "next_cursor": None,
}
NEW = ["t0-desk", "t1-desk", "t2-desk"]


@pytest.fixture
def ring() -> Iterator[InMemory]:
    backend = InMemory()
    with using(backend):
        yield backend


def profiles(path: Path) -> Any:
    return tomllib.loads(path.read_text())["profiles"]


def sources(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "own").write_text(TOKEN)
    (tmp_path / "own").chmod(0o600)
    return {
        "keyring": "",
        "file": "",
        "own": f'token_file = "{tmp_path}/own"\n',
        "command": f'token_command = ["printf", "{TOKEN}"]\n',
    }


@pytest.mark.usefixtures("ring")
@pytest.mark.parametrize("where", ["keyring", "file", "own", "command"])
@pytest.mark.parametrize("top", [True, False])
def test_new_profiles_use_the_token_that_listed_them(
    unified: Unified, config: Config, service: Service, tmp_path: Path, where: str, top: bool
) -> None:
    address = f'base_url = "{service.url}"\n'
    head = f"{address}[profiles.hooli]\n" if top else f"[profiles.hooli]\n{address}"
    path = config(head + sources(tmp_path)[where])
    if where in {"keyring", "file"}:
        assert unified(f"profile login hooli --token-stdin --store {where}", stdin=TYPED).code == 0
    service.reply = lambda _: served(LISTED)
    added = unified("-p hooli connections add --yes --tag all")
    assert (added.code, added.stderr.splitlines()[-1]) == (
        0,
        "try them: unified profile test tag:all",
    )
    assert [*profiles(path)] == ["hooli", *NEW]
    service.seen.clear()
    service.reply = lambda _: Reply(200, b'{"result":[],"next_cursor":null}')
    result = unified("-p * ticketing tickets list")
    assert result.code == 0, result.stderr
    assert len(service.seen) == 3
    assert {seen.headers["authorization"] for seen in service.seen} == {f"Bearer {TOKEN}"}


@pytest.mark.usefixtures("ring")
@pytest.mark.parametrize("store", ["keyring", "file"])
def test_logout_leaves_no_profile_that_looks_for_the_token(
    unified: Unified, config: Config, service: Service, store: str
) -> None:
    path = config(f'[profiles.hooli]\nbase_url = "{service.url}"\n')
    assert unified(f"profile login hooli --token-stdin --store {store}", stdin=TYPED).code == 0
    service.reply = lambda _: served(LISTED)
    assert unified("-p hooli connections add --yes").code == 0
    refused = unified("profile remove hooli --yes")
    assert (refused.code, refused.stderr) == (
        2,
        (
            'error: not removed: 3 profiles use the token of profile "hooli": t0-desk, t1-desk,'
            " t2-desk (first run unified profile logout hooli, which removes the token from all)\n"
        ),
    )
    one = unified("profile logout t0-desk")
    assert (one.code, one.stderr) == (
        0,
        'profile "t0-desk" no longer uses the token of another profile\n',
    )
    # A token of its own leaves the others alone.
    own = unified(f"profile login t1-desk --token-stdin --store {store}", stdin=b"t-own\n")
    assert "removed" not in own.stderr
    still = unified("profile remove hooli --yes")
    assert 'not removed: 1 profile uses the token of profile "hooli": t2-desk' in still.stderr
    out = unified("profile logout hooli")
    assert (out.code, out.stderr.splitlines()[-1]) == (
        0,
        "the token was also used by 1 profile: t2-desk",
    )
    service.reply = lambda _: Reply(200, b'{"result":[],"next_cursor":null}')
    assert unified("-p t1-desk ticketing tickets list").code == 0
    assert service.seen[-1].headers["authorization"] == "Bearer t-own"
    for name in ("t0-desk", "t2-desk"):
        assert "has no token for this address" in unified(f"-p {name} voice calls list").stderr
    assert {"keyring", "token_file"} & {key for one in profiles(path).values() for key in one} == {
        "keyring" if store == "keyring" else "token_file"
    }


@pytest.mark.usefixtures("ring")
def test_a_token_of_another_profile_goes_to_no_other_origin(
    unified: Unified, config: Config, service: Service
) -> None:
    config(f'[profiles.hooli]\nbase_url = "{service.url}"\n')
    assert unified("profile login hooli --token-stdin --store file", stdin=TYPED).code == 0
    service.reply = lambda _: served(LISTED)
    assert unified("-p hooli connections add --yes").code == 0
    moved = unified("profile set t0-desk base_url=https://two.example")
    assert (moved.code, "would be sent elsewhere" in moved.stderr) == (13, True)


@pytest.mark.usefixtures("ring")
@pytest.mark.parametrize("words", ["--shared", "'a*'"])
def test_login_knows_the_address_that_all_profiles_have(
    unified: Unified, config: Config, service: Service, words: str
) -> None:
    path = config(
        f'[profiles.acme]\naccount_id = "1"\n'
        f'[profiles.globex]\nbase_url = "{service.url}"\naccount_id = "2"\n'
    )
    result = unified(f"profile login {words} --token-stdin", stdin=TYPED)
    assert result.code == 0, result.stderr
    service.reply = lambda _: Reply(200, b'{"result":[],"next_cursor":null}')
    called = unified("-p acme ticketing tickets list")
    assert (called.code, service.seen[-1].headers["authorization"]) == (0, f"Bearer {TOKEN}")
    far = '[profiles.far]\nbase_url = "https://far.example"\naccount_id = "3"\n'
    bare = (
        '[profiles.acme]\naccount_id = "1"\n[profiles.globex]\nbase_url = "https://one.example"\n'
    )
    path.write_text(bare + far)
    refused = unified(f"profile login {words} --token-stdin", stdin=TYPED)
    assert (refused.code, "needs a base URL" in refused.stderr) == (3, True)


def test_a_profile_without_an_account_is_named_as_one_and_no_error(
    unified: Unified, config: Config, service: Service
) -> None:
    config(
        f'base_url = "{service.url}"\ntoken_command = ["printf", "{TOKEN}"]\n[profiles.hooli]\n'
        '[profiles.acme]\naccount_id = "1"\n'
    )
    service.reply = lambda _: Reply(200, b'{"result":[],"next_cursor":null}')
    assert unified("-p * ticketing tickets list").code == 0
    assert unified("profile test * --with 'ticketing tickets'").stdout.count("\n") == 1
    doctor = unified("doctor")
    assert doctor.code == 0
    row = "ok\tprofile\thooli\tnames no connection: only connections and doctor can use it\t\n"
    assert row in doctor.stdout
    assert "2 ready" in doctor.stdout
    assert unified("profile list").stdout.startswith("hooli\t\t\t\ttoken_command\tlists")
    named = unified("-p hooli ticketing tickets list")
    assert (named.code, named.stderr) == (
        3,
        (
            'error: profile "hooli" has no account id, so only connections and doctor can use it'
            " (unified connections list -p hooli shows the ids; unified profile set hooli"
            " account_id=ID, or -a ID)\n"
        ),
    )


@pytest.mark.parametrize("command", ["profile list", "profile test"])
def test_p_selects_profiles_as_everywhere(
    unified: Unified, config: Config, service: Service, command: str
) -> None:
    names = "".join(
        f'[profiles.{name}]\naccount_id = "{name}"\ntags = ["{tag}"]\n'
        for name, tag in (("one", "eu"), ("two", "us"), ("three", "eu"))
    )
    config(f'base_url = "{service.url}"\ntoken_command = ["printf", "{TOKEN}"]\n{names}')
    service.reply = lambda _: Reply(200, b'{"result":[],"next_cursor":null}')
    for line in (f"{command} -p tag:eu", f"-p tag:eu {command}", f"{command} tag:eu"):
        shown = [one.partition("\t")[0] for one in unified(line).stdout.splitlines()]
        assert shown == ["one", "three"], line


def test_a_lock_that_is_waited_for_is_named(
    unified: Unified, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unified_cli.storage.private_file._LOCK_SECONDS", 0.2)
    monkeypatch.setattr("unified_cli.storage.file_lock._NOTED_SECONDS", 0.1)
    path = config('[profiles.acme]\naccount_id = "1"\n')
    with FileLock(path.with_name("config.toml.lock")):
        result = unified("profile set acme account_id=2")
    assert (result.code, result.stderr) == (
        3,
        (
            f"waiting for another process, which has locked {path}.lock\n"
            f"error: another process has held the lock of {path} for 0.2 seconds\n"
        ),
    )
