"""`unified profile login` and `logout`: a token goes to the given place, privately, and
nowhere else.
"""

import os
import pty
import re
import select
import signal
import stat
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import keyring.backends.fail
import pytest
from front_door import ROOT, Unified
from keyrings import InMemory, using
from server import Reply, Service

Config = Callable[[str], Path]
BASE = 'base_url = "https://api.example.com"\n'
PROFILE = BASE + '[profiles.acme]\naccount_id = "1"\n'
TOKEN = "t-canary-0123456789"
TYPED = f"{TOKEN}\n".encode()


@pytest.fixture
def ring() -> Iterator[InMemory]:
    backend = InMemory()
    with using(backend):
        yield backend


def test_the_keyring_is_where_a_token_goes(
    unified: Unified, config: Config, ring: InMemory
) -> None:
    path = config(PROFILE)
    result = unified("profile login acme --token-stdin", stdin=TYPED)
    user = "https://api.example.com|acme"
    assert (result.code, result.stdout) == (0, "")
    assert (
        result.stderr
        == 'the token of profile "acme" is in the keyring (keyrings: service unified, user'
        f" {user})\n"
    )
    assert ring.kept == {("unified", user): TOKEN}
    assert path.read_text() == PROFILE + "keyring = true\n"
    out = unified("profile logout acme")
    assert (out.code, out.stderr) == (
        0,
        f'the token of profile "acme" is removed from the keyring ({user})\n',
    )
    assert (ring.kept, path.read_text()) == ({}, PROFILE)
    after = unified("-p acme ticketing tickets list")
    assert (after.code, after.stderr.partition(" (")[0]) == (
        3,
        'error: profile "acme" has no token for this address',
    )


def test_without_a_keyring_a_token_from_a_pipe_goes_into_a_private_file(
    unified: Unified, config: Config
) -> None:
    path = config(PROFILE)
    with using(keyring.backends.fail.Keyring()):
        result = unified("profile login acme --token-stdin", stdin=TYPED)
    file = next(path.with_name("config.toml.tokens").glob("acme-*[0-9a-f]"))
    assert result.code == 0
    assert result.stderr.splitlines() == [
        (
            "this machine has no keyring that stores a token safely, so the token is stored in a"
            " file only you can read"
        ),
        f'the token of profile "acme" is in {file}',
    ]
    assert (file.read_text(), oct(file.stat().st_mode)) == (f"{TOKEN}\n", "0o100600")
    assert path.read_text() == f'{PROFILE}token_file = "{file}"\n'


@pytest.mark.parametrize("words", ["acme --store keyring", "globex"])
def test_a_keyring_that_was_asked_for_is_replaced_by_nothing(
    words: str, unified: Unified, config: Config
) -> None:
    path = config(f"{PROFILE}[profiles.globex]\nkeyring = true\n")
    before = path.read_text()
    with using(keyring.backends.fail.Keyring()):
        result = unified(f"profile login {words} --token-stdin", stdin=TYPED)
    assert (result.code, result.stderr) == (
        3,
        (
            "error: this machine has no keyring that stores a token safely "
            "(--store file stores the token in a file only you can read)\n"
        ),
    )
    assert path.read_text() == before
    assert [entry.name for entry in path.parent.iterdir()] == ["config.toml"]


def test_a_file_for_a_token_is_private_and_names_are_never_shared(
    unified: Unified, config: Config
) -> None:
    path = config(PROFILE + "[profiles.ACME]\n")
    before = os.umask(0)
    try:
        result = unified("profile login acme --store file --token-stdin", stdin=TYPED)
        unified("profile login ACME --store file --token-stdin", stdin=b"t-other\n")
    finally:
        os.umask(before)
    folder = path.parent / "config.toml.tokens"
    files = sorted(entry for entry in folder.iterdir() if entry.suffix != ".lock")
    assert len({entry.name.lower() for entry in files}) == 2
    token = next(entry for entry in files if entry.name.startswith("acme-"))
    assert result.stderr == f'the token of profile "acme" is in {token}\n'
    assert token.read_text() == f"{TOKEN}\n"
    assert {stat.S_IMODE(entry.stat().st_mode) for entry in folder.iterdir()} == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert f'token_file = "{token}"' in path.read_text()
    out = unified("profile logout acme")
    assert (out.code, out.stderr) == (
        0,
        f'the token of profile "acme" is removed together with its file {token}\n',
    )
    assert not token.exists()
    assert str(token) not in path.read_text()
    again = unified("profile logout acme")
    assert (again.code, again.stderr) == (
        2,
        (
            'error: no token of profile "acme" is stored here (unified profile show says where it'
            " comes from)\n"
        ),
    )


def test_login_writes_and_logout_keeps_the_users_own_token_file(
    unified: Unified, config: Config, tmp_path: Path
) -> None:
    own = tmp_path / "mine"
    config(f'{PROFILE}token_file = "{own}"\n')
    assert unified("profile login acme --token-stdin", stdin=TYPED).code == 0
    assert own.read_text() == f"{TOKEN}\n"
    result = unified("profile logout acme")
    assert (
        result.stderr == f'the token of profile "acme" is left in {own}, which is your own file\n'
    )
    assert own.exists()


def test_plain_text_is_only_for_those_who_ask(
    unified: Unified, config: Config, service: Service
) -> None:
    path = config(PROFILE.replace("https://api.example.com", service.url))
    result = unified("profile login acme --store config --token-stdin", stdin=TYPED)
    assert result.stderr == (
        "warning: the token is stored as plain text in the config file (--store keyring is safer)\n"
        f'the token of profile "acme" is in {path}, in plain text\n'
    )
    assert f'token = "{TOKEN}"\n' in path.read_text()
    service.reply = lambda _: Reply(body=b'{"result":[]}')
    called = unified("-p acme ticketing tickets list")
    assert (
        called.stderr
        == "warning: the token of profile acme is plain text (unified profile login acme --store"
        " keyring moves it)\n"
    )
    assert (
        unified("profile logout acme").stderr
        == 'the token of profile "acme" is removed from the config file\n'
    )
    assert TOKEN not in path.read_text()


@pytest.mark.usefixtures("ring")
def test_moving_a_token_leaves_one_declaration(unified: Unified, config: Config) -> None:
    path = config(PROFILE + 'token = "t-old"\n')
    assert unified("profile login acme --store keyring --token-stdin", stdin=TYPED).code == 0
    assert path.read_text() == PROFILE + "keyring = true\n"
    assert unified("profile login acme --store file --token-stdin", stdin=TYPED).code == 0
    assert "keyring" not in path.read_text()
    assert path.read_text().count("token_file = ") == 1


def test_a_shared_token_serves_all_without_their_own(
    unified: Unified, config: Config, ring: InMemory
) -> None:
    path = config(PROFILE)
    assert unified("profile login --shared --token-stdin", stdin=TYPED).code == 0
    assert ring.kept == {("unified", "https://api.example.com|"): TOKEN}
    assert path.read_text() == PROFILE.replace(BASE, BASE + "keyring = true\n")
    assert unified("profile list").stdout == "acme\t\t1\t\tkeyring\tready\n"


WHOSE = "no profile is given (name a profile, or use --shared for all profiles without a token)"


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("profile login", 2, WHOSE),
        ("profile login acme --shared", 2, WHOSE),
        (
            "profile login sandbox",
            2,
            "the sandbox has a token of its own (-p sandbox needs no login)",
        ),
        ("profile login nobody", 3, 'no profile named "nobody" (unified profile list shows 2)'),
        ("profile logout nobody", 3, 'no profile named "nobody" (unified profile list shows 2)'),
        (
            "profile login acme",
            2,
            "no terminal to ask for the token (--token-stdin reads it from standard input)",
        ),
        (
            "profile login command --token-stdin",
            2,
            (
                'the token of profile "command" comes from a command (--store PLACE stores a token'
                " here instead)"
            ),
        ),
        (
            "profile logout acme",
            2,
            (
                'no token of profile "acme" is stored here (unified profile show says where it'
                " comes from)"
            ),
        ),
    ],
)
def test_meaningless_options_are_refused(
    unified: Unified, config: Config, command: str, code: int, said: str
) -> None:
    text = PROFILE + '[profiles.command]\ntoken_command = ["true"]\n'
    path = config(text)
    result = unified(command, stdin=TYPED)
    assert (result.code, result.stdout, result.stderr) == (code, "", f"error: {said}\n")
    assert path.read_text() == text


@pytest.mark.parametrize(
    "typed", [b"\n", b"", b"t 1\n", b"t-\xff\n", "t-ä\n".encode(), b"t" * 5000]
)
def test_an_invalid_token_is_not_kept(
    unified: Unified, config: Config, ring: InMemory, typed: bytes
) -> None:
    path = config(PROFILE)
    result = unified("profile login acme --token-stdin", stdin=typed)
    assert result.code == 3
    assert result.stderr.startswith("error: the token ")
    assert (path.read_text(), ring.kept) == (PROFILE, {})


def test_a_token_is_bound_to_an_origin(unified: Unified, config: Config, ring: InMemory) -> None:
    path = config('[profiles.acme]\naccount_id = "1"\n')
    result = unified("profile login acme --token-stdin", stdin=TYPED)
    assert (result.code, result.stderr) == (
        3,
        (
            'error: the token of profile "acme" needs a base URL (unified profile set acme'
            " base_url=URL, such as https://api.truto.one)\n"
        ),
    )
    environ = {"UNIFIED_BASE_URL": "https://one.example"}
    assert unified("profile login acme --token-stdin", stdin=TYPED, environ=environ).code == 0
    assert ring.kept == {("unified", "https://one.example|acme"): TOKEN}
    elsewhere = unified(
        "-p acme voice calls list", environ={"UNIFIED_BASE_URL": "https://other.example"}
    )
    assert elsewhere.code == 3
    assert "the keyring has no token of profile acme for https://other.example" in elsewhere.stderr
    assert path.read_text() == '[profiles.acme]\naccount_id = "1"\nkeyring = true\n'


def test_removing_a_profile_removes_its_token(
    unified: Unified, config: Config, ring: InMemory
) -> None:
    path = config(PROFILE + "[profiles.b]\n")
    unified("profile login acme --token-stdin", stdin=TYPED)
    unified("profile login b --store file --token-stdin", stdin=TYPED)
    assert unified("profile remove acme").code == 0
    assert unified("profile remove b").code == 0
    assert ring.kept == {}
    assert [
        entry for entry in (path.parent / "config.toml.tokens").iterdir() if entry.suffix != ".lock"
    ] == []


def spawn(home: Path, *argv: str) -> tuple[int, int]:
    """A command on a terminal of its own: its process and the terminal's other end."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.clear()
        os.environ.update(HOME=str(home), PATH="/usr/bin:/bin", PYTHONPATH=str(ROOT), TERM="dumb")
        os.execv(sys.executable, [sys.executable, "-m", "unified_cli", *argv])
    return child, terminal


def until(terminal: int, wanted: bytes) -> bytes:
    seen = b""
    deadline = time.monotonic() + 30
    while wanted not in seen and time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                chunk = os.read(terminal, 4096)
            except OSError:
                break
            if not chunk:
                break
            seen += chunk
    assert wanted in seen, seen
    return seen


def echoes(terminal: int) -> bool:
    return bool(termios.tcgetattr(terminal)[3] & termios.ECHO)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home" / ".config" / "unified"
    folder.mkdir(parents=True, mode=0o700)
    path = folder / "config.toml"
    path.write_text(PROFILE)
    path.chmod(0o600)
    return tmp_path / "home"


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_on_a_terminal_the_token_does_not_show(home: Path) -> None:
    child, terminal = spawn(home, "profile", "login", "acme", "--store", "file")
    seen = until(terminal, b"(not shown): ")
    assert not echoes(terminal)
    os.write(terminal, TYPED)
    seen += until(terminal, b" is in ")
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    os.close(terminal)
    assert TOKEN.encode() not in seen
    token = next((home / ".config/unified/config.toml.tokens").glob("acme-*[0-9a-f]"))
    assert token.read_text() == f"{TOKEN}\n"


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize(("how", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_question_that_is_broken_off_gives_the_echo_back(
    home: Path, how: signal.Signals, code: int
) -> None:
    child, terminal = spawn(home, "profile", "login", "acme", "--store", "file")
    until(terminal, b"(not shown): ")
    assert not echoes(terminal)
    if how == signal.SIGINT:
        os.write(terminal, b"\x03")
    else:
        os.kill(child, how)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == code
    assert echoes(terminal)
    os.close(terminal)
    assert (home / ".config/unified/config.toml").read_text() == PROFILE


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_name_alone_starts_a_short_conversation(home: Path) -> None:
    path = home / ".config/unified/config.toml"
    path.unlink()
    child, terminal = spawn(home, "profile", "add", "globex")
    for question, answer in [
        (b"https://api.example.com: ", b"http://api.example.com\n"),
        (b"clear text", b"https://api.example.com\n"),
        (b"account id of the connection: ", b"62f44730\n"),
        (b"tags, separated by commas (optional): ", b"prod, eu\n"),
        (b"do this later): ", b"\n"),
    ]:
        until(terminal, question)
        os.write(terminal, answer)
    until(terminal, b"unified profile login globex")
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    os.close(terminal)
    assert (
        path.read_text()
        == '[profiles.globex]\nbase_url = "https://api.example.com"\naccount_id = "62f44730"\ntags'
        ' = ["prod", "eu"]\n'
    )


def test_there_is_no_prompt_when_prompts_are_off(unified: Unified, config: Config) -> None:
    path = config("")
    assert unified("profile add acme --no-input", tty=True).code == 0
    assert unified("profile add globex", tty=True, environ={"UNIFIED_NO_INPUT": "1"}).code == 0
    assert re.findall(r"profiles\.(\w+)", path.read_text()) == ["acme", "globex"]
    assert unified("profile login acme", tty=True, environ={"UNIFIED_NO_INPUT": "1"}).code in (2, 3)


def test_a_token_typed_as_an_argument_is_refused_without_being_said(
    unified: Unified, config: Config
) -> None:
    config('base_url = "https://api.example.com"\n[profiles.acme]\naccount_id = "1"\n')
    for words in (
        "acme t-canary-0123456789",
        "acme --token=t-canary-0123456789",
        "acme --shared t-canary-0123456789 x",
    ):
        result = unified(f"profile login {words}")
        assert result.code == 2
        assert "t-canary" not in result.stderr + result.stdout
    assert "or use --token-stdin" in result.stderr


@pytest.mark.parametrize("page", ["profile add --help", "profile login --help", "help profiles"])
def test_help_says_where_the_address_and_the_token_come_from(page: str, unified: Unified) -> None:
    text = " ".join(unified(page).stdout.split())
    for said in ("https://api.truto.one", "not affiliated", "Settings, API Tokens"):
        assert said in text


def test_a_token_of_several_profiles_leaves_out_those_of_the_sandbox(
    unified: Unified, config: Callable[[str], Path]
) -> None:
    path = config(
        '[profiles.acme]\nbase_url = "https://api.example.com"\n[profiles.demo]\nbase_url ='
        ' "sandbox:"\n'
    )
    result = unified("profile login * --store file --token-stdin", stdin=TYPED)
    assert (result.code, result.notes.count("token of profile")) == (0, 1), result.notes
    assert path.read_text().count("token_file") == 1


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_conversation_that_is_broken_off_says_what_was_added(home: Path) -> None:
    path = home / ".config/unified/config.toml"
    path.unlink()
    child, terminal = spawn(home, "profile", "add", "globex")
    until(terminal, b"https://api.example.com: ")
    os.write(terminal, b"\x03")
    until(terminal, b"nothing was added")
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 130
    os.close(terminal)
    assert not path.exists()
    child, terminal = spawn(home, "profile", "add", "globex")
    answers = (b"https://api.example.com\n", b"62f44730\n", b"\n", b"\x03")
    ends = (b"api.example.com: ", b"connection: ", b"(optional): ", b"do this later): ")
    for end, answer in zip(ends, answers, strict=True):
        until(terminal, end)
        os.write(terminal, answer)
    until(terminal, b"no token stored (unified profile login globex)")
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 130
    os.close(terminal)
    assert "62f44730" in path.read_text()
