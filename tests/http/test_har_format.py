"""A recording is HAR 1.2: it has what the format asks for, and libraries of others read
it.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from commands import RECORDS, answers
from front_door import Unified
from haralyzer import HarParser
from jsonschema import Draft202012Validator
from server import Reply, Service

Config = Callable[[str], Path]
TEXT, NUMBER = {"type": "string"}, {"type": "number", "minimum": -1}
MOMENT = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$"}


def thing(**members: Any) -> dict[str, Any]:
    """An object with these members, and others of its own whose names begin with an
    underscore.
    """
    required = [name for name in members if not name.startswith("optional_")]
    known = {name.removeprefix("optional_"): one for name, one in members.items()}
    patterns = {f"^({'|'.join(known)})$": True, "^_": True}
    return {
        "type": "object",
        "required": required,
        "properties": known,
        "patternProperties": patterns,
        "additionalProperties": False,
    }


def several(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": item}


PAIRS = several(thing(name=TEXT, value=TEXT))
SENT = thing(
    method=TEXT,
    url=TEXT | {"pattern": "^https?://"},
    httpVersion=TEXT,
    cookies=PAIRS,
    headers=PAIRS,
    queryString=PAIRS,
    headersSize=NUMBER,
    bodySize=NUMBER,
    optional_postData=thing(mimeType=TEXT, params=PAIRS, text=TEXT),
)
CONTENT = thing(
    size=NUMBER, mimeType=TEXT, optional_text=TEXT, optional_encoding=TEXT, optional_comment=TEXT
)
ANSWERED = thing(
    status=NUMBER,
    statusText=TEXT,
    httpVersion=TEXT,
    cookies=PAIRS,
    headers=PAIRS,
    content=CONTENT,
    redirectURL=TEXT,
    headersSize=NUMBER,
    bodySize=NUMBER,
)
ENTRY = thing(
    startedDateTime=MOMENT,
    time=NUMBER,
    request=SENT,
    response=ANSWERED,
    cache=thing(),
    timings=thing(send=NUMBER, wait=NUMBER, receive=NUMBER),
)
LOG = thing(
    version={"const": "1.2"},
    creator=thing(name=TEXT, version=TEXT),
    pages=several({}),
    entries=several(ENTRY),
)
SCHEMA = thing(log=LOG)


def recorded(command: str, unified: Unified, service: Service, tmp_path: Path) -> Any:
    har = tmp_path / "a.har"
    har.unlink(missing_ok=True)
    (tmp_path / "records.ndjson").write_bytes(RECORDS)
    unified(f"{command} --record {har}", environ={**service.environ, "UNIFIED_ACCOUNT_ID": "acme"})
    return json.loads(har.read_bytes())


def test_a_recording_of_every_kind_of_answer_is_valid(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    answers(service)
    for command in (
        "ticketing tickets list --all -o ndjson",
        "ticketing tags list",
        "ats jobs list",
        "ats candidates list",
        "ats offers list",
        "ticketing tickets delete t-1 --yes",
        f"ticketing attachments download -f id=1 --out {tmp_path}/file",
        f"import ticketing/contacts {tmp_path}/records.ndjson",
        "connections list",
        "ticketing tickets list --base-url http://127.0.0.1:1 --retries 0",
    ):
        found = recorded(command, unified, service, tmp_path)
        Draft202012Validator(SCHEMA).validate(found)


def test_a_recording_without_exchanges_is_valid(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    found = recorded("ticketing tickets list --dry-run", unified, service, tmp_path)
    Draft202012Validator(SCHEMA).validate(found)
    assert found["log"]["entries"] == []


def test_a_viewer_reads_it(unified: Unified, service: Service, tmp_path: Path) -> None:
    answers(service)
    pages = HarParser(
        recorded("ticketing tickets list --all -o ids", unified, service, tmp_path)
    ).pages
    entries = [entry for page in pages for entry in page.entries]
    assert [entry.request.method for entry in entries] == ["GET", "GET"]
    assert [entry.response.status for entry in entries] == [200, 200]
    assert json.loads(entries[0].response.text)["next_cursor"] == "c1"
    assert entries[0].request.headers[-1] == {"name": "authorization", "value": "***"}


def test_bytes_that_are_not_text_are_in_base64(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    service.reply = lambda _: Reply(200, b"\xff\x00\xfe", {"Content-Type": "image/png"})
    found = recorded(
        f"ticketing attachments download -f id=1 --out {tmp_path}/f", unified, service, tmp_path
    )
    content = found["log"]["entries"][0]["response"]["content"]
    assert content == {"size": 3, "mimeType": "image/png", "text": "/wD+", "encoding": "base64"}
