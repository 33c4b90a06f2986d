"""`--upload` and `--content-type`: the bytes that are sent, the refusals, and their
messages.
"""

import hashlib
import itertools
import json
import os
import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import campaigns
import peak_memory
import pytest
from front_door import ROOT, Result, Unified
from server import Service
from uploading import Clock, Turn, refused, taking, unreadable_file, written

from unified_cli.sandbox.pytest_plugin import UnifiedSandbox

CREATE = "ticketing attachments create"
KEY = "--idempotency-key k-1"


def environ(url: str) -> dict[str, str]:
    return {
        "UNIFIED_BASE_URL": url,
        "UNIFIED_TOKEN": "t-0123456789",
        "UNIFIED_ACCOUNT_ID": "a-1",
        "UNIFIED_RATE": "0",
    }


@pytest.fixture(name="photo")
def _photo(tmp_path: Path) -> Path:
    path = tmp_path / "photo.png"
    path.write_bytes(bytes(range(256)))
    return path


@pytest.mark.parametrize("size", [0, 1, 10 << 20])
@pytest.mark.parametrize("form", [True, False])
def test_a_file_goes_up_and_comes_back(
    form: bool, size: int, unified: Unified, unified_sandbox: UnifiedSandbox, tmp_path: Path
) -> None:
    path, back = tmp_path / "up.bin", tmp_path / "back.bin"
    digest = written(path, size)
    world = {
        **environ(unified_sandbox.url),
        "UNIFIED_TOKEN": unified_sandbox.token,
        "UNIFIED_ACCOUNT_ID": "full",
    }
    how = f"--upload {path} -f note=x" if form else f"-d @{path} --content-type image/png"
    made = unified(f"{CREATE} {how}", environ=world).json
    assert made["size"] == size
    assert (made.get("note"), made["content_type"]) == (
        ("x", "application/octet-stream") if form else (None, "image/png")
    )
    fetched = unified(
        f"ticketing attachments download -q id={made['id']} --out {back}", environ=world
    )
    assert fetched.code == 0
    assert hashlib.sha256(back.read_bytes()).hexdigest() == digest


@pytest.mark.parametrize(
    ("command", "line"),
    [
        (
            CREATE,
            (
                "POST /unified/ticketing/attachments"
                "?integrated_account_id=a-1&truto_body_passthrough=true"
            ),
        ),
        (
            "ticketing attachments update x",
            (
                "PATCH /unified/ticketing/attachments/x"
                "?integrated_account_id=a-1&truto_body_passthrough=true"
            ),
        ),
        (
            "request PUT /proxy/a",
            "PUT /proxy/a?integrated_account_id=a-1&truto_body_passthrough=true",
        ),
        ("request POST /file --yes", "POST /file "),
    ],
)
def test_it_is_passed_on_as_it_is(command: str, line: str, unified: Unified, photo: Path) -> None:
    if command.startswith("ticketing attachments update"):
        command = command.replace("attachments", "tickets")
        line = line.replace("attachments", "tickets")
    with taking() as service:
        assert (
            unified(f"{command} --upload p={photo} -f a=b", environ=environ(service.url)).code == 0
        )
    (got,) = service.got
    assert got.head.startswith(line)
    assert b'name="a"\r\n\r\nb\r\n' in got.body
    assert (
        b'name="p"; filename="photo.png"\r\nContent-Type: image/png\r\n\r\n' + photo.read_bytes()
        in got.body
    )


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("--upload {0} -d x", "--upload sends a form, which takes no JSON"),
        ("--upload {0} -F a=1", "--upload sends a form, which takes no JSON"),
        ("--upload {0} --upload {0}", "--upload is given twice"),
        ("--upload {0} --content-type a/b", "--content-type is only for -d @FILE"),
        ("--upload {0} -f a", "-f 'a' is not NAME=STRING"),
        ("--upload ={0}", "a field and a file are needed"),
        ("--upload 'a\nb={0}'", "is not a field name"),
        ("--content-type a/b", "--content-type is only for -d @FILE"),
        ("--content-type a/b -d @-", "--content-type is only for -d @FILE"),
        ("--content-type a/b -d @{0} -f a=b", "-f and -F have no fields to set"),
        ("--content-type nonsense -d @{0}", "'nonsense' is not a content type"),
        ("--content-type a/b -d @", "-d @ needs the name of a file"),
        ("--upload {0} -p a -p b", "a file can only be sent once, to one connection"),
        ("--content-type a/b -d @{0} -p '*'", "a file can only be sent once, to one connection"),
        ("--upload {1}", "is a folder; only a regular file can be uploaded"),
        ("--upload {1}/fifo", "is a named pipe; only a regular file can be uploaded"),
        ("-d @{1}/fifo --content-type a/b", "is a named pipe; only a regular file can be uploaded"),
        ("--upload /dev/null", "is a device; only a regular file can be uploaded"),
    ],
)
def test_options_that_contradict_an_upload_are_reported(
    typed: str, said: str, unified: Unified, photo: Path, service: Service
) -> None:
    os.mkfifo(photo.parent / "fifo")
    result = unified(f"{CREATE} {typed.format(photo, photo.parent)}", environ=service.environ)
    assert (result.code, result.stdout) == (2, "")
    assert said in result.stderr
    assert service.seen == []


@pytest.mark.parametrize(
    "command",
    [
        "ticketing tickets update -", "request GET /proxy/a", "request DELETE /proxy/a --yes",
        "request POST /batch-request",
    ],
)  # fmt: skip
def test_only_one_write_sends_a_file(
    command: str, unified: Unified, photo: Path, service: Service
) -> None:
    result = unified(f"{command} --upload {photo}", environ=service.environ)
    assert (result.code, service.seen) == (2, [])


@pytest.mark.parametrize(
    "command",
    ["ticketing tickets list", "ticketing tickets delete x", "user-directory users suspend"],
)
def test_only_a_create_or_update_has_the_option(
    command: str, unified: Unified, photo: Path
) -> None:
    result = unified(f"-p sandbox {command} --upload {photo}")
    assert result.code == 2
    assert "no such option: --upload (only create and update have it)" in result.stderr


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("none", "No such file or directory (the program looked in HERE)\n"),
        ("photo=none", "No such file or directory (the program looked in HERE)\n"),
        ("-", "No such file or directory (standard input is not a file)\n"),
        (
            "photo=@photo.png",
            "No such file or directory (give the name of the file without @)\n",
        ),
        ("@none", "No such file or directory (the program looked in HERE)\n"),
        (
            "a=b.png",
            (
                "No such file or directory"
                " (write file=a=b.png, because the word before = is the name of a field)\n"
            ),
        ),
        ("x" * 300, "File name too long\n"),
    ],
)
def test_a_missing_file_is_reported(
    typed: str,
    said: str,
    unified: Unified,
    photo: Path,
    service: Service,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(photo.parent)
    Path("a=b.png").write_bytes(b"x")
    result = unified(f"{CREATE} --upload {typed}", environ=service.environ)
    said = said.replace("HERE", str(photo.parent))
    assert (result.code, service.seen) == (11, [])
    assert result.stderr.endswith(said)
    assert unified(f"{CREATE} --upload file=a=b.png --dry-run", environ=service.environ).code == 0


@pytest.mark.parametrize(
    "how", ["--upload {0}", "-d @{0} --content-type a/b", "--upload {0} --dry-run"]
)
def test_an_unreadable_file_is_reported(
    how: str, unified: Unified, photo: Path, service: Service
) -> None:
    def create(file: str) -> Result:
        words = f"{CREATE} {how.format(shlex.quote(file))}"
        return unified(words, environ=service.environ, folders={})

    # Another user may be unable to import what this one has not.
    assert create(str(photo)).code == 0
    service.seen.clear()
    with unreadable_file() as name:
        result = create(name)
    assert (result.code, result.stdout) == (11, "")
    assert result.stderr == f"error: cannot read {name}: Permission denied\n"
    assert service.seen == []


def test_a_parameter_that_is_typed_is_sent_as_it_is(
    unified: Unified, photo: Path, service: Service
) -> None:
    command = f"{CREATE} --upload {photo} -q truto_body_passthrough=false --dry-run"
    url = unified(command, environ=service.environ).json["url"]
    assert url.partition("?")[2] == "integrated_account_id=acct-1&truto_body_passthrough=false"


@pytest.mark.parametrize(
    "path", ["/file", "file", "/file/", "/%66ile", "/FILE", "/file;x=1", "/file/more"]
)
@pytest.mark.parametrize("body", ["--upload {}", "-d '{{}}'"])
def test_a_file_becomes_public_only_if_that_is_confirmed(
    path: str, body: str, unified: Unified, photo: Path, service: Service
) -> None:
    command = f"request POST '{path}' {body.format(photo)}"
    result = unified(command, environ=service.environ)
    assert (result.code, result.stdout, service.seen) == (2, "", [])
    assert "anyone who has its address can read it" in result.stderr
    assert "--yes" in result.stderr
    assert unified(f"{command} --dry-run", environ=service.environ).code == 0
    result = unified(f"{command} --yes", environ=service.environ)
    assert len(service.seen) == 1
    assert "anyone who has its address can read it" in result.stderr


@pytest.mark.parametrize(("answer", "sent"), [(b"n\n", 0), (b"y\n", 1)])
def test_at_a_terminal_it_is_asked(
    answer: bytes, sent: int, unified: Unified, photo: Path, service: Service
) -> None:
    result = unified(
        f"request POST /file --upload {photo}", environ=service.environ, stdin=answer, tty=True
    )
    assert "make the file public (anyone who has its address can read it" in result.stderr
    assert len(service.seen) == sent


def test_a_read_only_profile_sends_no_file(
    unified: Unified, photo: Path, service: Service, config: Callable[[str], Path]
) -> None:
    config(
        f'[profiles.a]\nbase_url = "{service.url}"\naccount_id = "1"\ntoken ='
        ' "t-0123456789"\nread_only = true\n'
    )
    assert unified(f"-p a {CREATE} --upload {photo}").code == 13
    assert service.seen == []


def test_an_upload_in_doubt_names_the_file_and_how_to_repeat_it(
    unified: Unified, photo: Path
) -> None:
    with taking(Turn(b"", then="reset"), Turn()) as service:
        result = unified(
            f"{CREATE} --upload {photo} {KEY} --retries 0", environ=environ(service.url)
        )
    digest = hashlib.sha256(photo.read_bytes()).hexdigest()
    assert result.code == 10
    assert f"its file was {photo} (256 bytes, sha256 {digest})" in result.stderr
    assert "to repeat it safely: --idempotency-key k-1" in result.stderr


@pytest.mark.parametrize(
    ("turn", "code", "sent"),
    [
        (Turn(refused(401), reads=0, then="stay"), 7, 1),
        (Turn(refused(413)), 4, 1),
        (Turn(refused(429, "Retry-After: 3600\r\n")), 8, 1),
        (Turn(refused(500)), 10, 5),
        (Turn(b"", then="reset"), 10, 5),
    ],
)
def test_the_exit_code_shows_the_outcome(
    turn: Turn, code: int, sent: int, unified: Unified, photo: Path
) -> None:
    with taking(turn) as service:
        assert unified(f"{CREATE} --upload {photo}", environ=environ(service.url)).code == code
    assert len(service.got) == sent
    assert len({got.header("idempotency-key") for got in service.got}) == 1


def test_an_unknown_path_is_sent_a_file_only_once(unified: Unified, photo: Path) -> None:
    with taking(Turn(refused(500)), Turn()) as service:
        assert (
            unified(
                f"request POST /proxy/files --upload {photo}", environ=environ(service.url)
            ).code
            == 10
        )
    assert len(service.got) == 1


def test_a_file_that_changes_between_two_attempts_is_not_sent_again(
    unified: Unified, photo: Path
) -> None:
    clock = Clock(lambda: photo.write_bytes(b"other"))
    with taking(Turn(refused(429, "Retry-After: 1\r\n")), Turn()) as service:
        result = unified(
            f"{CREATE} --upload {photo}",
            environ=environ(service.url),
            monotonic=clock.now,
            sleep=clock.sleep,
        )
    assert result.code == 12
    assert "has changed since it was opened" in result.stderr
    assert len(service.got) == 1


def test_progress_is_drawn_while_it_is_sent(unified: Unified, tmp_path: Path) -> None:
    path = tmp_path / "large"
    written(path, 5_000_000)
    ticks = iter(range(10**9))
    with taking() as service:
        result = unified(
            f"{CREATE} --upload {path}",
            environ=environ(service.url),
            tty=True,
            monotonic=lambda: next(ticks) * 0.005,
        )
    assert result.code == 0
    assert "MB of 5.0 MB" in result.stderr


def test_the_pace_of_a_repeat_is_its_own(unified: Unified, tmp_path: Path) -> None:
    """The time left was that of a file of which a little was sent in all the minutes
    before.
    """
    path = tmp_path / "large"
    written(path, 5_000_000)
    ticks, slept = itertools.count(), [0.0]
    world = {"monotonic": lambda: next(ticks) * 0.005 + sum(slept), "sleep": slept.append}
    with taking(Turn(refused(429, "Retry-After: 50\r\n")), Turn()) as service:
        result = unified(
            f"{CREATE} --upload {path}", environ=environ(service.url), tty=True, **world
        )
    assert (result.code, len(service.got), sum(slept) > 50) == (0, 2, True)
    told = re.findall(r"about (\d+ h )?(?:(\d+) min )?", result.stderr)
    assert [one for one in told if one[0] or int(one[1] or 0) > 4] == []


def test_a_dry_run_of_an_upload_sends_nothing(
    unified: Unified, photo: Path, service: Service
) -> None:
    shown = unified(
        f"{CREATE} --upload p={photo} -f a=b {KEY} --dry-run", environ=service.environ
    ).json
    assert shown["body"] is None
    assert shown["upload"] == {
        "file": str(photo),
        "size": 256,
        "sha256": hashlib.sha256(photo.read_bytes()).hexdigest(),
        "field": "p",
        "fields": [["a", "b"]],
        "content_type": "image/png",
    }
    assert service.seen == []


HOSTILE = [
    "a b.png",
    "a'b.png",
    'a"b;c=\\d.png',
    "$(touch gone).png",
    "-",
    "--yes",
    "@x",
    "ü;type=x,y.png",
]


@pytest.mark.needs("curl")
@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("form", [True, False])
def test_curl_sends_the_same(
    name: str, form: bool, unified: Unified, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / name).write_bytes(b"\0content\xff")
    how = (
        ["--upload", f"p={name}", "-f", "a=@b"]
        if form
        else ["-d", f"@{name}", "--content-type", "a/b"]
    )
    if name == "-" and not form:
        how[1] = "@./-"
    with taking() as service:
        world = environ(service.url)
        assert unified([*shlex.split(CREATE), *how, *KEY.split()], environ=world).code == 0
        line = unified(
            [*shlex.split(CREATE), *how, *KEY.split(), "--as", "curl"], environ=world
        ).stdout
        subprocess.run(
            ["sh", "-c", line],
            check=True,
            capture_output=True,
            env={**os.environ, **world},
            timeout=30,
        )
    assert [path.name for path in folder.iterdir()] == [name]
    ours, curls = service.got
    assert ours.head.partition(" HTTP")[0] == curls.head.partition(" HTTP")[0]
    assert ours.header("idempotency-key") == curls.header("idempotency-key") == "k-1"
    if form:
        # The boundary is another, and so are names that hold what must be escaped in
        # one.
        assert curls.header("content-type").startswith("multipart/form-data; boundary=")
        assert b'name="a"\r\n\r\n@b\r\n' in curls.body
        assert b'name="p"; filename="' in curls.body
        assert b"\r\n\r\n\0content\xff\r\n--" in curls.body
    else:
        assert (curls.body, curls.header("content-type")) == (b"\0content\xff", "a/b")


def test_a_recording_holds_no_byte_of_the_file(
    unified: Unified, photo: Path, tmp_path: Path
) -> None:
    har = tmp_path / "x.har"
    with taking() as service:
        unified(f"{CREATE} --upload {photo} --record {har}", environ=environ(service.url))
    (entry,) = json.loads(har.read_text())["log"]["entries"]
    assert json.loads(entry["request"]["postData"]["text"])["size"] == 256
    assert str(tmp_path) not in entry["request"]["postData"]["text"]


@pytest.mark.parametrize("how", ["--upload {0}", "-d @{0} --content-type a/b"])
@pytest.mark.long(seconds=20)
def test_a_gigabyte_takes_no_memory(how: str, tmp_path: Path) -> None:
    path = tmp_path / "large.bin"
    size = campaigns.size(1 << 30, 1 << 27)
    written(path, size)
    with taking() as service:
        words = [*CREATE.split(), *how.format(path).split()]
        world = {**environ(service.url), "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
        measured = peak_memory.of(words, timeout=300, env=world)
    assert (measured.code, measured.stderr) == (0, "")
    assert measured.mebibytes <= 60
    (got,) = service.got
    assert got.whole
    assert got.size >= size


def test_progress_is_drawn_while_a_file_is_read_for_its_digest(
    unified: Unified, tmp_path: Path
) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(64 * 1024 * 1024)
    ticks = itertools.count()
    shown = unified(
        f"{CREATE} --upload {path} --dry-run", environ=environ("http://127.0.0.1:9"), tty=True,
        monotonic=lambda: next(ticks) * 0.05,
    )  # fmt: skip
    assert shown.code == 0
    assert re.search(r"read \d+\.\d MB of 67\.1 MB, \d+\.\d MB/s, about ", shown.stderr)
    quiet = unified(f"{CREATE} --upload {path} --dry-run", environ=environ("http://127.0.0.1:9"))
    assert (quiet.code, quiet.stderr) == (0, "")
