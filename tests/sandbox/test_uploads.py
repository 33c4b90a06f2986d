"""Files that are sent to the sandbox come back byte for byte, in both forms, and are
never held in memory.
"""

import contextlib
import hashlib
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import campaigns
import httpx
import peak_memory
import pytest
import uploading
from front_door import ROOT
from sandbox_asking import TICKETS, ask

from unified_cli.errors import RefusedError
from unified_cli.http.upload import of_bytes, of_form
from unified_cli.sandbox import request_content
from unified_cli.sandbox.messages import Refusal
from unified_cli.sandbox.pytest_plugin import UnifiedSandbox
from unified_cli.sandbox.store import SandboxStore

ATTACHMENTS = "/unified/ticketing/attachments"
RAW = "application/octet-stream"


@pytest.fixture(name="served_client")
def _served_client(unified_sandbox: UnifiedSandbox) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {unified_sandbox.token}"}
    with httpx.Client(base_url=unified_sandbox.url, headers=headers, timeout=60) as client:
        yield client


def sent(sandbox: UnifiedSandbox, upload: Any, **more: Any) -> Any:
    """The record that an upload made."""
    answer = uploading.send(sandbox.url, upload, token=sandbox.token, account="full", **more).answer
    assert answer is not None
    assert answer.status == 201 or more.get("path")
    return json.loads(answer.body or b"")


def downloaded(client: httpx.Client, record: Any, **headers: str) -> tuple[str, int]:
    """Digest and size of a record's file."""
    digest, size = hashlib.sha256(), 0
    url = f"{ATTACHMENTS}/download?integrated_account_id=full&file_url={record['file_url']}"
    with client.stream("POST", url, headers=headers) as answer:
        assert answer.status_code in (200, 206)
        for piece in answer.iter_bytes():
            digest.update(piece)
            size += len(piece)
        assert size == int(answer.headers["content-length"])
    return digest.hexdigest(), size


@pytest.mark.parametrize(
    ("form", "size"),
    [
        (True, 0),
        *((form, size) for form in (True, False) for size in (1, 1 << 20, (1 << 20) + 1, 10 << 20)),
    ],
)
def test_a_file_comes_back_byte_for_byte(
    form: bool,
    size: int,
    unified_sandbox: UnifiedSandbox,
    served_client: httpx.Client,
    tmp_path: Path,
) -> None:
    path = tmp_path / "zażółć.bin"
    digest = uploading.written(path, size)
    record = sent(
        unified_sandbox,
        of_form(str(path), [("note", "x")]) if form else of_bytes(str(path), "image/png"),
    )
    assert record["size"] == size
    assert record["content_type"] == (RAW if form else "image/png")
    assert (record.get("file_name"), record.get("note")) == (
        ("zażółć.bin", "x") if form else (None, None)
    )
    assert downloaded(served_client, record) == (digest, size)


def test_a_part_of_a_large_file_can_be_had(
    unified_sandbox: UnifiedSandbox, served_client: httpx.Client, tmp_path: Path
) -> None:
    path = tmp_path / "large.bin"
    size = 3_500_000
    uploading.written(path, size)
    record = sent(unified_sandbox, of_form(str(path)))
    content = path.read_bytes()
    for start, end in ((0, 1), (1048575, 1048577), (3_499_999, 3_500_000), (1_000_000, 3_200_000)):
        expected = hashlib.sha256(content[start:end]).hexdigest(), end - start
        assert downloaded(served_client, record, Range=f"bytes={start}-{end - 1}") == expected


def test_a_file_takes_the_place_of_another(bare_client: httpx.Client) -> None:
    long, short = b"x" * 5_000_000, b"short"
    made = ask(
        bare_client, ATTACHMENTS, method="POST", files={"file": ("a.txt", long, "text/plain")}
    ).json()
    place = f"{ATTACHMENTS}/{made['id']}"
    for content in (short, long):
        changed = ask(
            bare_client, place, method="PATCH", files={"file": ("b.txt", content, "text/plain")}
        ).json()
        assert (changed["size"], changed["file_name"]) == (len(content), "b.txt")
        assert (
            ask(bare_client, f"{ATTACHMENTS}/download", f"id={made['id']}", "POST").content
            == content
        )


def test_a_key_stores_a_file_once(bare_client: httpx.Client) -> None:
    headers = {"idempotency-key": "k-1"}
    made = [
        ask(
            bare_client,
            ATTACHMENTS,
            method="POST",
            files={"file": ("a", b"x" * 2_000_000)},
            headers=headers,
        ).json()
        for _ in range(2)
    ]
    assert made[0] == made[1]


@pytest.mark.parametrize("size", [10, 40 << 20])
def test_a_public_file_gets_an_address(
    size: int, unified_sandbox: UnifiedSandbox, tmp_path: Path
) -> None:
    path = tmp_path / "a.txt"
    uploading.written(path, size)
    answer = sent(unified_sandbox, of_form(str(path)), path="/file")
    assert list(answer) == ["url"]
    assert answer["url"].startswith("https://f.example/public/")


@pytest.mark.parametrize("form", [True, False])
def test_a_resource_without_files_takes_none(
    form: bool, unified_sandbox: UnifiedSandbox, tmp_path: Path
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("x")
    upload = of_form(str(path)) if form else of_bytes(str(path), "text/plain")
    with pytest.raises(RefusedError, match="tickets take no file"):
        sent(unified_sandbox, upload, path=TICKETS)


def test_only_a_file_may_be_large(served_client: httpx.Client) -> None:
    large = b"x" * ((32 << 20) + 1)
    with contextlib.suppress(httpx.TransportError):
        # The sandbox may hang up while it is still sent.
        assert (
            ask(served_client, TICKETS, method="POST", json={"name": large.decode()}).status_code
            == 413
        )
    with contextlib.suppress(httpx.TransportError):
        headers = {"content-type": "application/json"}
        query = "truto_body_passthrough=true"
        assert (
            ask(
                served_client, ATTACHMENTS, query, "POST", content=large, headers=headers
            ).status_code
            == 413
        )
    assert ask(served_client, ATTACHMENTS, method="POST", files={"file": ("a", large)}).json()[
        "size"
    ] == len(large)


def form(*parts: bytes, end: bytes = b"--") -> bytes:
    """The body of a form with the boundary `b`."""
    return b"".join(b"--b\r\n" + part + b"\r\n" for part in parts) + b"--b" + end


FIELD = b'Content-Disposition: form-data; name="a"\r\n\r\n1'
FILE = b'Content-Disposition: form-data; name="file"; filename="only-here.txt"\r\n\r\ncontent'


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (form(FILE), "multipart/form-data", 400),
        (form(FILE, end=b""), "multipart/form-data; boundary=b", 400),
        (form(FILE)[:-20], "multipart/form-data; boundary=b", 400),
        (b"", "multipart/form-data; boundary=b", 400),
        (b"nothing", "multipart/form-data; boundary=b", 400),
        (form(b"no headers"), "multipart/form-data; boundary=b", 400),
        (form(FILE, FILE), "multipart/form-data; boundary=b", 422),
        (form(*[FIELD] * 1001), "multipart/form-data; boundary=b", 413),
        (form(FIELD + b"x" * (1 << 20)), "multipart/form-data; boundary=b", 413),
        (form(FILE), 'multipart/form-data; charset=utf-8; boundary="b"', 201),
    ],
)  # fmt: skip
def test_a_form_that_is_not_whole_is_refused(
    body: bytes, kind: str, status: int, bare_client: httpx.Client
) -> None:
    answer = ask(
        bare_client, ATTACHMENTS, method="POST", content=body, headers={"content-type": kind}
    )
    assert answer.status_code == status
    stored = ask(bare_client, ATTACHMENTS, "file_name=only-here.txt").json()["result"]
    assert len(stored) == (status == 201)


@pytest.mark.parametrize("at", range(-40, 41))
def test_a_boundary_is_found_at_any_position(at: int) -> None:
    content = b"\r\n--" * 7 + b"x" * (request_content.PIECE + at - 100)
    body = form(
        b'Content-Disposition: form-data; name="file"; filename="a"\r\n\r\n' + content, FILE
    )
    with request_content.kept([body]) as file:
        found = [
            b"".join(part.content.pieces())
            for part in request_content.parts(file, "multipart/form-data; boundary=b")
        ]
    assert found == [content, b"content"]


def test_there_is_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_content, "LARGEST_UPLOAD", 10)
    request_content.kept([b"x" * 10]).close()
    with pytest.raises(Refusal) as caught:
        request_content.kept([b"x" * 10, b"y"])
    assert caught.value.status == 413


def test_a_file_of_an_older_version_is_read_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "sandbox.db"
    scope = ("full", "ticketing", "attachments")
    SandboxStore.open(path).close()
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("DROP TABLE file_parts")
        database.execute("INSERT INTO files VALUES (?, ?, ?, 'a', ?)", (*scope, b"as it was"))
    with contextlib.closing(SandboxStore.open(path)) as store:
        found = store.files.find(scope, "a")
        assert found is not None
        assert b"".join(found.pieces(3, found.size)) == b"it was"
        with store.transaction():
            store.files.put(scope, "a", [b"new", b"er"])
    with contextlib.closing(SandboxStore.open(path)) as store:
        found = store.files.find(scope, "a")
        assert found is not None
        assert b"".join(found.pieces(0, found.size)) == b"newer"
        assert found.checksum != 0
        with contextlib.suppress(ZeroDivisionError), store.transaction():
            store.files.put(scope, "a", [b"lost"])
            raise ZeroDivisionError
        assert store.files.find(scope, "a") is not None
        assert store.files.find(scope, "a").size == 5  # type: ignore[union-attr]
        store.reset()
        assert store.files.find(scope, "a") is None


@pytest.mark.parametrize("kind", ["form", "raw"])
@pytest.mark.long(seconds=40)
def test_the_sandbox_takes_and_gives_a_gigabyte(kind: str, tmp_path: Path) -> None:
    path, state = tmp_path / "large.bin", tmp_path / "sandbox.db"
    digest = uploading.written(path, campaigns.size(1 << 30, 1 << 27))
    program = [str(ROOT / "tests" / "uploading.py")]
    environ = {
        "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}",
        "HOME": str(tmp_path),
        "TMPDIR": str(tmp_path),
    }
    with uploading.sandbox_beside(state, environ) as (url, token, served):
        words = [url, token, "full", kind, str(path)]
        measured = peak_memory.of(words, timeout=600, program=program, env=environ, stdout=None)
        assert (measured.code, measured.stderr) == (0, "")
        assert measured.mebibytes < 60
        headers = {"Authorization": f"Bearer {token}"}
        with httpx.Client(base_url=url, headers=headers, timeout=120) as client:
            query = "sort_by[created_at]=desc&limit=1"
            record = ask(client, ATTACHMENTS, query).json()["result"][0]
            assert downloaded(client, record) == (digest, path.stat().st_size)
        assert served() < 120


@pytest.mark.parametrize("kind", ["form", "raw"])
@pytest.mark.long(seconds=20)
def test_the_sandbox_of_this_process_takes_large_files(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "large.bin"
    size = campaigns.size(1 << 29, 1 << 27)
    uploading.written(path, size)
    program = [str(ROOT / "tests" / "uploading.py")]
    environ = {
        "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}",
        "HOME": str(tmp_path),
        "TMPDIR": str(tmp_path),
    }
    words = ["sandbox", "", "", kind, str(path)]
    measured = peak_memory.of(words, timeout=600, program=program, env=environ)
    assert (measured.code, measured.stderr) == (0, "")
    assert measured.mebibytes < 100
