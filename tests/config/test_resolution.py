"""Where each value of a call comes from, and that what belongs together is never
mixed.
"""

import io
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified
from server import Reply, Service, serving

from unified_cli.config import resolution
from unified_cli.config.file import Config
from unified_cli.config.keys import Overrides
from unified_cli.config.settings import Settings
from unified_cli.errors import ConfigError, UnifiedError, UnsafeError, UsageError
from unified_cli.runtime import Runtime
from unified_cli.stderr import Stderr

IDENTITY = ("base_url", "account_id", "token")
PLACES = ("env", "profile", "top")


def subsets(place: str) -> Iterator[dict[str, str]]:
    """Every selection of the three, each value telling where it is from."""
    whole = {
        "base_url": f"https://{place}.example",
        "account_id": f"acct-{place}",
        "token": f"t-{place}",
    }
    for kept in product((False, True), repeat=3):
        yield {name: whole[name] for name, keep in zip(IDENTITY, kept, strict=True) if keep}


def resolve(
    how: str,
    env: Mapping[str, str],
    profile: Mapping[str, str],
    top: Mapping[str, str],
    **flags: Any,
) -> Settings:
    environ = {f"UNIFIED_{name.upper()}": value for name, value in env.items()}
    if how == "UNIFIED_PROFILE":
        environ["UNIFIED_PROFILE"] = "acme"
    runtime = Runtime(io.BytesIO(), io.BytesIO(), Stderr(None), environ)
    default = {"profile": "acme"} if how == "default" else {}
    config = Config(Path("/c.toml"), {**top, **default}, {"acme": profile})
    return resolution.resolve(
        Overrides(profile="acme" if how == "-p" else None, **flags), runtime, config
    )


def outcome(*world: Any, **flags: Any) -> tuple[Any, ...]:
    """Where base URL, account and token come from: the first letter of their place, `-`
    for nowhere, or the error.
    """
    try:
        found = resolve(*world, **flags)
    except UnifiedError as error:
        return (type(error),)
    token = found.token.detail.removeprefix("t-") if found.token else "-"
    host = found.address.host.removesuffix(".example") if found.address else "-"
    return host, (found.account_id or "acct--").removeprefix("acct-"), token


def expected(
    how: str, env: Mapping[str, str], profile: Mapping[str, str], top: Mapping[str, str]
) -> tuple[Any, ...]:
    """The same, by the words of the design."""
    places = {"env": env, "profile": profile if how != "none" else {}, "top": top}
    named = how in ("-p", "UNIFIED_PROFILE")
    order = ("profile", "top", "env") if named else ("env", "profile", "top")

    def first(name: str) -> str:
        return next((place for place in order if name in places[place]), "-")

    reached = first("base_url")
    # The environment's token is for the origins that the environment and the top of the
    # file name.
    homes = [place for place in ("env", "top") if "base_url" in places[place]]
    usable = reached in homes or reached == "-" or (how == "none" and not homes)
    holders = [place for place in order if "token" in places[place] and (place != "env" or usable)]
    token = holders[0] if holders else "-"
    home = {
        "profile": next(
            (place for place in ("profile", "top") if "base_url" in places[place]), None
        ),
        "top": "top" if "base_url" in top else None,
    }.get(token)
    if home and reached not in ("-", home):
        return (UnsafeError,)
    return reached, first("account_id"), token


@pytest.mark.parametrize("how", ["-p", "UNIFIED_PROFILE", "default", "none"])
def test_every_combination_of_places_for_the_identity(how: str) -> None:
    tried = 0
    for env, profile, top in product(subsets("env"), subsets("profile"), subsets("top")):
        world = (how, env, profile, top)
        assert outcome(*world) == expected(*world), world
        tried += 1
    assert tried == 512


@pytest.mark.parametrize("how", ["-p", "UNIFIED_PROFILE"])
def test_a_complete_profile_that_is_named_knows_no_environment(how: str) -> None:
    for env, top in product(subsets("env"), subsets("top")):
        *_, complete = subsets("profile")
        assert outcome(how, env, complete, top) == ("profile", "profile", "profile")


@pytest.mark.parametrize(
    ("how", "env", "profile", "top", "found"),
    [
        # A CI job has everything in its environment: a named profile takes nothing of
        # it that it has itself.
        ("-p", "bat", "bat", "", ("profile", "profile", "profile")),
        ("-p", "bat", "a", "b t", ("top", "profile", "top")),
        ("-p", "bat", "a", "", ("env", "profile", "env")),
        ("-p", "bat", "ba", "", ("profile", "profile", "-")),
        ("-p", "bat", "ba", "b", ("profile", "profile", "-")),
        ("-p", "t", "a", "b", ("top", "profile", "env")),
        ("-p", "bat", "", "", ("env", "env", "env")),
        # The default profile is only a default.
        ("default", "bat", "bat", "bat", ("env", "env", "env")),
        ("default", "a", "bat", "", ("profile", "env", "profile")),
        ("default", "b", "bat", "", (UnsafeError,)),
        ("default", "t", "ba", "", ("profile", "profile", "-")),
        ("none", "bat", "bat", "", ("env", "env", "env")),
        ("none", "a", "", "bt", ("top", "env", "top")),
        ("none", "b", "", "bt", (UnsafeError,)),
    ],
)
def test_the_combinations_that_matter_most(
    how: str, env: str, profile: str, top: str, found: tuple[Any, ...]
) -> None:
    letters = {"b": "base_url", "a": "account_id", "t": "token"}

    def table(place: str, kept: str) -> dict[str, str]:
        names = {letters[letter] for letter in kept if letter != " "}
        return next(one for one in subsets(place) if set(one) == names)

    assert outcome(how, table("env", env), table("profile", profile), table("top", top)) == found


@pytest.mark.parametrize("how", ["-p", "UNIFIED_PROFILE", "default"])
def test_only_a_refused_flag_leaves_the_sandbox_profile(how: str) -> None:
    *_, everything = subsets("env")
    *_, top = subsets("top")
    environ = {f"UNIFIED_{name.upper()}": value for name, value in everything.items()}
    environ |= {"UNIFIED_PROFILE": "sandbox"} if how == "UNIFIED_PROFILE" else {}
    runtime = Runtime(io.BytesIO(), io.BytesIO(), Stderr(None), environ)
    config = Config(
        Path("/c.toml"), {**top, **({"profile": "sandbox"} if how == "default" else {})}, {}
    )
    flags = {"profile": "sandbox"} if how == "-p" else {}
    found = resolution.resolve(Overrides(**flags), runtime, config)
    assert (str(found.address), found.account_id) == ("http://sandbox", "full")
    assert found.token is not None
    assert found.token.kind == "sandbox"
    for flag in ("base_url", "token_file", "token_stdin"):
        with pytest.raises(UsageError, match="the sandbox has an address and a token of its own"):
            resolution.resolve(Overrides(**{**flags, flag: "https://x.example"}), runtime, config)


def test_an_address_on_the_command_line_takes_no_token_of_another_origin() -> None:
    *_, everything = subsets("env")
    *_, whole = subsets("profile")
    assert outcome("none", everything, {}, {}, base_url="https://other.example") == (UnsafeError,)
    assert outcome("none", {"token": "t-env"}, {}, {}, base_url="https://other.example") == (
        "other",
        "-",
        "env",
    )
    assert outcome("-p", everything, whole, {}, base_url="https://other.example") == (UnsafeError,)
    assert outcome("-p", {}, whole, {}, base_url="https://profile.example:8443") == (UnsafeError,)
    assert outcome("-p", {}, whole, {}, base_url="https://profile.example/v2") == (
        "profile",
        "profile",
        "profile",
    )
    assert outcome("-p", {}, whole, {}, account_id="acct-flag") == ("profile", "flag", "profile")


@pytest.mark.parametrize(
    "broken", ["http://plain.example", "ftp://x", "https://u:p@x", "nonsense", "https://[", "://"]
)
def test_a_named_profile_beats_even_a_broken_environment(broken: str) -> None:
    *_, whole = subsets("profile")
    env = {"base_url": broken, "token": "t-env", "account_id": " "}
    assert outcome("-p", env, whole, {}) == ("profile", "profile", "profile")


@pytest.mark.parametrize("how", ["none", "-p"])
def test_blanks_around_an_id_and_an_address_are_left_out(how: str) -> None:
    pasted = {"base_url": " https://one.example\n", "account_id": " a-1 "}
    env, profile = ({}, pasted) if how == "-p" else (pasted, {})
    settings = resolve(how, env, profile, {})
    address, account = settings.reachable()
    assert (address.origin, account) == ("https://one.example", "a-1")


def test_an_empty_name_is_ignored() -> None:
    runtime = Runtime(io.BytesIO(), io.BytesIO(), Stderr(None), {})
    with pytest.raises(UsageError, match="-p needs the name of a profile"):
        resolution.resolve(Overrides(profile=""), runtime, Config(None))


@pytest.mark.parametrize("key", ["token", "token_file", "token_command", "keyring"])
def test_the_message_about_a_wrong_value_never_quotes_a_secret(key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        resolve("-p", {}, {key: {"canary": "CANARY-1"}}, {})
    assert "CANARY" not in caught.value.message
    assert f"profile acme: {key} must be" in caught.value.message


CONFIG = """\
base_url = "{own}"
[profiles.other]
account_id = "acct-other"
token = "t-other"
[profiles.elsewhere]
base_url = "{elsewhere}"
account_id = "acct-elsewhere"
"""


def test_on_the_wire_a_named_profile_sends_nothing_of_the_environment(
    unified: Unified, service: Service, config: Callable[[str], Path]
) -> None:
    with serving() as ci:
        config(CONFIG.format(own=service.url, elsewhere=service.url + "/v2"))
        service.reply = ci.reply = lambda _: Reply(body=b'{"result":[]}')
        for how in (
            {"command": "-p other ticketing tickets list"},
            {"command": "ticketing tickets list -p other"},
        ):
            assert unified(how["command"], environ=ci.environ).code == 0
        assert (
            unified(
                "ticketing tickets list", environ={**ci.environ, "UNIFIED_PROFILE": "other"}
            ).code
            == 0
        )
        assert unified("-p sandbox ticketing tickets list", environ=ci.environ).code == 0
        assert ci.seen == []
        assert len(service.seen) == 3
        for seen in service.seen:
            assert dict(seen.query)["integrated_account_id"] == "acct-other"
            assert seen.headers["authorization"] == "Bearer t-other"


def test_two_shells_with_different_profiles_never_meet(
    unified: Unified, service: Service, config: Callable[[str], Path]
) -> None:
    text = CONFIG.format(own=service.url, elsewhere=service.url)
    path = config(
        text.replace(
            'account_id = "acct-elsewhere"', 'account_id = "acct-elsewhere"\ntoken = "t-elsewhere"'
        )
    )
    before = path.read_text()
    service.reply = lambda _: Reply(body=b'{"result":[]}')
    for _ in range(2):
        for name in ("other", "elsewhere"):
            assert unified("ticketing contacts list", environ={"UNIFIED_PROFILE": name}).code == 0
    pairs = [
        (dict(seen.query)["integrated_account_id"], seen.headers["authorization"])
        for seen in service.seen
    ]
    assert pairs == [("acct-other", "Bearer t-other"), ("acct-elsewhere", "Bearer t-elsewhere")] * 2
    assert path.read_text() == before


@pytest.mark.parametrize(
    ("beside", "why"),
    [
        ({}, "used for https://api.example.com only if UNIFIED_BASE_URL names this address"),
        (
            {"UNIFIED_BASE_URL": "https://ci.example/x"},
            "for https://ci.example, not for https://api.example.com",
        ),
    ],
    ids=["of no address", "of another address"],
)
def test_a_token_that_is_not_used_is_named_with_the_reason(
    beside: dict[str, str], why: str, unified: Unified, tmp_path: Path
) -> None:
    path = tmp_path / "unified.toml"
    path.write_text('[profiles.acme]\nbase_url = "https://api.example.com"\naccount_id = "1"\n')
    environ = {"UNIFIED_CONFIG": str(path), "UNIFIED_TOKEN": "t-canary", **beside}
    said = (
        f'profile "acme" has no token for this address; not used: UNIFIED_TOKEN, which is {why}'
        " (unified profile login acme, or --token-file FILE; unified help profiles says where a"
        " token comes from)"
    )
    result = unified("-p acme ticketing tickets list", environ=environ)
    assert (result.stdout, result.stderr, result.code) == ("", f"error: {said}\n", 3)
    # The same as doctor says.
    assert said.partition(" (unified")[0] in unified(
        "doctor -o json", environ=environ
    ).stdout.replace('\\"', '"')


def test_the_token_in_the_environment_stays_with_its_address(unified: Unified) -> None:
    environ = {
        "UNIFIED_BASE_URL": "https://api.example.com",
        "UNIFIED_ACCOUNT_ID": "1",
        "UNIFIED_TOKEN": "t-canary",
    }
    result = unified("ticketing tickets list --base-url https://other.example", environ=environ)
    assert (result.code, result.stdout) == (13, "")
    assert (
        result.stderr
        == "error: UNIFIED_TOKEN belongs to https://api.example.com, but the call would go to"
        " https://other.example (use another token: --token-file or --token-stdin)\n"
    )


def test_without_a_choice_the_profiles_are_named(
    unified: Unified, config: Callable[[str], Path]
) -> None:
    line = "ticketing tickets list"
    config('[profiles.acme]\nbase_url = "sandbox:"\naccount_id = "full"\n')
    one = unified(line)
    assert (one.code, one.stderr) == (
        3,
        (
            "error: no profile is chosen (-p acme; unified profile use acme chooses it for all"
            " calls)\n"
        ),
    )
    assert (
        unified(f"{line} -p acme").code
        == unified("profile use acme").code
        == unified(line).code
        == 0
    )
    config(
        'base_url = "sandbox:"\n'
        + "".join(f'[profiles.c{number}]\naccount_id = "full"\n' for number in range(30))
    )
    assert (
        unified(line).stderr
        == "error: no profile is chosen (-p NAME; unified profile list shows 30; "
        "unified profile use NAME chooses one for all calls)\n"
    )
    # A user who sets variables wants no profile.
    alone = unified(line, environ={"UNIFIED_BASE_URL": "https://api.example.com"})
    assert (
        alone.stderr
        == "error: the environment has no account id (set UNIFIED_ACCOUNT_ID, or -a ID)\n"
    )
