"""The config file as it is found: broken, open to others, or not there; and never
repaired by itself.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import ROOT, Process, Unified
from owned import bound_by_modes

Config = Callable[[str], Path]
# For processes that start elsewhere, where the program is not installed.
FROM_HERE = {"PYTHONPATH": str(ROOT)}
STARTS_IN_ASCII = pytest.mark.skipif(
    not f"{sys.prefix}{ROOT}".isascii(),
    reason="in an ASCII locale Python starts only from a path in ASCII",
)
GOOD = 'base_url = "https://api.example.com"\n[profiles.acme]\naccount_id = "1"\n'
NOBODY = 65534
LINE = '(a line is KEY = "VALUE")'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"[profiles.acme]\naccount_id = \n", f"Invalid value (at line 2, column 14) {LINE}"),
        (
            b'[profiles.acme]\naccount_id = "1',
            (
                "Unterminated string (at end of document)"
                ' (account_id = "…", with a quote at both ends and nothing after it)'
            ),
        ),
        (
            b"[profiles.acme]\nx = 1\nx = 2\n",
            "Cannot overwrite a value (at line 3, column 6) (keep one of the two)",
        ),
        (
            b"[profiles.acme]\n[profiles.acme]\n",
            (
                "Cannot declare ('profiles', 'acme') twice (at line 2, column 15) (keep one of the"
                " two)"
            ),
        ),
        (b"a = 1\n\x00\n", f"Invalid statement (at line 2, column 1) {LINE}"),
        ("profile = 'acme'".encode("utf-16"), "not UTF-8 (at line 1, byte 0)"),
        (
            b"[profiles.acme]\naccount_id = t-canary\n",
            'Invalid value (at line 2, column 14) (text has quotes: account_id = "…")',
        ),
        (
            b"[profiles.acme]\nread_only = True\n",
            "Invalid value (at line 2, column 13) (read_only = true)",
        ),
        (
            b"[profiles.acme]\ntimeout = 30s\n",
            (
                "Expected newline or end of document after a statement (at line 2, column 13)"
                " (a number has no unit: timeout = 30)"
            ),
        ),
        (
            b"[profiles.acme]\naccount_id = 't-canary\n",
            (
                'Expected "\'" (at end of document)'
                " (account_id = '…', with a quote at both ends and nothing after it)"
            ),
        ),
        (
            b"[profiles.acme\naccount_id = '1'\n",
            (
                "Expected ']' at the end of a table declaration (at line 1, column 15)"
                " (write a table on its own line, without blanks, like [profiles.acme])"
            ),
        ),
        (
            b'{"result": []}',
            (
                "Invalid statement (at line 1, column 1) (a config file is TOML, such as"
                ' [profiles.acme], and below it account_id = "ID")'
            ),
        ),
        (b"[acme]\naccount_id = '1'", "[acme] is not a table of this file (write [profiles.acme])"),
        (b"[aliases]\nt = 'ticketing'", "[aliases] is not a table of this file (write [alias])"),
        (b"# ok\n# \xff\n", "not UTF-8 (at line 2, byte 7)"),
        (b"x = " + b"[" * 100_000, "nested too deeply for a config file"),
        (b"timeout = " + b"9" * 5_000, "a number is larger than TOML allows (64 bits)"),
        (
            b"retries = 0x" + b"f" * 5_000,
            "retries is larger than TOML allows for a number (64 bits)",
        ),
        (
            b"[profiles.acme]\nrate = 9223372036854775808",
            "profile acme: rate is larger than TOML allows for a number (64 bits)",
        ),
        (b'profiles = "x"', "profiles must be tables, like [profiles.acme]"),
        (b"[profiles]\nacme = 1", "profiles must be tables, like [profiles.acme]"),
        (b"verfy_tls = false", "unknown key 'verfy_tls' (unified help config lists the keys)"),
        (b"timeuot = 3", "unknown key 'timeuot' (did you mean 'timeout'?)"),
        (
            b"[profiles.acme]\nacount_id = '1'",
            "profile acme: unknown key 'acount_id' (did you mean 'account_id'?)",
        ),
        (
            b"[profiles.acme]\nprofile = 'x'",
            "profile acme: unknown key 'profile' (unified help config lists the keys)",
        ),
        (b"url = 'x'", "unknown key 'url' (did you mean 'base_url'?)"),
        (b"tags = ['x']", "unknown key 'tags' (unified help config lists the keys)"),
        (b"[profiles.sandbox]", 'the profile "sandbox" is built in; give yours another name'),
        (
            b"[profiles.'../x']",
            (
                "profile name '../x' must be 1 to 64 letters, digits, dots, dashes or underscores"
                " (change the name in the line [profiles.NAME])"
            ),
        ),
        (
            b"keyring = true\ntoken_file = 'x'",
            "more than one token source: keyring and token_file (leave one)",
        ),
    ],
)
def test_a_broken_file_is_named_with_its_place_and_left_alone(
    unified: Unified, config: Config, content: bytes, said: str
) -> None:
    path = config("")
    path.write_bytes(content)
    commands = [
        "ticketing tickets list",
        "profile show",
        "profile list",
        "-p acme voice calls list",
        "doctor",
    ]
    for command in commands:
        result = unified(command)
        assert result.code == 3, command
        if command != "doctor":
            assert result.stderr.startswith(f"error: {path}: ")
            assert result.stderr.count("\n") == 1
            assert result.stderr == f"error: {path}: {said}\n"
    assert unified("profile path").code == 0
    assert unified("profile login acme --token-stdin", stdin=b"t\n").code == 3
    assert path.read_bytes() == content
    # A mistake in one profile does not prevent adding another; any other does.
    added = unified("profile add new")
    local = said.startswith("profile ") or "the profile" in said
    assert added.code == (0 if local else 3)
    assert path.read_bytes() == content + (b"\n\n[profiles.new]\n" if local else b"")


def test_a_file_of_50_megabytes_is_not_read_whole(unified: Unified, config: Config) -> None:
    path = config("")
    os.truncate(path, 50_000_000)
    result = unified("profile list")
    assert (result.code, result.stderr) == (
        3,
        f"error: {path} is larger than 8 MiB, too large for a config file\n",
    )


def test_names_are_listed_even_from_a_file_that_is_not_toml(
    unified: Unified, config: Config
) -> None:
    path = config(
        '[profiles.acme]\naccount_id = "1\n\n  [ profiles . "globex" ]\n# [profiles.no]\n'
    )
    result = unified("profile list -o json")
    assert [one["name"] for one in result.json["profiles"]] == ["acme", "globex"]
    assert {one["state"] for one in result.json["profiles"]} == {"unknown"}
    assert result.code == 3
    assert str(path) in result.stderr


def test_an_unknown_key_can_be_unset_and_its_profile_removed(
    unified: Unified, config: Config
) -> None:
    path = config('[profiles.a]\nverfy_tls = false\n[profiles.b]\nx = 1\naccount_id = "1"\n')
    assert (
        unified("profile set b account_id=2").stderr
        == f"error: {path}: profile b: unknown key 'x' (unified help config lists the keys)\n"
    )
    assert unified("profile set b x=").code == 0
    assert unified("profile set b account_id=2").code == 0
    assert unified("profile remove a").code == 0
    assert path.read_text() == '[profiles.b]\naccount_id = "2"\n'


def test_the_working_directory_is_never_looked_at(process: Process, tmp_path: Path) -> None:
    here = tmp_path / "hostile" / "below"
    here.mkdir(parents=True)
    for folder in (here, here.parent):
        for name in (
            "unified.toml",
            "config.toml",
            ".env",
            ".unified.toml",
            ".netrc",
            "catalogue.toml",
        ):
            (folder / name).write_text(
                'base_url = "https://evil.example"\ntoken = "t-evil"\nUNIFIED_TOKEN=t-evil\n'
            )
    result = process("profile show -o json", environ=FROM_HERE, cwd=here)
    assert result.returncode == 0
    assert b"evil" not in result.stdout + result.stderr
    called = process("ticketing tickets list", environ=FROM_HERE, cwd=here)
    assert called.returncode == 3
    assert b"no connection to call" in called.stderr


@pytest.mark.parametrize(
    ("mode", "text", "said"),
    [
        (0o644, GOOD, None),
        (
            0o644,
            GOOD + 'token = "t"\n',
            "error: {path} holds a token and others can read it (chmod 600 {path})\n",
        ),
        (
            0o640,
            GOOD + 'token = "t"\n',
            "error: {path} holds a token and others can read it (chmod 600 {path})\n",
        ),
        (0o620, GOOD, "error: others can write {path} (chmod go-w {path})\n"),
        (0o602, GOOD, "error: others can write {path} (chmod go-w {path})\n"),
    ],
)
def test_a_file_that_others_may_change_or_read_a_token_from_is_refused(
    unified: Unified, config: Config, mode: int, text: str, said: str | None
) -> None:
    path = config(text)
    path.chmod(mode)
    for command in ("profile list", "profile set acme retries=1"):
        result = unified(command)
        if said is None:
            assert result.code == 0
        else:
            assert (result.code, result.stderr) == (3, said.format(path=path))
            assert path.stat().st_mode & 0o777 == mode, "it is not silently repaired"
    if said is None:
        assert path.stat().st_mode & 0o777 == 0o600, "a file that is written anew is private"


def test_a_folder_where_others_can_replace_the_file_is_refused(
    unified: Unified, config: Config
) -> None:
    path = config(GOOD)
    path.parent.chmod(0o777)
    result = unified("profile list")
    assert (result.code, result.stderr) == (
        3,
        f"error: anybody can replace files in {path.parent} (chmod go-w {path.parent})\n",
    )
    path.parent.chmod(0o1777)
    assert unified("profile list").code == 0


def test_the_step_that_makes_it_private_works_as_printed(unified: Unified, tmp_path: Path) -> None:
    path = tmp_path / "Anna's Support" / "config.toml"
    path.parent.mkdir(mode=0o700)
    path.write_text(GOOD + 'token = "t"\n')
    path.chmod(0o666)
    path.parent.chmod(0o777)
    for steps in reversed(range(4)):
        result = unified("profile list", environ={"UNIFIED_CONFIG": str(path)})
        if not steps:
            break
        (step,) = re.findall(r"\((chmod .+)\)\n", result.stderr)
        subprocess.run(step, shell=True, check=True)
    assert (result.code, result.stderr) == (0, "")


def test_behind_a_link_both_folders_count(unified: Unified, config: Config, tmp_path: Path) -> None:
    path = config(GOOD)
    real = tmp_path / "real" / "config.toml"
    real.parent.mkdir()
    path.rename(real)
    path.symlink_to(real)
    assert unified("profile list").code == 0
    real.parent.chmod(0o777)
    assert (
        unified("profile list").stderr
        == f"error: anybody can replace files in {real.parent} (chmod go-w {real.parent})\n"
    )


def test_a_file_of_another_user_is_refused(
    unified: Unified, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = config(GOOD)
    owner = path.stat().st_uid or NOBODY
    if owner == NOBODY:
        os.chown(path, NOBODY, -1)
    monkeypatch.setattr(os, "geteuid", lambda: 4242)
    result = unified("profile list")
    assert (result.code, result.stderr) == (
        3,
        f"error: {path} belongs to another user (chown 4242 {path})\n",
    )


def test_a_folder_of_another_user_is_refused(
    unified: Unified, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = config(GOOD)
    # A file of root's, whom everybody trusts: the folder alone is another user's.
    path.unlink()
    path.symlink_to("/etc/passwd")
    if not path.parent.stat().st_uid:
        os.chown(path.parent, NOBODY, -1)
    monkeypatch.setattr(os, "geteuid", lambda: 4242)
    result = unified("profile list")
    assert (result.code, result.stderr) == (
        3,
        f"error: the folder {path.parent} belongs to another user (chown 4242 {path.parent})\n",
    )


def test_a_folder_that_cannot_be_written_reads_well_and_keeps_no_token(tmp_path: Path) -> None:
    home = tmp_path / "home"
    folder = home / ".config" / "unified"
    folder.mkdir(parents=True)
    path = folder / "config.toml"
    path.write_text(GOOD)
    path.chmod(0o600)
    folder.chmod(0o500)
    listed = bound_by_modes(home, "profile", "list")
    assert (listed.returncode, listed.stderr) == (0, "")
    for argv in (
        ["profile", "set", "acme", "retries=1"],
        ["profile", "login", "acme", "--token-stdin", "--store", "file"],
        ["profile", "login", "acme", "--token-stdin", "--store", "config"],
    ):
        result = bound_by_modes(home, *argv)
        assert result.returncode == 3, argv
        assert f"error: cannot write {path}: Permission denied\n" in result.stderr
    everything = b"".join(file.read_bytes() for file in home.rglob("*") if file.is_file())
    assert b"t-typed" not in everything
    assert path.read_text() == GOOD
    folder.chmod(0o700)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "home" / ".config" / "unified" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text(GOOD)
    path.chmod(0)
    result = bound_by_modes(tmp_path / "home", "ticketing", "tickets", "list")
    assert (result.returncode, result.stderr) == (
        3,
        f"error: cannot read {path}: Permission denied\n",
    )
    assert bound_by_modes(tmp_path / "home", "profile", "path").returncode == 0
    path.chmod(0o600)


@STARTS_IN_ASCII
def test_text_is_utf_8_where_python_takes_its_bytes_for_ascii(
    process: Process, tmp_path: Path
) -> None:
    environ = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", **FROM_HERE}
    shown = "--dry-run -p sandbox -a empty"
    words = [
        *f"ticketing tags create {shown}".split(),
        "-f",
        "näme=é",
        "-F",
        'x={"é":1}',
        "-q",
        "ü=ö",
    ]
    result = process([word.encode() for word in words], environ=environ)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["body"] == {"näme": "é", "x": {"é": 1}}
    assert "%C3%BC=%C3%B6" in json.loads(result.stdout)["url"]
    listed = process(
        ["-p", "sandbox", "ticketing", "tags", "list", "--out", f"{tmp_path}/é".encode()],
        environ=environ,
    )
    assert (listed.returncode, (tmp_path / "é").is_file()) == (0, True)
    wrong = process([*f"ticketing tags create {shown} -f".split(), b"name=\xe9"], environ=environ)
    assert (wrong.returncode, wrong.stderr) == (
        2,
        b"error: --raw-field is not UTF-8: name=\\udce9\n",
    )


@pytest.mark.parametrize("home", [None, "", "/", "/nonexistent"])
def test_without_a_home_the_environment_is_enough(
    process: Process, tmp_path: Path, home: str | None
) -> None:
    environ = {
        "UNIFIED_BASE_URL": "https://api.example.com",
        "UNIFIED_ACCOUNT_ID": "1",
        "UNIFIED_TOKEN": "t",
        **FROM_HERE,
        **({"HOME": home} if home is not None else {}),
    }
    here = tmp_path / "here"
    here.mkdir()
    if home is None:
        environ["HOME"] = ""
    for command in ("ticketing tickets list --dry-run", "profile list", "profile show", "doctor"):
        result = process(command, environ=environ, cwd=here)
        assert result.returncode == 0, result.stderr
    if home != "/nonexistent":
        added = process("profile add acme", environ=environ, cwd=here)
        assert added.returncode == 3
        assert b"no home directory for the config file" in added.stderr
    assert list(here.iterdir()) == []
    assert not Path("/.config").exists()


def test_a_relative_xdg_folder_is_ignored(process: Process, tmp_path: Path) -> None:
    result = process(
        "profile path", environ={"XDG_CONFIG_HOME": "relative", **FROM_HERE}, cwd=tmp_path
    )
    assert result.stdout.decode() == f"{tmp_path / 'home'}/.config/unified/config.toml\n"


@STARTS_IN_ASCII
def test_in_the_c_locale_nothing_breaks(process: Process) -> None:
    environ = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "TERM": "dumb"}
    assert process(["profile", "add", "acme", "tags=größe"], environ=environ).returncode == 0
    listed = process("profile list", environ=environ)
    assert (listed.returncode, listed.stderr) == (0, b"")
    assert "größe" in listed.stdout.decode()
    shown = process("profile show acme", environ=environ)
    assert (shown.returncode, shown.stderr) == (0, b"")


def test_libraries_in_the_working_directory_are_not_run(process: Process, tmp_path: Path) -> None:
    for name in (
        "json",
        "httpx",
        "tomlkit",
        "filelock",
        "keyring",
        "typer",
        "tomllib",
        "msgspec",
        "platformdirs",
    ):
        (tmp_path / f"{name}.py").write_text("open('PWN', 'w')\n")
    for command in (
        "profile add acme",
        "profile list",
        "doctor",
        "-p sandbox ticketing tickets list",
    ):
        process(command, environ=FROM_HERE, cwd=tmp_path)
    assert process("profile list", environ=FROM_HERE, cwd=tmp_path).returncode == 0
    assert not (tmp_path / "PWN").exists()


@pytest.mark.parametrize(
    "environ", [{"TERM": "dumb"}, {"NO_COLOR": "1"}, {"NO_COLOR": ""}, {"FORCE_COLOR": "1"}]
)
@pytest.mark.parametrize("columns", [1, 200])
def test_any_kind_of_terminal_works(
    unified: Unified, config: Config, environ: dict[str, str], columns: int
) -> None:
    config(GOOD)
    for command in (
        "profile list",
        "profile show acme",
        "doctor",
        "profile --help",
        "doctor --help",
    ):
        result = unified(command, tty=True, columns=columns, environ={"TERM": "xterm", **environ})
        coloured = "\x1b[" in result.stdout
        assert result.code == (3 if command == "doctor" else 0)
        assert coloured is ("FORCE_COLOR" in environ or environ == {"NO_COLOR": ""})
        assert "acct" not in result.stdout
        assert "Traceback" not in result.stderr


def test_text_of_a_config_cannot_control_a_terminal(unified: Unified, config: Config) -> None:
    config(
        '[profiles.acme]\naccount_id = "1\\u001b]52;c;x\\u0007\\u202e"\ntags = ["\\u009b2J[red]"]\n'
    )
    for command in ("profile list", "profile show acme"):
        result = unified(command, tty=True, environ={"NO_COLOR": "1"})
        assert result.code == 0
        assert not {"\x1b", "\x07", "\x9b", "\u202e"} & {*result.stdout}
        assert "[red]" in result.stdout


def test_a_named_file_that_is_missing_is_an_error(unified: Unified, tmp_path: Path) -> None:
    path = tmp_path / "named" / "team.toml"
    environ = {
        "UNIFIED_CONFIG": str(path),
        "UNIFIED_BASE_URL": "https://x.example",
        "UNIFIED_ACCOUNT_ID": "1",
    }
    result = unified("ticketing tickets list --dry-run", environ=environ)
    assert (result.code, result.stderr) == (
        3,
        (
            f"error: UNIFIED_CONFIG names {path}, which does not exist (unified profile add creates"
            " it)\n"
        ),
    )
    assert unified("profile add acme", environ=environ).code == 0
    assert unified("ticketing tickets list --dry-run", environ=environ).code == 0
    assert (
        unified(
            "ticketing tickets list --dry-run", environ={**environ, "UNIFIED_CONFIG": "/dev/null"}
        ).code
        == 0
    )
