"""A file as a body: sent whole, in bounded memory, and its outcome is reported
truthfully, wherever it is cut.
"""

import email
import email.policy
import hashlib
import json
import os
import re
import shutil
import socket
import time
from email.message import EmailMessage
from pathlib import Path

import campaigns
import peak_memory
import pytest
import trustme
from front_door import ROOT
from uploading import CREATED, Clock, Turn, refused, send, taking, unreadable_file, written

from unified_cli.config.keys import Overrides
from unified_cli.errors import (
    AccessError,
    NetworkError,
    RateLimitError,
    RefusedError,
    ServiceError,
    StateError,
    StorageError,
    UnifiedError,
    UnknownError,
    UsageError,
)
from unified_cli.http.evidence import Evidence
from unified_cli.http.transport import sockets
from unified_cli.http.upload import Upload, of_bytes, of_form

SIZE = 10 * 1024 * 1024
PIECE = 64 * 1024
RAW = "application/octet-stream"
OUTWARD = "/file"
"""A path without an operation: the effect of a repeat is unknown."""
ONCE = Overrides(retries=0)


@pytest.fixture(name="large", scope="session")
def _large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("large") / "file"
    written(path, SIZE)
    return path


@pytest.fixture(name="path")
def _path(large: Path, tmp_path: Path) -> Path:
    return Path(shutil.copyfile(large, tmp_path / "photo.png"))


def parsed(head: str, body: bytes) -> EmailMessage:
    """A form as the parser of e-mail reads it."""
    message = email.message_from_bytes(
        head.partition("\r\n")[2].encode() + b"\r\n" + body, policy=email.policy.HTTP
    )
    assert isinstance(message, EmailMessage)
    return message


def parts(message: EmailMessage) -> list[tuple[str, str | None, bytes]]:
    """Name, file name and content of the parts of a form."""
    return [
        (
            str(part.get_param("name", header="content-disposition")),
            part.get_filename(),
            part.get_payload(decode=True),
        )
        for part in message.iter_parts()
    ]  # type: ignore[misc]


@pytest.mark.parametrize("size", [0, 1, 65_535, 65_536, 65_537, 300_000])
def test_the_bytes_of_a_file_arrive_as_they_are(size: int, tmp_path: Path) -> None:
    path = tmp_path / "photo.png"
    digest = written(path, size)
    with taking() as service:
        sent = send(service.url, of_bytes(str(path), "image/png"))
    (got,) = service.got
    assert sent.answer is not None
    assert (sent.answer.status, sent.answer.body) == (201, b'{"id":"1"}')
    assert hashlib.sha256(got.body).hexdigest() == digest
    assert (got.header("content-type"), got.header("content-length")) == ("image/png", str(size))
    assert got.header("transfer-encoding") == ""
    assert got.header("idempotency-key") == "k-1"
    assert got.head.startswith(
        "POST /unified/ticketing/attachments"
        "?integrated_account_id=acct-1&truto_body_passthrough=true HTTP/1.1\r\n"
    )
    assert [step[0] for step in sent.progress][-1:] == ([size] if size else [])


@pytest.mark.parametrize("size", [0, 1, 65_536, 300_000])
def test_a_form_holds_its_fields_and_the_file(size: int, tmp_path: Path) -> None:
    path = tmp_path / "photo.png"
    written(path, size)
    with taking() as service:
        send(service.url, of_form(f"picture={path}", [("note", "für dich"), ("lines", "a\r\n--b")]))
    (got,) = service.got
    found = parts(parsed(got.head, got.body))
    assert found == [
        ("note", None, "für dich".encode()),
        ("lines", None, b"a\r\n--b"),
        ("picture", "photo.png", path.read_bytes()),
    ]
    assert got.header("content-length") == str(got.size)
    assert got.whole


def test_the_default_field_of_a_form_is_file(tmp_path: Path) -> None:
    path = tmp_path / "notes"
    path.write_text("x")
    with taking() as service:
        send(service.url, of_form(str(path)))
    assert parts(parsed(service.got[0].head, service.got[0].body)) == [("file", "notes", b"x")]
    assert b"Content-Type: application/octet-stream\r\n" in service.got[0].body


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ('a"; filename="b.exe', "a%22; filename=%22b.exe"),
        ("a\r\nX-Evil: 1\r\n\r\nb", "a%0D%0AX-Evil: 1%0D%0A%0D%0Ab"),
        ("\x1b[31m\x7f.txt", "%1B[31m%7F.txt"),
        ("zażółć 🦊.txt", "zażółć 🦊.txt"),
        ("back\\slash", "back\\slash"),
        (os.fsdecode(b"\xff\xfe.bin"), "??.bin"),
    ],
)
def test_no_name_of_a_file_can_add_a_header(name: str, shown: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(b"content")
    with taking() as service:
        send(service.url, Upload(path, "text/plain", "file"))
    (got,) = service.got
    head, _, rest = got.body.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    assert lines[1:] == [
        f'Content-Disposition: form-data; name="file"; filename="{shown}"',
        "Content-Type: text/plain",
    ]
    assert rest.startswith(b"content\r\n--unified-")


def test_a_field_that_is_not_utf_8_is_refused_before_the_file_is_opened(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the field 'note' is not UTF-8"):
        of_form(f"{tmp_path}/none", [("note", "\udcff")])


def test_a_field_cannot_end_its_part(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"content")
    plain = of_form(str(path))
    boundary = plain.content_type.partition("boundary=")[2]
    plain.close()
    value = f'\r\n--{boundary}\r\nContent-Disposition: form-data; name="admin"\r\n\r\ntrue'
    with taking() as service:
        send(service.url, of_form(str(path), [("note", value), ('x"\r\ny', "z")]))
    found = parts(parsed(service.got[0].head, service.got[0].body))
    assert [name for name, _, _ in found] == ["note", "x%22%0D%0Ay", "file"]
    assert found[0][2] == value.encode()


@pytest.mark.parametrize("tenth", range(10))
@pytest.mark.parametrize("end", ["close", "reset"])
def test_a_body_that_is_cut_was_not_sent(tenth: int, end: str, path: Path) -> None:
    turn = Turn(b"", reads=SIZE * tenth // 10, then=end)
    with taking(turn) as service, pytest.raises((NetworkError, UnknownError)) as caught:
        send(service.url, of_bytes(str(path), RAW), flags=ONCE)
    found = re.search(rf"(\d+) of {SIZE} bytes were sent", caught.value.message)
    assert found
    # The last megabytes may all have left this machine before the service broke off:
    # is unknown here. The last piece counts from its beginning, and is reported
    # as sent at its end.
    whole = int(found[1]) >= SIZE - PIECE
    assert not (whole and tenth <= 5)
    assert type(caught.value) is (UnknownError if whole else NetworkError)
    assert [got.whole for got in service.got] == [False]


@pytest.mark.parametrize("tenth", range(10))
def test_a_body_with_a_key_is_sent_again_after_it_was_cut(tenth: int, path: Path) -> None:
    turn = Turn(b"", reads=SIZE * tenth // 10, then="reset")
    with taking(turn, Turn()) as service:
        sent = send(service.url, of_bytes(str(path), RAW))
    assert sent.answer is not None
    assert [(got.whole, got.header("idempotency-key")) for got in service.got] == [
        (False, "k-1"),
        (True, "k-1"),
    ]
    assert sent.progress[-1] == (SIZE, SIZE)


@pytest.mark.parametrize(
    ("key", "path_of"),
    [(None, None), ("k-1", OUTWARD), (None, OUTWARD)],
    ids=["no key", "outward", "both"],
)
@pytest.mark.parametrize(
    ("turn", "error"),
    [
        (Turn(b"", reads=1000, then="reset"), NetworkError),
        (Turn(b"", then="reset"), UnknownError),
        (Turn(b"HTTP/1.1 201 Created\r\nContent-Le", then="close"), UnknownError),
        (Turn(refused(500)), UnknownError),
        (Turn(refused(502)), UnknownError),
    ],
)
def test_without_a_key_that_counts_nothing_is_sent_twice(
    key: str | None, path_of: str | None, turn: Turn, error: type[UnifiedError], path: Path
) -> None:
    with taking(turn, Turn()) as service, pytest.raises(error) as caught:
        send(service.url, of_bytes(str(path), RAW), key=key, path=path_of)
    assert type(caught.value) is error
    assert len(service.got) == 1


@pytest.mark.parametrize("key", [None, "k-1"])
def test_a_limit_is_waited_for_whatever_is_sent(key: str | None, path: Path) -> None:
    with taking(Turn(refused(429, "Retry-After: 1\r\n")), Turn()) as service:
        sent = send(service.url, of_form(str(path)), key=key)
    assert sent.answer is not None
    assert [got.whole for got in service.got] == [True, True]


def test_a_limit_that_never_opens_is_reported(path: Path) -> None:
    with (
        taking(Turn(refused(429, "Retry-After: 3600\r\n"))) as service,
        pytest.raises(RateLimitError),
    ):
        send(service.url, of_bytes(str(path), RAW))
    assert len(service.got) == 1


@pytest.mark.parametrize("turn", [Turn(refused(500)), Turn(b"", then="reset")])
def test_a_failed_upload_is_repeated_with_its_key_from_the_start(turn: Turn, path: Path) -> None:
    with taking(turn, Turn()) as service:
        send(service.url, of_form(str(path)))
    assert [got.whole for got in service.got] == [True, True]
    assert service.got[0].body == service.got[1].body
    assert service.got[0].header("content-type") == service.got[1].header("content-type")


@pytest.mark.parametrize("then", ["close", "reset", "stay", "go on"])
@pytest.mark.parametrize(
    ("status", "error"), [(401, AccessError), (403, AccessError), (413, RefusedError)]
)
@pytest.mark.parametrize("reads", [0, 1_000_000])
def test_a_refusal_before_the_end_of_an_upload_is_reported(
    status: int, error: type[UnifiedError], then: str, reads: int, path: Path
) -> None:
    with (
        taking(Turn(refused(status), reads=reads, then=then)) as service,
        pytest.raises(error) as caught,
    ):
        send(service.url, of_bytes(str(path), RAW))
    assert caught.value.status == status
    assert "because" in caught.value.message
    assert [got.whole for got in service.got] == [False]


@pytest.mark.parametrize("then", ["close", "stay"])
def test_a_success_before_the_end_of_an_upload_is_not_trusted(then: str, path: Path) -> None:
    with (
        taking(Turn(CREATED, reads=1000, then=then)) as service,
        pytest.raises(UnknownError) as caught,
    ):
        send(service.url, of_bytes(str(path), RAW))
    assert "answered 201 before it had the whole file" in caught.value.message
    assert len(service.got) == 1


def test_interim_answers_do_not_end_the_upload(path: Path) -> None:
    with taking(Turn(first=b"HTTP/1.1 102 Processing\r\n\r\n")) as service:
        sent = send(service.url, of_bytes(str(path), RAW))
    assert sent.answer is not None
    assert [got.whole for got in service.got] == [True]


@pytest.mark.parametrize("reads", [0, 5_000_000, None])
def test_a_service_that_hangs_times_out(
    reads: int | None, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sockets, "_ATTEMPT", 2.0)
    began = time.monotonic()
    error = NetworkError if reads is not None else UnknownError
    with taking(Turn(b"", reads=reads, then="stay")) as service, pytest.raises(error) as caught:
        send(service.url, of_bytes(str(path), RAW), flags=ONCE)
    assert type(caught.value) is error
    assert "did not answer in time" in caught.value.message
    assert time.monotonic() - began < 60


def test_a_slow_upload_outlasts_the_timeout(path: Path) -> None:
    calls = iter(range(1000, 10**9))
    began = 1000 * 0.02
    with taking(Turn(refused(500)), Turn()) as service:
        # As if the network were slow: half a minute for all of it, and never long for a
        # piece.
        sent = send(
            service.url,
            of_bytes(str(path), RAW),
            flags=Overrides(timeout=5),
            monotonic=lambda: next(calls) * 0.02,
        )
    assert sent.answer is not None
    assert [got.whole for got in service.got] == [True, True]
    assert next(calls) * 0.02 - began > 20


def test_only_waits_count_against_the_timeout(path: Path) -> None:
    clock = Clock()
    with taking(Turn(refused(500))) as service, pytest.raises(UnknownError):
        send(
            service.url,
            of_bytes(str(path), RAW),
            flags=Overrides(timeout=5, retries=50),
            clock=clock,
            uniform=lambda _low, high: high,
        )
    assert sum(clock.slept) < 5
    assert 3 <= len(service.got) <= 6


def test_progress_begins_again_with_each_attempt(path: Path) -> None:
    with taking(Turn(b"", reads=SIZE // 2, then="reset"), Turn()) as service:
        sent = send(service.url, of_bytes(str(path), RAW))
    counts = [at for at, _ in sent.progress]
    again = [number for number in range(1, len(counts)) if counts[number] <= counts[number - 1]]
    assert len(again) == 1
    assert counts[again[0]] <= 65_536
    assert sent.progress[-1] == (SIZE, SIZE)


def test_a_file_is_answered_early_over_tls_too(path: Path) -> None:
    authority = trustme.CA()
    with (
        taking(Turn(refused(401), reads=0, then="stay"), authority=authority) as service,
        authority.cert_pem.tempfile() as trusted,
        pytest.raises(AccessError) as caught,
    ):
        send(service.url, of_bytes(str(path), RAW), flags=Overrides(ca_bundle=trusted))
    assert caught.value.status == 401


def test_a_file_goes_whole_over_tls(path: Path) -> None:
    authority = trustme.CA()
    with taking(authority=authority) as service, authority.cert_pem.tempfile() as trusted:
        sent = send(service.url, of_bytes(str(path), RAW), flags=Overrides(ca_bundle=trusted))
    assert sent.answer is not None
    assert [got.whole for got in service.got] == [True]


def changed(path: Path, how: str) -> None:
    """Change a file that is being sent."""
    if how == "grows":
        with path.open("ab") as file:
            file.write(b"more")
    elif how == "shrinks":
        os.truncate(path, SIZE // 2)
    elif how == "differs":
        with path.open("r+b") as file:
            file.seek(SIZE - 10)
            file.write(b"0123456789")
    elif how == "differs unseen":
        before = path.stat()
        changed(path, "differs")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    elif how == "is replaced":
        other = path.with_name("other")
        other.write_bytes(path.read_bytes())
        other.replace(path)
    else:
        path.unlink()


@pytest.mark.parametrize("how", ["grows", "shrinks", "differs", "differs unseen"])
@pytest.mark.parametrize("form", [True, False])
def test_a_file_that_changes_during_the_upload_is_never_complete(
    how: str, form: bool, path: Path
) -> None:
    upload = of_form(str(path)) if form else of_bytes(str(path), RAW)

    changes = iter([lambda: changed(path, how)])

    def at_a_quarter(sent: int, size: int) -> None:
        if sent > size // 4:
            next(changes, lambda: None)()

    with taking() as service, pytest.raises(StateError) as caught:
        send(service.url, upload, progress=at_a_quarter)
    assert "has changed since it was opened" in caught.value.message
    assert [got.whole for got in service.got] == [False]


@pytest.mark.parametrize("how", ["grows", "shrinks", "differs", "is replaced", "is gone"])
@pytest.mark.parametrize("turn", [Turn(refused(429)), Turn(b"", reads=1000, then="reset")])
def test_a_file_that_has_changed_is_not_sent_again(how: str, turn: Turn, path: Path) -> None:
    upload = of_bytes(str(path), RAW)
    with taking(turn, Turn()) as service, pytest.raises(StateError):
        send(service.url, upload, clock=Clock(lambda: changed(path, how)))
    assert len(service.got) == 1


def test_a_doubt_stays_when_the_file_has_changed(path: Path) -> None:
    upload = of_bytes(str(path), RAW)
    with taking(Turn(b"", then="reset"), Turn()) as service, pytest.raises(UnknownError) as caught:
        send(service.url, upload, clock=Clock(lambda: changed(path, "grows")))
    assert "has changed since it was opened" in caught.value.message
    assert len(service.got) == 1


def test_a_file_that_is_only_touched_is_sent(path: Path) -> None:
    upload = of_bytes(str(path), RAW)
    with taking(Turn(refused(500)), Turn()) as service:
        send(service.url, upload, clock=Clock(lambda: os.utime(path, (1, 1))))
    assert [got.whole for got in service.got] == [True, True]


def test_the_reported_facts_of_a_file_match_the_sent_bytes(path: Path) -> None:
    upload = of_form(f"f={path}", [("a", "b")])
    facts = upload.facts
    assert facts.as_json() == {
        "file": str(path),
        "size": SIZE,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "field": "f",
        "fields": [["a", "b"]],
        "content_type": "image/png",
    }
    upload.close()


def make(kind: str, place: Path) -> Path:
    """Something that is no file to upload."""
    path = place / "odd"
    if kind == "a folder":
        path.mkdir()
    elif kind == "a named pipe":
        os.mkfifo(path)
    elif kind == "a socket":
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(path))
    elif kind == "a device":
        return Path("/dev/zero")
    return path


@pytest.mark.parametrize("kind", ["a folder", "a named pipe", "a socket", "a device"])
def test_only_a_regular_file_is_taken(kind: str, tmp_path: Path) -> None:
    path = make(kind, tmp_path)
    for opened in (lambda: of_form(str(path)), lambda: of_bytes(str(path), RAW)):
        with pytest.raises(UsageError) as caught:
            opened()
        assert caught.value.message == f"{path} is {kind}; only a regular file can be uploaded"


def test_a_link_to_a_file_is_followed(path: Path) -> None:
    link = path.with_name("link.png")
    link.symlink_to(path)
    upload = of_form(str(link))
    assert upload.facts.size == SIZE
    upload.close()


def test_an_unreadable_file_is_reported() -> None:
    with unreadable_file() as name, pytest.raises(StorageError, match="Permission denied"):
        of_form(name)


@pytest.mark.parametrize("text", ["", "=", "=x", "name="])
def test_a_field_and_a_file_are_needed(text: str) -> None:
    with pytest.raises(UsageError, match="a field and a file are needed"):
        of_form(text)


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="No such file"):
        of_form(f"f={tmp_path}/none")


@pytest.mark.parametrize(
    "kind", ["", "png", "image/", "image/png\r\nX-Evil: 1", "image/png; a=\n", "ïmage/png", "a b/c"]
)
def test_a_content_type_is_one(kind: str, path: Path) -> None:
    with pytest.raises(UsageError, match="is not a content type"):
        of_bytes(str(path), kind)


@pytest.mark.parametrize(
    "kind", ["image/png", "text/plain; charset=utf-8", 'application/vnd.x+json;a="b c"']
)
def test_a_content_type_may_have_parameters(kind: str, path: Path) -> None:
    upload = of_bytes(str(path), kind)
    assert upload.content_type == kind
    upload.close()


def test_the_service_s_own_routes_get_no_passthrough(path: Path) -> None:
    with taking() as service:
        send(service.url, of_form(str(path)), path=OUTWARD)
    assert service.got[0].head.startswith("POST /file HTTP/1.1\r\n")


def test_nothing_of_the_file_is_shown(path: Path) -> None:
    with taking() as service:
        sent = send(service.url, of_form(str(path)), verbosity=2)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert f'"sha256": "{digest}"' in sent.stderr
    assert str(path.parent) not in sent.stderr


def test_a_recording_describes_the_upload_and_replays_it(path: Path) -> None:
    har, fields = path.with_name("all.har"), [("note", "x")]
    with taking() as service:
        send(service.url, of_form(str(path), fields), har=Evidence(record=str(har)))
    text = har.read_text()
    assert har.stat().st_size < 10_000
    sent = json.loads(text)["log"]["entries"][0]["request"]
    assert sent["bodySize"] == service.got[0].size
    assert json.loads(sent["postData"]["text"]) == {
        "file": "photo.png",
        "size": SIZE,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "field": "file",
        "fields": [["note", "x"]],
        "content_type": "image/png",
    }
    replayed = send(service.url, of_form(str(path), fields), har=Evidence(replay=str(har)))
    assert replayed.answer is not None
    assert (replayed.answer.status, replayed.answer.body) == (201, b'{"id":"1"}')
    changed(path, "differs")
    with pytest.raises(ServiceError):
        send(service.url, of_form(str(path), fields), har=Evidence(replay=str(har)))


@pytest.mark.parametrize("form", ["form", "raw"])
@pytest.mark.long(seconds=30)
def test_a_gigabyte_takes_little_memory(form: str, tmp_path: Path) -> None:
    path = tmp_path / "large.bin"
    size = campaigns.size(1 << 30, 1 << 28)
    written(path, size)
    with taking() as service:
        measured = peak_memory.of(
            [service.url, "t-0123456789", "acct-1", form, str(path)],
            timeout=300,
            program=[str(ROOT / "tests" / "uploading.py")],
            env={"PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}", "HOME": str(tmp_path)},
        )
    assert measured.code == 0, measured.stderr
    (got,) = service.got
    assert got.whole
    assert got.size >= size
    assert measured.mebibytes < 60
