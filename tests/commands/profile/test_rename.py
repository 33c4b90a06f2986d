"""`unified profile rename`: the whole config file follows, and so do stored tokens and
runs.
"""

import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from front_door import Unified
from keyrings import InMemory, using
from server import Reply, Seen, Service

Config = Callable[[str], Path]
BEFORE = """\
# Of all.
base_url = "https://api.example.com"
profile = "acme"

[alias]
t = "ticketing tickets list -p acme"
u = "diff ticketing/tickets --from=acme --to acme-eu"
v = "ticketing tickets list -q q=acme -p 'acme'"

# The first customer.
[profiles.acme] # EU
account_id = "1"
tags = ["acme"]

[profiles.acme-eu]
account_id = "2"
"""
AFTER = """\
# Of all.
base_url = "https://api.example.com"
profile = "nord"

[alias]
t = "ticketing tickets list -p nord"
u = "diff ticketing/tickets --from=nord --to acme-eu"
v = "ticketing tickets list -q q=acme -p 'nord'"

# The first customer.
[profiles.nord] # EU
account_id = "1"
tags = ["acme"]

[profiles.acme-eu]
account_id = "2"
"""


@pytest.fixture
def ring() -> Iterator[InMemory]:
    backend = InMemory()
    with using(backend):
        yield backend


def test_the_file_is_the_same_but_for_the_name(unified: Unified, config: Config) -> None:
    path = config(BEFORE)
    result = unified("profile rename acme nord")
    assert (result.code, result.stderr) == (
        0,
        f'profile "acme" is "nord" from now on ({path})\n',
    )
    assert path.read_text() == AFTER


@pytest.mark.parametrize(
    "text",
    [
        '[profiles."acme"]\naccount_id = "1"\n',
        'profiles.acme.account_id = "1"\n',
        '[profiles]\nacme = {account_id = "1"}\n',
        '[profiles]\nacme.account_id = "1"\n',
    ],
)
@pytest.mark.parametrize("new", ["nord", "nord.eu"])
def test_a_profile_is_found_however_it_is_written(
    unified: Unified, config: Config, text: str, new: str
) -> None:
    path = config(text)
    result = unified(f"profile rename acme {new}")
    assert (result.code, tomllib.loads(path.read_text())) == (
        0,
        {"profiles": {new: {"account_id": "1"}}},
    ), result.stderr


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (
            "acme acme-eu",
            2,
            'a profile named "acme-eu" already exists (choose another name)',
        ),
        ("acne nord", 3, 'no profile named "acne" (did you mean "acme"?)'),
        ("acme sandbox", 2, 'the profile "sandbox" is built in; choose another name'),
        (
            "sandbox nord",
            2,
            (
                'the profile "sandbox" is built in and cannot be changed'
                " (unified profile add NAME --base-url sandbox: -a full adds one that can be"
                " changed)"
            ),
        ),
    ],
)
def test_an_impossible_name_is_refused(
    unified: Unified, config: Config, words: str, code: int, said: str
) -> None:
    path = config(BEFORE)
    result = unified(f"profile rename {words}")
    assert (result.code, result.stderr, path.read_text()) == (code, f"error: {said}\n", BEFORE)


@pytest.mark.parametrize("store", ["keyring", "file", "config"])
def test_the_stored_token_and_those_who_use_it_follow(
    unified: Unified, config: Config, ring: InMemory, service: Service, store: str
) -> None:
    address = f'base_url = "{service.url}"\n'
    path = config(f'{address}[profiles.acme]\naccount_id = "1"\n')
    login = f"profile login acme --token-stdin --store {store}"
    assert unified(login, stdin=b"t-canary\n").code == 0
    kept = tomllib.loads(path.read_text())["profiles"]["acme"]
    lent = {"keyring": "acme"} if store == "keyring" else {"token_file": kept.get("token_file")}
    if store != "config":
        (key, value), *_ = lent.items()
        assert unified(f"profile add other -a 2 {key}={value}").code == 0
    assert unified("profile rename acme nord").code == 0
    service.reply = lambda _: Reply(200, b'{"result":[],"next_cursor":null}')
    for name in ("nord", *(["other"] if store != "config" else [])):
        called = unified(f"-p {name} ticketing tickets list")
        assert called.code == 0, called.stderr
    assert {seen.headers["authorization"] for seen in service.seen} == {"Bearer t-canary"}
    assert "acme" not in path.read_text().replace("config.toml", "")
    assert [user for _, user in ring.kept] == (
        [f"{service.url}|nord"] if store == "keyring" else []
    )
    folder = path.with_name("config.toml.tokens")
    if folder.exists():
        assert not [*folder.glob("acme-*[0-9a-f]")]


def test_a_run_is_resumed_under_the_new_name(
    unified: Unified, config: Config, service: Service
) -> None:
    names = "".join(f'[profiles.{name}]\naccount_id = "a-{name}"\n' for name in ("one", "two"))
    config(f'base_url = "{service.url}"\ntoken = "t-0123456789"\n{names}')
    refused = Reply(404, b'{"statusCode":404,"error":"Not Found","message":"no"}')

    def reply(seen: Seen) -> Reply:
        return refused if b"a-two" in seen.target.encode() else Reply(200, b'{"id":"t"}')

    service.reply = reply
    assert unified("-p one -p two ticketing tickets update t -f name=x --yes").code == 9
    assert unified("profile rename two zwei").code == 0
    service.seen.clear()
    service.reply = lambda _: Reply(200, b'{"id":"t"}')
    result = unified("runs retry")
    assert (result.code, len(service.seen)) == (0, 1), result.stderr
    assert "integrated_account_id=a-two" in service.seen[0].target
