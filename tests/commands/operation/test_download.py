"""Downloads: whole files under safe names, resumed where they broke off, and nothing
where something was wrong.
"""

import base64
import hashlib
import json
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import owned
import pytest
import trustme
from downloaded_files import FileServer, Turn, serving_files
from front_door import Unified
from hypothesis import given, strategies as st
from server import Reply, Seen, Service

from unified_cli.call import download_targets
from unified_cli.masking import visible
from unified_cli.storage import names

CONTENT = bytes(range(256)) * 40
PNG = {"Content-Type": "image/png"}
JSON = {"Content-Type": "application/json"}
GONE = b'{"statusCode":404,"error":"Not Found","message":"gone"}'
RESUMABLE = {**PNG, "ETag": '"v1"', "Accept-Ranges": "bytes"}
COMMAND = "ticketing attachments download -q file_url=https://files.example/a/photo%20.png --out"


@pytest.fixture
def files() -> Iterator[FileServer]:
    with serving_files() as running:
        yield running


def rest(start: int, *, total: int = len(CONTENT), at: int | None = None, **headers: str) -> Turn:
    says = f"bytes {start if at is None else at}-{total - 1}/{total}"
    return Turn(206, CONTENT[start:], {**RESUMABLE, "Content-Range": says, **headers})


def left(folder: Path) -> list[str]:
    """The files in the folder besides the tests' own."""
    return sorted(path.name for path in folder.iterdir() if path.name not in {"config", "data"})


def wrote(path: Path) -> str:
    content = path.read_bytes()
    return f"wrote {len(content)} bytes to {path} (sha256 {hashlib.sha256(content).hexdigest()})\n"


def test_a_file_is_saved_as_it_came(unified: Unified, files: FileServer, tmp_path: Path) -> None:
    files.turns = [Turn(200, CONTENT, PNG)]
    out = tmp_path / "a.png"
    result = unified(f"{COMMAND} {out}", environ=files.environ)
    assert (result.code, result.stdout, result.stderr) == (0, "", wrote(out))
    assert out.read_bytes() == CONTENT
    assert left(tmp_path) == ["a.png"]
    _, _, headers = files.asked[0]
    assert (headers["accept-encoding"], headers["accept"]) == ("identity", "*/*")


def test_a_record_in_a_file_is_asked_for_as_one(
    unified: Unified, files: FileServer, tmp_path: Path
) -> None:
    files.turns = [Turn(200, b'{"price": 1.10}', {"Content-Type": "application/json"})]
    assert (
        unified(f"ticketing tickets get 1 --out {tmp_path / 'a'}", environ=files.environ).code == 0
    )
    assert (tmp_path / "a").read_bytes() == b'{"price": 1.10}'
    assert files.asked[0][2]["accept"] == "application/json, */*;q=0.5"


def test_a_chunked_file_is_whole_without_a_length(
    unified: Unified, files: FileServer, tmp_path: Path
) -> None:
    files.turns = [Turn(200, CONTENT, PNG, chunked=True)]
    result = unified(f"{COMMAND} {tmp_path / 'a'}", environ=files.environ)
    assert (result.code, result.stderr) == (0, wrote(tmp_path / "a"))


def test_an_unknown_length_is_said(unified: Unified, files: FileServer, tmp_path: Path) -> None:
    files.turns = [Turn(200, CONTENT, PNG, length=False)]
    result = unified(f"{COMMAND} {tmp_path / 'a'}", environ=files.environ)
    assert result.code == 0
    assert result.stderr == (
        "the length of the file is unknown, so it may be incomplete (POST"
        " /unified/ticketing/attachments/download)\n" + wrote(tmp_path / "a")
    )


@pytest.mark.parametrize(
    ("then", "asked"),
    [
        ([rest(6000)], [(None, None), ("bytes=6000-", '"v1"')]),
        (
            [Turn(200, CONTENT, {**RESUMABLE, "ETag": '"v2"'})],
            [(None, None), ("bytes=6000-", '"v1"')],
        ),
        (
            [Turn(416, b"", {"Content-Range": "bytes */99"}), Turn(200, CONTENT, RESUMABLE)],
            [(None, None), ("bytes=6000-", '"v1"'), (None, None)],
        ),
        (
            [rest(6000, total=len(CONTENT) + 1), Turn(200, CONTENT, RESUMABLE)],
            [(None, None), ("bytes=6000-", '"v1"'), (None, None)],
        ),
    ],
    ids=["the rest", "another file", "a range it does not have", "a part of a longer file"],
)
def test_a_broken_download_resumes(
    then: list[Turn], asked: list[Any], unified: Unified, files: FileServer, tmp_path: Path
) -> None:
    files.turns = [Turn(200, CONTENT, RESUMABLE, send=6000), *then]
    result = unified(f"{COMMAND} {tmp_path / 'a'}", environ=files.environ)
    assert (result.code, (tmp_path / "a").read_bytes()) == (0, CONTENT)
    assert files.ranges() == asked
    assert result.stderr.startswith("retry 1 of 4 in 0.5 s: ")


def test_the_wait_before_continuing_grows_up_to_twenty_seconds(
    unified: Unified, files: FileServer, tmp_path: Path
) -> None:
    files.turns = [Turn(200, CONTENT, PNG, send=6000)]
    result = unified(f"{COMMAND} {tmp_path / 'a'} --retries 8", environ=files.environ)
    waits = [
        line.split(" in ")[1].split(" s: ")[0]
        for line in result.stderr.splitlines()
        if line.startswith("retry")
    ]
    assert (result.code, waits) == (6, ["0.5", "1.0", "2.0", "4.0", "8.0", "16.0", "20.0", "20.0"])


def test_only_the_first_of_many_retries_are_reported(
    unified: Unified, files: FileServer, tmp_path: Path
) -> None:
    files.turns = [Turn(200, CONTENT, PNG, send=6000), Turn(200, CONTENT, PNG)] * 12
    (tmp_path / "in").write_text("".join(f'{{"file_url": "f-{number}"}}\n' for number in range(12)))
    command = (
        f"ticketing attachments download --from {tmp_path / 'in'} --out {tmp_path / 'out'}"
        " --workers 1"
    )
    result = unified(command, environ=files.environ)
    told = result.stderr.splitlines()
    assert sum(line.startswith("retry ") for line in told) == 10
    assert told.count("further retries are not reported one by one") == 1


@pytest.mark.parametrize(
    "headers",
    [
        PNG,
        {**PNG, "ETag": '"v1"'},
        {**RESUMABLE, "ETag": 'W/"v1"'},
        {**PNG, "Accept-Ranges": "bytes"},
    ],
)
def test_a_download_restarts_if_the_server_offers_no_parts(
    headers: dict[str, str], unified: Unified, files: FileServer, tmp_path: Path
) -> None:
    files.turns = [Turn(200, b"x" * 9000, headers, send=6000), Turn(200, CONTENT, headers)]
    result = unified(f"{COMMAND} {tmp_path / 'a'}", environ=files.environ)
    assert (result.code, (tmp_path / "a").read_bytes()) == (0, CONTENT)
    assert files.ranges() == [(None, None), (None, None)]


def test_a_file_that_was_whole_after_all_is_kept(
    unified: Unified, files: FileServer, tmp_path: Path
) -> None:
    # All bytes came, and then not the end of the chunks.
    files.turns = [
        Turn(200, CONTENT, RESUMABLE, chunked=True, send=len(CONTENT)),
        Turn(416, b"", {"Content-Range": f"bytes */{len(CONTENT)}"}),
    ]
    result = unified(f"{COMMAND} {tmp_path / 'a'}", environ=files.environ)
    assert (result.code, (tmp_path / "a").read_bytes()) == (0, CONTENT)


@pytest.mark.parametrize(
    ("turns", "code", "said"),
    [
        (
            [Turn(200, CONTENT, RESUMABLE, send=6000), rest(6000, at=5000)],
            5,
            "the partial answer does not start at byte 6000",
        ),
        (
            [Turn(200, CONTENT, PNG, send=6000)],
            6,
            "127.0.0.1 closed the connection in the middle of its answer",
        ),
        (
            [Turn(200, CONTENT, {**PNG, "Content-MD5": "AAAAAAAAAAAAAAAAAAAAAA=="})],
            5,
            "the file does not have the md5 of the response",
        ),
        (
            [Turn(200, CONTENT, {**PNG, "Repr-Digest": "sha-256=:AAAA:"})],
            5,
            "the file does not have the sha256 of the response",
        ),
        (
            [Turn(200, b'{"id":"1","file_url":"https://x.example"}', JSON)],
            5,
            (
                "the service answered POST /unified/ticketing/attachments/download with a record,"
                " not the file (try -q truto_response_format=stream)"
            ),
        ),
        (
            [Turn(204)],
            5,
            "the service answered POST /unified/ticketing/attachments/download with nothing",
        ),
        (
            [Turn(200, GONE, JSON)],
            4,
            "the service answered 404 to POST /unified/ticketing/attachments/download: gone",
        ),
        (
            [Turn(404, GONE)],
            4,
            "the service answered 404 to POST /unified/ticketing/attachments/download: gone",
        ),
        (
            [Turn(200, b"<html>sign in</html>", {"Content-Type": "text/html"})],
            5,
            "the answer is HTML, not JSON",
        ),
        (
            [rest(5)],
            5,
            "the answer is partial (206), which was not requested",
        ),
    ],
    ids=[
        "a part from elsewhere",
        "always cut",
        "a wrong MD5",
        "a wrong SHA-256",
        "a record",
        "nothing",
        "an envelope",
        "an error",
        "a web page",
        "a part",
    ],
)
def test_an_error_page_is_not_saved_as_the_file(
    turns: list[Turn], code: int, said: str, unified: Unified, files: FileServer, tmp_path: Path
) -> None:
    files.turns = turns
    (tmp_path / ".a.0123456789ab.part").write_text("of a killed process")
    result = unified(f"{COMMAND} {tmp_path / 'a'}", environ=files.environ)
    assert (result.code, left(tmp_path)) == (code, [])
    assert result.stderr.splitlines()[-1].startswith(f"error: {said}")


@pytest.mark.parametrize("algorithm", ["sha256", "sha512"])
def test_a_correct_checksum_is_accepted(
    algorithm: str, unified: Unified, files: FileServer, tmp_path: Path
) -> None:
    value = base64.b64encode(hashlib.new(algorithm, CONTENT).digest()).decode()
    files.turns = [Turn(200, CONTENT, {**PNG, "Repr-Digest": f"sha-{algorithm[3:]}=:{value}:"})]
    assert unified(f"{COMMAND} {tmp_path / 'a'}", environ=files.environ).code == 0


@pytest.mark.parametrize("kind", ["text/html", "application/json"])
def test_an_attachment_may_be_html_or_json(
    kind: str, unified: Unified, files: FileServer, tmp_path: Path
) -> None:
    content = b'{"statusCode": 500, "error": "x"} <html>'
    files.turns = [Turn(200, content, {"Content-Type": kind, "Content-Disposition": "attachment"})]
    assert unified(f"{COMMAND} {tmp_path / 'a'}", environ=files.environ).code == 0
    assert (tmp_path / "a").read_bytes() == content


def test_a_file_that_exists_stays_unless_forced(
    unified: Unified, files: FileServer, tmp_path: Path
) -> None:
    files.turns = [Turn(200, CONTENT, PNG)]
    out = tmp_path / "a"
    out.write_text("mine")
    refused = unified(f"{COMMAND} {out}", environ=files.environ)
    assert (refused.code, out.read_text(), files.asked) == (11, "mine", [])
    assert refused.stderr == f"error: {out} exists (--force overwrites it)\n"
    assert unified(f"{COMMAND} {out} --force", environ=files.environ).code == 0
    assert out.read_bytes() == CONTENT


@pytest.mark.parametrize("force", ["", "--force"])
def test_a_symbolic_link_is_not_followed(
    force: str, unified: Unified, files: FileServer, tmp_path: Path
) -> None:
    files.turns = [Turn(200, CONTENT, {**PNG, "Content-Disposition": "attachment; filename=link"})]
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "mine")
    for out in (tmp_path / "link", f"{tmp_path}/"):
        assert unified(f"{COMMAND} {out} {force}", environ=files.environ).code == 11
    assert (tmp_path / "mine").read_text() == "mine"
    assert (tmp_path / "link").is_symlink()


def test_a_missing_folder_is_noticed_before_anything_is_asked(
    unified: Unified, files: FileServer, tmp_path: Path
) -> None:
    none = tmp_path / "none"
    result = unified(f"{COMMAND} {none / 'a'}", environ=files.environ)
    assert (result.code, result.stderr) == (
        11,
        f"error: there is no folder {none} (mkdir -p {none})\n",
    )
    assert files.asked == []


def test_binary_does_not_go_to_a_terminal(unified: Unified, files: FileServer) -> None:
    files.turns = [Turn(200, CONTENT, PNG)]
    refused = unified(f"{COMMAND} -", environ=files.environ, tty=True)
    assert (refused.code, refused.stdout) == (2, "")
    shown = unified(f"{COMMAND} - --force", environ=files.environ, tty=True).stdout
    assert shown == visible(CONTENT.decode("utf-8", "backslashreplace"), but="\n\t")
    assert unified(f"{COMMAND} -", environ=files.environ).raw == CONTENT


@pytest.mark.parametrize(
    ("disposition", "name"),
    [
        ('attachment; filename="report.pdf"', "report.pdf"),
        ("attachment; filename=report.pdf", "report.pdf"),
        ("attachment; filename=\"a.txt\"; filename*=UTF-8''r%C3%A9sum%C3%A9.pdf", "résumé.pdf"),
        ('attachment; filename="../../.bashrc"', "bashrc"),
        ('attachment; filename="/etc/passwd"', "passwd"),
        (r'attachment; filename="C:\\x"', "x"),
        (r'attachment; filename="..\\x"', "x"),
        ('attachment; filename="%2e%2e%2fx"', "%2e%2e%2fx"),
        ("attachment; filename*=UTF-8''..%2Fx", "x"),
        ("attachment; filename*=UTF-8''%252e%252e%252fx", "%2e%2e%2fx"),
        ('attachment; filename=".netrc"', "netrc"),
        ('attachment; filename="..."', "photo .png"),
        ('attachment; filename="CON"', "_CON"),
        ('attachment; filename="nul.txt"', "_nul.txt"),
        ('attachment; filename="a:b"', "a_b"),
        ('attachment; filename="a. . "', "a"),
        ('attachment; filename="-rf"', "_rf"),
        ("attachment; filename*=UTF-8''a%0Ab%00%1B%E2%80%AE", "a_b___"),
        (f"attachment; filename={'x' * 300}.pdf", f"{'x' * 176}.pdf"),
        ("attachment", "photo .png"),
        ("inline", "photo .png"),
    ],
)
def test_the_name_is_one_safe_part_of_a_path(
    disposition: str, name: str, unified: Unified, files: FileServer, tmp_path: Path
) -> None:
    files.turns = [Turn(200, CONTENT, {**PNG, "Content-Disposition": disposition})]
    inside = tmp_path / "inside"
    inside.mkdir()
    assert unified(f"{COMMAND} {inside}", environ=files.environ).code == 0
    assert (left(tmp_path), left(inside)) == (["inside"], [name])


@given(st.lists(st.text(), max_size=3))
def test_no_proposed_name_leaves_the_folder(proposals: list[str]) -> None:
    name = download_targets.safe_name(*proposals)
    assert name not in {"", ".", ".."}
    assert not {*'/\\:*?"<>|\0'} & {*name}
    assert name[0] not in ".- "
    assert name[-1] not in ". "
    assert len(download_targets.numbered(name, 9999).encode()) < 255
    assert name.isprintable() or not name.isascii()


def test_a_redirect_is_followed_to_the_same_origin(
    unified: Unified, files: FileServer, tmp_path: Path
) -> None:
    files.turns = [Turn(302, b"", {"Location": "/files/other.bin?x=1"}), Turn(200, CONTENT, PNG)]
    assert unified(f"{COMMAND} {tmp_path}/", environ=files.environ).code == 0
    assert left(tmp_path) == ["photo .png"]
    method, target, headers = files.asked[1]
    assert (method, target, headers["authorization"]) == (
        "GET",
        "/files/other.bin?x=1",
        "Bearer t-0123456789",
    )
    assert not {"idempotency-key", "content-type", "content-length"} & {*headers}


@pytest.fixture
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[FileServer, Path]]:
    """A server of files with a certificate of its own, and the authority to believe
    it.
    """
    folder = tmp_path_factory.mktemp("authority")
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    with serving_files(context) as running:
        yield running, folder / "ca.pem"


def test_a_file_elsewhere_is_requested_without_the_token(
    unified: Unified, files: FileServer, elsewhere: tuple[FileServer, Path], tmp_path: Path
) -> None:
    other, authority = elsewhere
    other.turns = [
        Turn(
            200,
            CONTENT,
            {**RESUMABLE, "Content-Disposition": "attachment; filename=x.bin"},
            send=6000,
        ),
        rest(6000),
    ]
    files.turns = [Turn(302, b"", {"Location": f"{other.url}/bucket/b?sig=1"})]
    result = unified(f"{COMMAND} {tmp_path}/ --ca-bundle {authority}", environ=files.environ)
    assert (result.code, left(tmp_path)) == (0, ["x.bin"])
    assert (tmp_path / "x.bin").read_bytes() == CONTENT
    assert [(method, target) for method, target, _ in other.asked] == [
        ("GET", "/bucket/b?sig=1")
    ] * 2
    seen = {name for _, _, headers in other.asked for name in headers}
    assert seen == {"host", "accept", "accept-encoding", "user-agent", "range", "if-range"}
    assert "acct-1" not in str(other.asked)


@pytest.mark.parametrize(
    "location",
    [
        "http://127.0.0.1:9/x",
        "https://user:pw@127.0.0.1:9/x",
        "file:///etc/passwd",
        "//127.0.0.1:9/x",
        "javascript:alert(1)",
        "ftp://127.0.0.1/x",
    ],
)
def test_a_redirect_to_an_unsafe_address_is_refused(
    location: str, unified: Unified, files: FileServer, tmp_path: Path
) -> None:
    files.turns = [Turn(302, b"", {"Location": location})]
    result = unified(f"{COMMAND} {tmp_path / 'a'}", environ=files.environ)
    assert (result.code, left(tmp_path), len(files.asked)) == (13, [], 1)


def test_a_write_is_still_never_redirected(
    unified: Unified, files: FileServer, tmp_path: Path
) -> None:
    files.turns = [Turn(302, b"", {"Location": "/x"})]
    result = unified(
        f"ticketing tickets create -f name=a --out {tmp_path / 'a'}", environ=files.environ
    )
    assert (result.code, len(files.asked)) == (10, 1)


def listing(folder: Path, *records: Any) -> Path:
    path = folder / "list.ndjson"
    path.write_text(
        "".join(
            (record if isinstance(record, str) else json.dumps(record)) + "\n" for record in records
        )
    )
    return path


NAMES = [
    "same.txt",
    "SAME.txt",
    "same.txt",
    "\u017fame.txt",
    "../../escape",
    "/etc/passwd",
    "..",
    "CON",
    "a" * 400 + ".pdf",
    "日本語🎉.png",
    "e\u0301.txt",
    "é.txt",
    ".hidden",
    "-rf",
    "manifest.ndjson",
    "Manifest.NDJSON",
    "x\n\x1b]52;c\a",
    "",
    "a/b\\c",
    "  ",
]


@pytest.mark.unified_sandbox(keep_ids=True)
def test_200_files_are_200_files(unified: Unified, served: dict[str, str], tmp_path: Path) -> None:
    wanted = {}
    records = []
    for number in range(200):
        content = f"content {number}".encode()
        record = {
            "file_name": NAMES[number % len(NAMES)],
            "data": base64.b64encode(content).decode(),
        }
        records.append({"id": f"f-{number}", **record})
        wanted[f"f-{number}"] = content
    made = listing(tmp_path, *records)
    assert unified(f"import ticketing/attachments {made}", environ=served).code == 0
    listed = unified("ticketing attachments list --all -o ndjson", environ=served)
    path = listing(tmp_path, *listed.stdout.splitlines())
    out = tmp_path / "out"
    out.mkdir()
    (out / "same.txt").write_text("mine")
    before = left(tmp_path)
    command = f"ticketing attachments download --from {path} --out {out}"
    result = unified(command, environ=served)
    assert (result.code, result.stderr) == (
        0, f"200 files saved, 0 already there; {out / 'manifest.ndjson'} lists them\n"
    )  # fmt: skip
    manifest = [json.loads(line) for line in (out / "manifest.ndjson").read_text().splitlines()]
    assert {entry["id"]: (out / entry["file"]).read_bytes() for entry in manifest} == wanted
    assert len({names.folded(entry["file"]) for entry in manifest}) == 200
    assert (out / "same.txt").read_text() == "mine"
    assert len(left(out)) == 202
    assert left(tmp_path) == before
    again = unified(command, environ=served)
    assert (
        again.stderr == f"0 files saved, 200 already there; {out / 'manifest.ndjson'} lists them\n"
    )


@pytest.mark.parametrize("spoil", owned.SPOILS)
def test_a_list_of_files_that_others_can_write_is_not_obeyed(
    unified: Unified, service: Service, tmp_path: Path, spoil: Callable[[Path], str]
) -> None:
    """It would say that files are there which nothing downloaded."""
    service.reply = lambda _: Reply(200, b"bytes", {"Content-Type": "application/octet-stream"})
    path = listing(tmp_path, {"id": "a1", "file_url": "https://f.example/a1"})
    command = f"ticketing attachments download --from {path} --out {tmp_path / 'out'}"
    result = unified(command, environ=service.environ)
    assert (result.code, len(service.seen)) == (0, 1), result.stderr
    said = spoil(tmp_path / "out/manifest.ndjson")
    result = unified(command, environ=service.environ)
    assert (result.code, result.stderr, len(service.seen)) == (3, f"error: {said}\n", 1)


def test_files_that_fail_are_named_and_tried_again(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    missing = True

    def reply(seen: Seen) -> Reply:
        if seen.method == "GET":
            return Reply(
                200, json.dumps({"id": seen.segments[-1], "file_url": seen.segments[-1]}).encode()
            )
        name = dict(seen.query)["file_url"]
        return (
            Reply(404)
            if name == "b" and missing
            else Reply(200, name.encode(), {"Content-Type": "text/plain"})
        )

    service.reply = reply
    path = listing(tmp_path, "a", "b", "c")
    out = tmp_path / "out"
    command = f"ticketing attachments download --from {path} --out {out} --workers 1"
    result = unified(command, environ=service.environ)
    assert result.code == 9
    assert result.stderr.endswith(f"error: 1 of 3 files failed, see {out / 'manifest.ndjson'}\n")
    assert left(out) == ["a", "c", "manifest.ndjson"]
    (out / "a").write_bytes(b"changed")
    (out / ".manifest.0123456789ab.part").write_text("from a killed run")
    missing = False
    result = unified(command, environ=service.environ)
    assert (
        result.stderr == f"2 files saved, 1 already there; {out / 'manifest.ndjson'} lists them\n"
    )
    assert left(out) == ["a", "a-2", "b", "c", "manifest.ndjson"]


def test_a_dry_run_shows_each_request_and_makes_no_folder(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    path = listing(tmp_path, {"id": "a"}, {"name": "x"}, {"id": "b"})
    command = f"ticketing attachments download --from {path} --out {tmp_path / 'out'}"
    result = unified(f"{command} --dry-run", environ=service.environ)
    urls = [
        json.loads(line)["url"].partition("?")[0].rpartition("/")[2]
        for line in result.stdout.splitlines()
    ]
    assert (result.code, urls, service.seen) == (0, ["a", "b"], [])
    assert result.stderr == "line 2 failed: the record has neither a URL nor an id\n"
    assert len(unified(f"{command} --as curl", environ=service.environ).stdout.splitlines()) == 2
    assert left(tmp_path) == ["list.ndjson"]


def test_each_api_is_asked_with_the_parameters_it_knows(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    service.reply = lambda _: Reply(200, b"x", {"Content-Type": "text/plain"})
    record = {"id": "1", "file_url": "https://x.example/f", "url": "https://x.example/u"}
    for resource in ("ats attachments", "voice recordings"):
        path = listing(tmp_path, record)
        out = tmp_path / resource.replace(" ", "-")
        assert (
            unified(f"{resource} download --from {path} --out {out}", environ=service.environ).code
            == 0
        )
    ats, voice = service.seen
    assert (ats.query[1:], ats.json) == ([("file_url", "https://x.example/f")], {})
    assert (voice.query[1:], voice.json) == ([], {"url": "https://x.example/u"})


@pytest.mark.parametrize(
    ("argv", "code", "message"),
    [
        ("7 --from in --out out", 2, "an ID cannot be used with --from (leave out one of them)"),
        ("-", 2, "several files can only be saved in a folder (use --out DIR)"),
        ("--from in", 2, "several files can only be saved in a folder (use --out DIR)"),
        ("--from in --out in", 11, "in is not a folder"),
        (
            "--from none --out out",
            11,
            "cannot read none: No such file or directory (the program looked in HERE)",
        ),
    ],
)
def test_many_files_need_a_list_and_a_folder(
    argv: str, code: int, message: str, unified: Unified, service: Service, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("in").write_text("a\n")
    result = unified(f"ticketing attachments download {argv}", environ=service.environ)
    message = message.replace("HERE", str(tmp_path))
    assert (result.code, result.stderr, service.seen) == (code, f"error: {message}\n", [])


def test_the_record_of_an_id_is_looked_up_for_the_address_of_its_file(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    def reply(seen: Seen) -> Reply:
        if seen.method == "GET":
            number = len(service.seen)
            record = {
                "id": "a",
                "file_name": "a.txt",
                "file_url": f"https://files.example/a?signed={number}",
            }
            return Reply(
                200, json.dumps({"id": "b"} if seen.segments[-1] == "b" else record).encode()
            )
        return Reply(200, b"content", {"Content-Type": "text/plain"})

    service.reply = reply
    ids, out = tmp_path / "ids", tmp_path / "out"
    ids.write_text("a\nb\n")
    command = f"ticketing attachments download --from {ids} --out {out} --workers 1 -q extra=1"
    result = unified(command, environ=service.environ)
    assert (result.code, left(out)) == (9, ["a.txt", "manifest.ndjson"])
    assert "line 2 failed: the record b names no file to download\n" in result.stderr
    assert [(seen.method, seen.segments[-1], seen.query[1:]) for seen in service.seen] == [
        ("GET", "a", [("extra", "1")]),
        ("POST", "download", [("extra", "1"), ("file_url", "https://files.example/a?signed=1")]),
        ("GET", "b", [("extra", "1")]),
    ]
    # Its address differs each time, and the file is there.
    ids.write_text("a\n")
    again = unified(command, environ=service.environ)
    assert again.stderr == f"0 files saved, 1 already there; {out / 'manifest.ndjson'} lists them\n"


def test_a_download_takes_an_id_as_a_get_does(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    def reply(seen: Seen) -> Reply:
        record = {"id": "a", "file_name": "../a.txt", "file_url": "https://files.example/b.bin"}
        if seen.method == "GET":
            return Reply(
                200, json.dumps(record if seen.segments[-1] == "a" else {"id": "b"}).encode()
            )
        return Reply(200, b"content", {"Content-Type": "text/plain"})

    service.reply = reply
    new = tmp_path / "new"
    command = "ticketing attachments download"
    result = unified(f"{command} a --out {new}/ -q extra=1", environ=service.environ)
    assert (result.code, left(new), new.stat().st_mode & 0o777) == (0, ["a.txt"], 0o700)
    assert result.stderr.startswith(f"wrote 7 bytes to {new / 'a.txt'} (sha256 ")
    assert [(seen.method, seen.segments[-1], seen.query[1:]) for seen in service.seen] == [
        ("GET", "a", [("extra", "1")]),
        ("POST", "download", [("extra", "1"), ("file_url", "https://files.example/b.bin")]),
    ]
    assert unified(f"{command} a --out {tmp_path / 'named'}", environ=service.environ).code == 0
    assert (tmp_path / "named").read_bytes() == b"content"
    assert unified(f"{command} a", environ=service.environ).raw == b"content"
    sent = len(service.seen)
    lost = unified(f"{command} b --out {new}/", environ=service.environ)
    assert (lost.code, lost.stderr) == (5, "error: the record b names no file to download\n")
    shown = unified(f"{command} a --out {new}/ --dry-run", environ=service.environ)
    assert (shown.code, shown.json["method"], len(service.seen)) == (0, "GET", sent + 1)
    several = unified(f"{command} a --out {new}/ -p x -p y", environ=service.environ)
    assert (several.code, "may be several connections" in several.stderr) == (2, True)
    hint = unified("ats attachments download a", environ=service.environ)
    assert (
        hint.code,
        "a is an id, but ats attachments download needs whole records" in hint.stderr,
    ) == (2, True)


def test_a_dash_downloads_each_piped_record(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    service.reply = lambda _: Reply(200, b"content", {"Content-Type": "text/plain"})
    records = b'{"id":"1","file_url":"https://x.example/one"}\n{"id":"2","file_url":"https://x.example/two"}\n'
    command = f"ticketing attachments download - --out {tmp_path / 'out'}/"
    result = unified(command, stdin=records, environ=service.environ)
    assert (result.code, left(tmp_path / "out")) == (0, ["manifest.ndjson", "one", "two"])


def test_a_folder_is_made_for_a_file_and_needs_one_to_be_in(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    service.reply = lambda _: Reply(200, b"content", {"Content-Type": "text/plain"})
    assert unified(f"{COMMAND} {tmp_path / 'files'}/", environ=service.environ).code == 0
    assert left(tmp_path / "files") == ["photo .png"]
    sent = len(service.seen)
    result = unified(f"{COMMAND} {tmp_path / 'no' / 'files'}/", environ=service.environ)
    assert (result.code, "cannot create the folder" in result.stderr, len(service.seen)) == (
        11,
        True,
        sent,
    )


def test_an_id_selects_no_file_if_records_cannot_be_read(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    ids = tmp_path / "ids"
    ids.write_text("a\n")
    result = unified(
        f"ats attachments download --from {ids} --out {tmp_path / 'out'}", environ=service.environ
    )
    said = (
        "line 1 failed: a is an id, but ats attachments download needs whole records; "
        "pipe them in (unified ats attachments list --all -o ndjson)\n"
    )
    assert (result.code, result.stderr.startswith(said), service.seen) == (9, True, [])


def test_a_list_of_downloads_is_for_one_connection(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    (tmp_path / "ids").write_text("1\n")
    result = unified(
        f"ticketing attachments download --from {tmp_path}/ids -p a -p b", environ=service.environ
    )
    said = "error: -p a -p b may be several connections, but this command takes one (-p NAME)\n"
    assert (result.stderr, result.code, service.seen) == (said, 2, [])
