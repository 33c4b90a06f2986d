"""`unified doctor`: each finding with what mends it, and nothing sent unless asked."""

import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keyring.backends.fail
import pytest
from front_door import Result, Unified
from keyrings import InMemory, using
from screen import configured, drawn
from server import Reply, Service

from unified_cli import __version__

Config = Callable[[str], Path]
WHERE = "; unified help profiles says where a token comes from"
BASE = 'base_url = "https://api.example.com"\n'


def findings(result: Result) -> list[tuple[str, str, str]]:
    return [(one["level"], one["check"], one["subject"]) for one in result.json["findings"]]


def found(result: Result, check: str, subject: str | None = None) -> dict[str, Any]:
    """The only finding of that kind."""
    (one,) = [
        one
        for one in result.json["findings"]
        if one["check"] == check and (subject is None or one["subject"] == subject)
    ]
    assert isinstance(one, dict)
    return one


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise AssertionError("the network was touched")

    monkeypatch.setattr(socket, "getaddrinfo", refused)
    monkeypatch.setattr(socket.socket, "connect", refused)


@pytest.mark.parametrize(
    ("text", "environ", "remedy"),
    [
        (
            '[profiles.a]\nbase_url = "https://api.example.com/unified"\naccount_id = "1"\n',
            {},
            "unified profile set a base_url=https://api.example.com",
        ),
        (
            'base_url = "https://api.example.com/x/unified/"\n[profiles.a]\naccount_id = "1"\n',
            {},
            "unified profile set --default base_url=https://api.example.com/x",
        ),
        (
            "",
            {"UNIFIED_BASE_URL": "https://api.example.com/unified", "UNIFIED_ACCOUNT_ID": "1"},
            "UNIFIED_BASE_URL=https://api.example.com",
        ),
    ],
)
@pytest.mark.usefixtures("no_network")
def test_a_base_url_that_repeats_the_prefix_is_named(
    text: str, environ: dict[str, str], remedy: str, unified: Unified, config: Config
) -> None:
    config(text)
    one = found(
        unified("doctor -o json", environ={**environ, "UNIFIED_TOKEN": "t-canary"}), "base URL"
    )
    message = "ends in /unified, which each path already begins with: all calls would end with 404"
    assert (one["level"], one["message"], one["remedy"]) == ("warning", message, remedy)


@pytest.mark.parametrize(
    ("content", "message", "remedy"),
    [
        (
            "Bearer t-canary",
            'begins with "Bearer "',
            "leave the word out: each request adds it",
        ),
        ("'t-canary'", "is in quotes", "leave the quotes out"),
    ],
)
@pytest.mark.usefixtures("no_network")
def test_a_token_that_was_pasted_with_more_than_itself_is_named(
    content: str, message: str, remedy: str, unified: Unified, config: Config, tmp_path: Path
) -> None:
    path = tmp_path / "token"
    path.write_text(content)
    path.chmod(0o600)
    places = {
        "in-file": f'token_file = "{path}"',
        "in-config": f'token = "{content}"',
        "in-environment": "",
    }
    config(
        BASE
        + "".join(f'[profiles.{name}]\naccount_id = "1"\n{line}\n' for name, line in places.items())
    )
    result = unified(
        "doctor -o json",
        environ={"UNIFIED_TOKEN": content, "UNIFIED_BASE_URL": "https://api.example.com"},
    )
    sources = {
        "in-file": "profile in-file",
        "in-config": "profile in-config",
        "in-environment": "UNIFIED_TOKEN",
    }
    for name, source in sources.items():
        one = found(result, "token", name)
        assert (one["level"], one["message"], one["remedy"], one["exit"]) == (
            "error",
            f"the token from {source} {message}",
            remedy,
            3,
        )
    assert "canary" not in result.stdout


def test_a_connection_that_needs_a_new_login_is_shown_with_the_person_to_ask(
    unified: Unified, config: Config, tmp_path: Path
) -> None:
    folders = {name: tmp_path / name for name in ("config", "data", "cache")}
    config('[profiles.a]\nbase_url = "sandbox:"\naccount_id = "needs-reauth"\n')
    who = "its owner must sign in again: unified connections link -p a makes a token for that"
    asked = unified("doctor a --network -o json")
    one = found(asked, "connection", "a")
    assert (one["level"], one["remedy"], one["exit"], asked.code) == ("error", who, 7, 7)
    assert one["message"].startswith("the connection needs a new login (needs_reauth")
    assert unified("connections list -p a", folders=folders).code == 0
    known = found(unified("doctor -o json", folders=folders), "connection", "a")
    assert (known["level"], known["remedy"]) == ("warning", who)
    assert ", needs_reauth, seen " in known["message"]


@pytest.mark.usefixtures("no_network")
def test_an_unused_token_of_the_environment_is_shown_with_the_reason(
    unified: Unified, config: Config, tmp_path: Path
) -> None:
    token = tmp_path / "token"
    token.write_text("t-own\n")
    token.chmod(0o600)
    own = f'account_id = "1"\ntoken_file = "{token}"\n'
    config(
        f"{BASE}[profiles.a]\n{own}[profiles.b]\n{own}[profiles.c]\nbase_url ="
        f' "https://other.example"\n{own}'
    )
    result = unified("doctor -o json", environ={"UNIFIED_TOKEN": "t-canary"})
    told = [
        one["message"]
        for one in result.json["findings"]
        if one["subject"] == "UNIFIED_TOKEN" and one["check"] == "token"
    ]
    assert told == [
        "not used by 2 profiles: a profile's own token takes precedence",
        "not used by 1 profile: it is for https://api.example.com, not for https://other.example",
    ]
    assert "canary" not in result.stdout


@pytest.mark.usefixtures("no_network")
def test_a_healthy_machine_is_reported_without_a_packet(
    unified: Unified, config: Config, tmp_path: Path
) -> None:
    token = tmp_path / "token"
    token.write_text("t-canary\n")
    token.chmod(0o600)
    path = config(
        f'{BASE}token_file = "{token}"\n[profiles.a]\naccount_id = "1"\n[profiles.b]\naccount_id ='
        ' "2"\n'
    )
    result = unified("doctor -o json")
    assert (result.code, result.stderr) == (0, "")
    assert findings(result) == [
        ("ok", "program", f"unified {__version__}"),
        ("ok", "packages", ""),
        ("ok", "proxy", ""),
        ("ok", "authorities", ""),
        ("ok", "data folder", str(tmp_path / "data")),
        ("ok", "config", str(path)),
        ("ok", "permissions", str(path)),
        ("ok", "profiles", "token_file"),
    ]
    assert found(result, "profiles")["message"] == "2 ready, token in a file"
    assert "canary" not in result.stdout


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize(
    ("text", "check", "subject", "message", "remedy"),
    [
        (
            "[profiles.a]\naccount_id = '1'\n",
            "profile",
            "a",
            'profile "a" has no base URL',
            "unified profile set a base_url=URL, such as https://api.truto.one",
        ),
        (
            BASE + "[profiles.a]\naccount_id='1'\n",
            "profile",
            "a",
            'profile "a" has no token for this address',
            f"unified profile login a, or --token-file FILE{WHERE}",
        ),
        (
            BASE + "[profiles.a]\naccount_id='1'\ntoken_file='/no'\n",
            "token",
            "a",
            "cannot read the token file /no of profile a: No such file or directory",
            "unified profile login a",
        ),
        (
            BASE + "[profiles.a]\naccount_id='1'\ntoken_command=['no-such-program']\n",
            "token",
            "a",
            "no program 'no-such-program'",
            "use an absolute path, or a name on PATH",
        ),
        (
            BASE + "[profiles.a]\naccount_id='1'\nkeyring=true\n",
            "token",
            "a",
            (
                "this machine has no keyring that stores a token safely; profile a keeps its token"
                " there"
            ),
            "",
        ),
        (
            BASE + "[profiles.a]\naccount_id='1'\ntimeout=-1\n",
            "profile",
            "a",
            "profile a: timeout must be a number of seconds above 0, not -1",
            "",
        ),
        (
            "[profiles.a]\nacount_id='1'\n",
            "config",
            None,
            "profile a: unknown key 'acount_id'",
            "did you mean 'account_id'?",
        ),
    ],
)
def test_each_fault_of_the_configuration_has_its_remedy(
    unified: Unified,
    config: Config,
    text: str,
    check: str,
    subject: str | None,
    message: str,
    remedy: str,
) -> None:
    config(text)
    with using(keyring.backends.fail.Keyring()):
        result = unified("doctor -o json")
    if check == "token" and "keyring" in message:
        message = "this machine has no keyring that stores a token safely"
    one = found(result, check, subject)
    assert (one["level"], one["message"], one["remedy"], one["exit"]) == (
        "error",
        message,
        remedy,
        3,
    )
    assert result.code == 3
    assert '"exit":3' in result.stderr.replace(" ", "")


def test_a_broken_file_does_not_stop_the_examination(unified: Unified, config: Config) -> None:
    path = config("= what")
    result = unified("doctor")
    assert result.code == 3
    assert (
        f"error\tconfig\t{path}\t{path}: Invalid statement (at line 1, column 1)\ta line is KEY = "
        in result.stdout
    )
    assert "ok\tproxy\t" in result.stdout
    assert result.stderr == "error: found 1 error\n"


def test_all_wrong_names_are_reported_at_once(unified: Unified, config: Config) -> None:
    config("verfy_tls = true\n[profiles.a]\nx = 1\n[profiles.b]\ny = 1\n")
    assert [
        one["check"]
        for one in unified("doctor -o json").json["findings"]
        if one["level"] == "error"
    ] == ["config"] * 3


def test_profiles_that_fail_alike_are_one_row(unified: Unified, config: Config) -> None:
    of_each = "account_id = 'x'\nbase_url = 'https://x.example'\ntoken_file = '/nowhere'\n"
    config("".join(f"[profiles.{name}]\n{of_each}" for name in "abc"))
    # Each of these names its own setting.
    rows = [
        line for line in unified("doctor").stdout.splitlines() if line.startswith("error\ttoken")
    ]
    assert [row.split("\t")[2] for row in rows] == ["a", "b", "c"]
    result = unified("doctor", environ={"UNIFIED_RATE": "huge"})
    told = [
        line.split("\t")[1:3] for line in result.stdout.splitlines() if line.startswith("error")
    ]
    assert (result.code, told) == (3, [["environment", "UNIFIED_RATE"], ["profile", "a, b, c"]])


def test_a_file_that_others_can_write_is_reported_with_the_command(
    unified: Unified, config: Config
) -> None:
    path = config(BASE)
    path.chmod(0o666)
    one = found(unified("doctor -o json"), "config")
    assert (one["level"], one["message"], one["remedy"]) == (
        "error",
        f"others can write {path}",
        f"chmod go-w {path}",
    )


def test_doubtful_things_are_warnings(unified: Unified, config: Config) -> None:
    path = config(BASE + "[profiles.a]\naccount_id='1'\ntoken='t-canary'\n")
    left = path.with_name(".config.toml.0123456789ab.part")
    left.write_text("")
    result = unified("doctor -o json", environ={"UNIFIED_TOKN": "t-canary", "UNIFIED_TIMEOUT": "5"})
    assert (result.code, result.stderr) == (0, "")
    warnings = [one for one in result.json["findings"] if one["level"] == "warning"]
    assert [(one["check"], one["subject"], one["remedy"]) for one in warnings] == [
        ("environment", "UNIFIED_TOKN", "unset UNIFIED_TOKN, or did you mean UNIFIED_TOKEN"),
        ("config", str(left), f"rm {left}"),
        ("token", "a", "unified profile login a --store keyring"),
    ]
    assert "canary" not in result.stdout


@pytest.mark.parametrize(
    ("environ", "check", "message"),
    [
        (
            {"UNIFIED_TIMEOUT": "soon"},
            "environment",
            "UNIFIED_TIMEOUT must be a number of seconds above 0",
        ),
        ({"HTTPS_PROXY": "http://["}, "proxy", "proxy setting in HTTPS_PROXY is not a URL"),
        (
            {"HTTPS_PROXY": "socks5://127.0.0.1:1"},
            "proxy",
            "proxy setting in HTTPS_PROXY cannot be used",
        ),
        (
            {"SSL_CERT_FILE": "/proc/none"},
            "authorities",
            "SSL_CERT_FILE /proc/none cannot be used: No such file or directory",
        ),
        (
            {"UNIFIED_CA_BUNDLE": "/dev/null"},
            "authorities",
            "the CA bundle /dev/null cannot be used: it holds no certificate",
        ),
    ],
)
def test_the_environment_is_examined(
    unified: Unified, environ: dict[str, str], check: str, message: str
) -> None:
    result = unified("doctor -o json", environ=environ)
    one = found(result, check)
    assert (one["level"], one["message"]) == ("error", message)
    assert result.code == 3


def test_the_proxys_password_is_not_shown(unified: Unified) -> None:
    result = unified("doctor", environ={"https_proxy": "http://user:canary@proxy:3128"})
    assert "ok\tproxy\t\thttp://***@proxy:3128 by https_proxy\t\n" in result.stdout


def test_the_keyring_is_asked(unified: Unified, config: Config) -> None:
    config(BASE + "keyring = true\n[profiles.a]\naccount_id='1'\n")
    ring = InMemory()
    with using(ring):
        missing = found(unified("doctor -o json"), "token")
        assert missing["remedy"] == "unified profile login --shared"
        ring.set_password("unified", "https://api.example.com|", "t-canary")
        result = unified("doctor -o json")
    assert found(result, "profiles")["message"] == "1 ready, token in the keyring"
    assert result.code == 0


def test_over_the_network_name_connection_rate_and_clock(
    unified: Unified, service: Service, config: Config
) -> None:
    config(
        f'base_url = "{service.url}"\n[profiles.a]\naccount_id = "1"\n[profiles.b]\naccount_id ='
        ' "2"\n'
    )
    headers = {
        "Content-Type": "application/json",
        "ratelimit-remaining": "0",
        "ratelimit-limit": "50;w=10",
    }
    service.reply = lambda _: Reply(
        body=b'{"id": "1", "status": "active", "unified": []}', headers=headers
    )
    environ = {"UNIFIED_BASE_URL": service.url, "UNIFIED_TOKEN": "t-1", "UNIFIED_ACCOUNT_ID": "ci"}
    result = unified("doctor a --network -o json", environ=environ, wall=lambda: 1_000_000.0)
    assert result.code == 0
    assert {seen.segments[1] for seen in service.seen} == {"1"}, "b was not asked for"
    assert found(result, "name")["message"] == "127.0.0.1"
    assert found(result, "connection")["message"].endswith("; token accepted")
    assert (found(result, "rate")["level"], found(result, "rate")["message"]) == (
        "warning",
        "requests left: 0 of 50",
    )
    clock = found(result, "clock")
    assert (clock["level"], clock["remedy"]) == ("warning", "set this machine's clock")
    assert clock["message"].endswith(" s behind the service's clock")
    assert found(unified("doctor a --network -o json", environ=environ), "clock")["level"] == "ok"


def test_a_broken_connection_has_a_remedy(unified: Unified, config: Config) -> None:
    config('[profiles.a]\nbase_url = "sandbox:"\naccount_id = "dead-provider"\n')
    broken = found(unified("doctor a --network -o json"), "connection")
    assert "the connection's status is validation_error" in broken["message"]
    assert "unified profile test a --with" in broken["remedy"]


def test_a_refused_token_decides_the_exit_code(unified: Unified, service: Service) -> None:
    service.reply = lambda _: Reply(
        401, b'{"statusCode":401,"error":"Unauthorized","message":"no"}'
    )
    result = unified("doctor --network -o json", environ=service.environ)
    one = found(result, "connection")
    assert (one["level"], one["exit"], one["remedy"]) == (
        "error",
        7,
        "set another token in UNIFIED_TOKEN",
    )
    assert result.code == 7
    assert len(service.seen) == 1


def test_what_an_answer_belongs_to_is_no_remedy(unified: Unified, service: Service) -> None:
    service.reply = lambda _: Reply(302, b"")
    one = found(unified("doctor --network -o json", environ=service.environ), "connection")
    assert one["remedy"] == ""
    assert one["message"].startswith(
        "the service answered 302 without saying where to go (GET /integrated-account/acct-1"
    )


def test_a_name_that_cannot_be_looked_up_is_a_finding(
    unified: Unified, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    config(BASE + "[profiles.a]\naccount_id='1'\ntoken='t'\n")

    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    result = unified("doctor a --network -o json")
    assert (
        found(result, "name")["remedy"]
        == "check the base URL, the name server and the proxy settings"
    )
    assert result.code == 6


def test_the_sandbox_is_examined_like_any_connection(unified: Unified) -> None:
    result = unified("doctor sandbox --network -o json")
    assert result.code == 0
    assert found(result, "connection", "sandbox")["level"] == "ok"


TOKEN = "! token a-name-that-is-rather-long: plain text in the config file"
REMEDY = "  remedy: unified profile login a-name-that-is-rather-long --store keyring"
WRONG = '✗ profile bare: profile "bare" has no base URL'
FIRST = [WRONG, "  remedy: unified profile set bare base_url=URL, such as https://api.truto.one"]


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        (120, [*FIRST, TOKEN, REMEDY]),
        (80, [*FIRST, TOKEN, REMEDY]),
        (
            44,
            [
                '✗ profile bare: profile "bare" has no base',
                "    URL",
                "  remedy: unified profile set bare",
                "    base_url=URL, such as",
                "    https://api.truto.one",
                "! token a-name-that-is-rather-long: plain",
                "    text in the config file",
                "  remedy: unified profile login",
                "    a-name-that-is-rather-long --store",
                "    keyring",
            ],
        ),
    ],
)
def test_a_terminal_shows_problems_first_and_counts_the_others(
    tmp_path: Path, columns: int, told: list[str]
) -> None:
    configured(
        tmp_path,
        f"[profiles.a-name-that-is-rather-long]\n{BASE}account_id='1'\ntoken='t-canary'\n"
        "[profiles.bare]\naccount_id='2'\n",
    )
    shown = drawn(tmp_path, ["doctor"], columns)
    assert shown[: len(told)] == told
    assert shown[len(told)].startswith(f"✓ program unified {__version__}: installed by")
    assert shown[-2:] == ["✓ 7 checks (-v shows them)", "error: found 1 error"]


def test_a_terminal_shows_every_check_where_it_is_asked_to(
    unified: Unified, config: Config
) -> None:
    config(BASE + "[profiles.a]\naccount_id='1'\ntoken='t-canary'\n")
    shown = unified(
        "doctor -v", tty=True, columns=600, environ={"NO_COLOR": "1"}
    ).stdout.splitlines()
    assert shown[0] == "! token a: plain text in the config file"
    assert shown[4] == "✓ proxy: none: direct connection"
    assert shown[-1] == "✓ profiles token: 1 ready, token in the config file"
    coloured = unified("doctor", tty=True, columns=60, environ={"FORCE_COLOR": "1"}).stdout
    assert "\x1b[35m!\x1b[0m token" in coloured
    plain = unified("doctor -v", tty=True, environ={"NO_COLOR": "1"}, encoding="ascii").stdout
    assert plain.startswith("! token a: plain")
    assert "\n+ proxy: none" in plain


def test_nothing_to_examine_is_not_an_error(unified: Unified) -> None:
    result = unified("doctor -o json")
    assert result.code == 0
    one = found(result, "profile")
    assert one["message"] == "no profiles, and no connection in the environment"
    assert one["remedy"] == "unified profile add NAME"
    nobody = unified("doctor nobody")
    assert (nobody.code, nobody.stderr) == (
        3,
        'error: no profile named "nobody" (no profiles yet: unified profile add nobody)\n',
    )
