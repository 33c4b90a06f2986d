"""Uploads as a server of another library reads them: its parser of forms, its sockets,
its early answers.
"""

import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uploading

from unified_cli.errors import AccessError, RefusedError
from unified_cli.http.upload import Upload, of_bytes, of_form

pytestmark = pytest.mark.extra
serving, wrappers = (
    pytest.importorskip(f"werkzeug.{part}", reason="needs the extra test-all")
    for part in ("serving", "wrappers")
)


@contextmanager
def werkzeug_serving(answer: Callable[[Any], Any]) -> Iterator[str]:
    """A server of werkzeug's, which answers each request so; its URL."""

    class Silent(serving.WSGIRequestHandler):  # type: ignore[misc, name-defined]
        protocol_version = "HTTP/1.1"

        def log(self, *_: Any) -> None:
            pass

    @wrappers.Request.application  # type: ignore[untyped-decorator]
    def app(request: Any) -> Any:
        return answer(request)

    server = serving.make_server("127.0.0.1", 0, app, threaded=True, request_handler=Silent)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def told(request: Any) -> Any:
    """The request as the server read it, as the answer."""
    if request.mimetype == "multipart/form-data":
        ((field, file),) = request.files.items()
        content, name, kind = file.stream.read(), file.filename, file.content_type
    else:
        content, name, kind, field = request.stream.read(), None, request.content_type, None
    said = {
        "id": "1",
        "sha256": hashlib.sha256(content).hexdigest(),
        "size": len(content),
        "name": name,
        "type": kind,
        "field": field,
        "fields": {key: request.form[key] for key in request.form},
        "passthrough": request.args["truto_body_passthrough"],
    }
    return wrappers.Response(json.dumps(said), 201, content_type="application/json")


@pytest.mark.parametrize("size", [0, 1, 65_536, 1_000_003, 10 << 20])
@pytest.mark.parametrize("form", [True, False])
def test_the_bytes_are_understood(form: bool, size: int, tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    digest = uploading.written(path, size)
    upload = (
        of_form(f"photo={path}", [("note", "für\r\ndich")])
        if form
        else of_bytes(str(path), "image/png")
    )
    with werkzeug_serving(told) as url:
        answer = uploading.send(url, upload).answer
    assert answer is not None
    assert json.loads(answer.body or b"") == {
        "id": "1",
        "sha256": digest,
        "size": size,
        "name": "a.png" if form else None,
        "type": "image/png",
        "field": "photo" if form else None,
        "fields": {"note": "für\r\ndich"} if form else {},
        "passthrough": "true",
    }


@pytest.mark.parametrize(
    "name",
    [
        'a"; filename="b.exe',
        "a\r\nX-Evil: 1\r\n\r\nb",
        "zażółć 🦊.txt",
        "; name=x",
        "%22.txt",
        "a'b.txt",
    ],
)
def test_a_hostile_file_name_arrives_as_a_name(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(b"content")
    with werkzeug_serving(told) as url:
        answer = uploading.send(url, Upload(path, "text/plain", "file")).answer
    assert answer is not None
    found = json.loads(answer.body or b"")
    shown = name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
    assert (found["size"], found["field"], found["fields"]) == (7, "file", {})
    # Some libraries undo the escape of a quote.
    assert found["name"] in (shown, shown.replace("%22", '"'))


@pytest.mark.parametrize(
    ("status", "error"), [(401, AccessError), (403, AccessError), (413, RefusedError)]
)
def test_a_refusal_without_reading_the_body_is_reported(
    status: int, error: type[Exception], tmp_path: Path
) -> None:
    path = tmp_path / "a.bin"
    uploading.written(path, 30 << 20)
    body = json.dumps({"statusCode": status, "error": "x", "message": "because"})
    refusal = wrappers.Response(body, status, content_type="application/json")
    with werkzeug_serving(lambda _: refusal) as url, pytest.raises(error, match="because"):
        uploading.send(url, of_form(str(path)))
