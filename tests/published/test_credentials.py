"""A published answer that holds a credential is the result of the call that asked for
it, and in nothing else that is shown or kept.
"""

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from front_door import Result, Unified
from publishing import ACCOUNT
from server import Reply, Seen, Service

SECRET = "CANARY+0123/456789=abcdef"
MCP = f"https://api.example.com/mcp/{quote(SECRET, safe='')}"
OTHER = "Other-ABCDEF.GHIJKL-MNO"


@dataclass(frozen=True)
class Case:
    """A call and its answer, which is no result where `code` is that of an error."""

    call: str
    body: Any
    status: int = 200
    code: int = 0
    headers: tuple[tuple[str, str], ...] = ()


def refused(**members: Any) -> dict[str, Any]:
    return {"statusCode": 422, "error": "Unprocessable Entity", **members}


CASES = {
    "link token": Case("POST /link-token -d '{}'", {"link_token": SECRET}),
    "token of a connection": Case(
        "POST /integrated-account/token -d '{}'", {"integrated_account_token": SECRET}
    ),
    "address of an MCP server": Case(
        f"POST /integrated-account/{ACCOUNT}/mcp -d '{{}}'", {"token": SECRET, "url": MCP}
    ),
    "only the address": Case(f"POST /integrated-account/{ACCOUNT}/mcp -d '{{}}'", {"url": MCP}),
    "headers too": Case(
        f"POST /integrated-account/{ACCOUNT}/mcp -d '{{}}'",
        {"token": SECRET},
        headers=(("Location", MCP), ("Link", f"<{MCP}>"), ("X-Made", SECRET)),
    ),
    "context": Case(
        f"GET /integrated-account/{ACCOUNT}", {"id": ACCOUNT, "context": {"any": SECRET}}
    ),
    "log": Case(
        "GET /log",
        {"result": [{"http_url": MCP, "logs": [f"GET {MCP}", f"/x?link_token={quote(SECRET)}"]}]},
    ),
    "batch": Case(
        "POST /batch-request -d '{}'",
        {"result": {"tickets": [{"webhook-secret": SECRET, "text": f"is {SECRET}"}]}},
    ),
    "provider's record": Case("GET /proxy/apps/7", {"id": "7", "ClientSecret": SECRET}),
    "provider's list": Case(
        "GET /proxy/apps", {"result": [{"API-Key": SECRET}, {"deep": [{"userPassword": SECRET}]}]}
    ),
    "any path": Case(
        "POST /custom/x -d '{}'",
        {"result": {"Authorization": f"Bearer {SECRET}", "note": f"sent as {SECRET}"}},
    ),
    "JSON in JSON": Case(
        "GET /custom/x", {"said": json.dumps({"access_token": SECRET}), "again": SECRET}
    ),
    "escaped name": Case("GET /custom/x", f'{{"session_\\u0074oken":{json.dumps(SECRET)}}}'),
    "lines": Case("GET /custom/x", f'{{"a_token":"{SECRET}"}}\n{{"a_token":"{SECRET}"}}'),
    "sent": Case(
        f"POST '/custom/x?client-secret={quote(SECRET, safe='')}' -f note={SECRET}",
        {"result": f"is {SECRET}"},
    ),
    "refusal": Case(
        "POST /custom/x -d '{}'",
        refused(message=f"{SECRET} is used", link_token=SECRET, details={"failures": [SECRET]}),
        status=422,
        code=4,
    ),
    "provider's refusal": Case(
        "GET /unified/ticketing/tickets",
        refused(
            truto_is_remote_error=True,
            raw_response={"message": f"{SECRET} has expired", "app_token": SECRET},
        ),
        status=502,
        code=5,
    ),
    "provider's refusal as text": Case(
        "GET /unified/ticketing/tickets",
        refused(raw_response=json.dumps({"message": SECRET, "app_token": SECRET})),
        status=502,
        code=5,
    ),
    "what is sent is refused": Case(
        f"POST /custom/x -f api_password={SECRET}",
        refused(message=f"the password {SECRET} is too short"),
        status=422,
        code=4,
    ),
}


def forms(secret: str = SECRET) -> list[bytes]:
    """The value as it may be written, and what no escape changes in it."""
    once = quote(secret, safe="")
    written = {secret, once, quote(once, safe=""), secret.replace("/", "\\/"), "456789"}
    return [form.encode() for form in written]


def kept(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Every file below a folder, and the members of archives."""
    for path in folder.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            yield str(path), content
            if path.suffix == ".zip":
                with zipfile.ZipFile(io.BytesIO(content)) as archive:
                    yield from (
                        (f"{path}:{name}", archive.read(name)) for name in archive.namelist()
                    )


def hits(places: dict[str, bytes]) -> list[str]:
    return [
        f"{place}: {form!r}" for place, text in places.items() for form in forms() if form in text
    ]


def answer(service: Service, case: Case) -> None:
    body = case.body if isinstance(case.body, str) else json.dumps(case.body)
    headers = {"Content-Type": "application/json", **dict(case.headers)}
    if case is CASES["lines"]:
        headers["Content-Type"] = "application/x-ndjson"
    service.reply = lambda _: Reply(case.status, body.encode(), headers)


@pytest.mark.parametrize("name", CASES)
def test_a_credential_is_in_the_result_only(
    name: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    case, har = CASES[name], tmp_path / "m.har"
    answer(service, case)
    environ = {**service.environ, "UNIFIED_RETRIES": "0"}
    for more in ("", "-o json", "-v", "-vv"):
        har.unlink(missing_ok=True)
        result: Result = unified(f"request {case.call} --record {har} {more}", environ=environ)
        assert result.code == case.code, result.stderr
        places = {"stderr": result.stderr.encode(), **dict(kept(tmp_path))}
        if case.code:
            places["stdout"] = result.raw
        # The line that is sent is shown before its answer is known.
        assert hits(places) == []
    bundle = unified(f"doctor --bundle {tmp_path}/b.zip --har {har}", environ=environ)
    assert (bundle.code in (0, 3), (tmp_path / "b.zip").exists()) == (True, True), bundle.stderr
    assert (
        hits({"stdout": bundle.raw, "stderr": bundle.stderr.encode(), **dict(kept(tmp_path))}) == []
    )
    if name != "lines":
        sent = len(service.seen)
        again = unified(f"request {case.call} --replay {har}", environ=environ)
        assert (again.code, len(service.seen)) == (case.code, sent), again.stderr


def everywhere(case: Case) -> Callable[[Seen], Reply]:
    """Answer with the body of a case, as one of the connection, of what it offers and
    of a write.
    """
    body = case.body if isinstance(case.body, dict) else {"said": case.body}

    def reply(seen: Seen) -> Reply:
        record: dict[str, Any] = {"id": ACCOUNT, "status": "active"}
        if seen.path == "/integrated-account":
            found: dict[str, Any] = {"result": [{**body, **record}], "next_cursor": None}
        elif seen.segments[-1] == "capabilities" and case.code:
            found = body
        elif seen.segments[0] == "integrated-account":
            found = {**body, **record}
        else:
            found = body
        status = case.status if found is body else 200
        return Reply(status, json.dumps(found).encode())

    return reply


# In these the request names the credential, and not the answer.
BY_REQUEST = {"sent", "what is sent is refused"}


@pytest.mark.extra
@pytest.mark.parametrize("name", [name for name in CASES if name not in BY_REQUEST])
def test_a_report_holds_no_credential(
    name: str,
    unified: Unified,
    service: Service,
    config: Callable[[str], Path],
    tmp_path: Path,
) -> None:
    pytest.importorskip("jinja2", reason="needs the extra report")
    case = CASES[name]
    service.reply = everywhere(case)
    tables = (f'[profiles.{one}]\naccount_id = "{ACCOUNT}{more}"\n' for one, more in ONE_AND_TWO)
    config(f'base_url = "{service.url}"\nrate = 0\nretries = 0\n{"".join(tables)}')
    folders = {kind: tmp_path / kind for kind in ("config", "data", "cache")}
    world: dict[str, Any] = {"environ": {"UNIFIED_TOKEN": "t-0123456789"}, "folders": folders}
    # A run whose writes were answered so is on the page, with its causes.
    written = unified("ticketing tags update t1 -f name=x -p one -p two --yes", **world)
    places = {"stderr": written.stderr.encode()}
    for more in ("", " -o json", " -vv"):
        made = unified(f"report --to {tmp_path}/page.html{more}", **world)
        assert made.code in (0, 9), made.stderr
        places |= {f"stdout{more}": made.raw, f"stderr{more}": made.stderr.encode()}
    found = dict(kept(tmp_path))
    assert any(path.endswith("page.html") for path in found)
    assert hits({**places, **found}) == []


ONE_AND_TWO = (("one", ""), ("two", "-2"))


def served(service: Service, body: Any, status: int = 200, **headers: str) -> None:
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    kind = {"Content-Type": "application/json"} if "untyped" not in headers else {}
    headers.pop("untyped", None)
    service.reply = lambda _: Reply(status, text, {**kind, **headers})


def entry(har: Path) -> Any:
    (found,) = json.loads(har.read_bytes())["log"]["entries"]
    return found


# The words of a name, in every spelling.
WORDS = ("token", "secret", "password", "apikey", "authorization")
NAMES = [
    *WORDS,
    *(f"x_{word}" for word in WORDS),
    *(f"x{word.title()}" for word in WORDS),
    *("API_KEY", "api-key", "Api-Key", "link-token", "LINK_TOKEN", "user__pass_word", "s-e-cret"),
    *("homepage_token_secret", "token_", "cursor_secret"),
]
NO_CREDENTIALS = [
    *("next_page_token", "nextPageToken", "pageToken", "PAGE-TOKEN", "sync_token", "nextSyncToken"),
    *("cursor_token", "cursor", "token_type", "tokens", "key", "secretary", "password_hint", "id"),
]


@pytest.mark.parametrize("name", [*NAMES, *NO_CREDENTIALS])
@pytest.mark.parametrize("path", ["/proxy/apps", "/custom/x", "/log", "/integrated-account/1"])
def test_the_name_of_a_member_decides(
    path: str, name: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    served(service, {"a": [{name: OTHER}], "text": f"is {OTHER}"})
    found = unified(f"request GET {path} --record {tmp_path}/a.har -vv", environ=service.environ)
    assert found.code == 0, found.stderr
    shown = OTHER in found.stderr, OTHER in (tmp_path / "a.har").read_text()
    assert shown == ((False, False) if name in NAMES else (True, True))


@pytest.mark.parametrize("name", [name for name in NAMES if name != "password"])
def test_a_field_of_a_unified_record_may_have_such_a_name(
    name: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    served(service, {"result": [{"id": "1", name: OTHER}]})
    assert unified(f"ticketing tickets list --record {tmp_path}/a.har", environ=service.environ)
    known = "".join(character for character in name.lower() if character not in "-_")
    assert (OTHER in (tmp_path / "a.har").read_text()) == (known != "apikey")


def test_a_short_value_is_replaced_in_its_place_only(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    short = "elevencharx"
    body = {"a_token": short, "note": short, "b_token": "", "c_token": None, "d_token": 7}
    served(service, {"result": [body, {"e_token": [short], "f_token": {"g": short}}]})
    unified(f"request GET /proxy/apps --record {tmp_path}/a.har", environ=service.environ)
    kept_body, others = json.loads(entry(tmp_path / "a.har")["response"]["content"]["text"])[
        "result"
    ]
    assert kept_body == {**body, "a_token": "***"}
    assert others == {"e_token": [short], "f_token": {"g": short}}


def test_digits_and_order_stay(unified: Unified, service: Service, tmp_path: Path) -> None:
    served(
        service, b'{"z":1.10,"a_token":"%b","b":10158500000000001,"a":"\\ud83d"}' % OTHER.encode()
    )
    unified(f"request GET /proxy/apps/1 --record {tmp_path}/a.har", environ=service.environ)
    text = entry(tmp_path / "a.har")["response"]["content"]["text"]
    assert text == '{"z":1.10,"a_token":"***","b":10158500000000001,"a":"\\ud83d"}'


@pytest.mark.parametrize(
    "call",
    [
        f"GET /custom/tokens/{OTHER}",
        f"GET /custom/tokens -q id={OTHER}",
        f"POST /custom/tokens -f id={OTHER}",
        f"POST /custom/tokens/{OTHER} -f 'url=https://x.example/{OTHER}?a={OTHER}'",
    ],
)
def test_a_request_is_found_that_held_what_its_answer_names(
    call: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    served(service, {"token": OTHER, "owner": "me"})
    har = tmp_path / "a.har"
    assert unified(f"request {call} --record {har}", environ=service.environ).code == 0
    assert OTHER not in har.read_text()
    again = unified(f"request {call} --replay {har}", environ=service.environ)
    assert (again.code, again.json["owner"]) == (0, "me")
    other = unified(f"request GET /custom/others/{OTHER} --replay {har}", environ=service.environ)
    assert (other.code, "is not in" in other.stderr) == (5, True)


def test_many_credentials_are_replaced_in_little_time(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    records = [{"app_token": f"{OTHER}-{number:06}", "id": number} for number in range(20_000)]
    echoes = [{"text": f"see {record['app_token']}"} for record in records]
    served(service, {"result": [*records, *echoes]})
    found = unified(
        f"request GET /proxy/apps --timeout 60 --record {tmp_path}/a.har", environ=service.environ
    )
    assert (found.code, OTHER in (tmp_path / "a.har").read_text()) == (0, False)


def test_a_recording_of_before_is_not_passed_on(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    har = tmp_path / "a.har"
    served(service, {"link_token": "***", "url": "https://x.example/***"})
    unified(f"request POST /link-token -d '{{}}' --record {har}", environ=service.environ)
    clean = har.read_text()
    for change in (
        clean.replace('link_token\\":\\"***', f'link_token\\":\\"{OTHER}'),
        clean.replace('link_token\\":\\"***', 'link_token\\":\\"short'),
    ):
        assert change != clean
        har.write_text(change)
        found = unified(f"doctor --bundle {tmp_path}/b.zip --har {har}", environ=service.environ)
        assert (found.code, "holds credentials" in found.stderr) == (13, True)
        assert not (tmp_path / "b.zip").exists()


@pytest.mark.parametrize("name", ["password", "api_token", "Authorization"])
def test_an_error_about_a_field_is_not_masked(
    name: str, unified: Unified, service: Service
) -> None:
    served(service, refused(details={"errors": {name: ["is too short"]}}), 422)
    found = unified("ticketing tickets create -f name=x", environ=service.environ)
    assert (found.code, f"{name}: is too short" in found.stderr) == (4, True)
    served(service, refused(errors={name: "is too short"}), 422)
    found = unified("ticketing tickets create -f name=x", environ=service.environ)
    assert f"{name}: is too short" in found.stderr or name == "Authorization"


@pytest.mark.parametrize("headers", [{}, {"untyped": "1"}, {"Content-Disposition": "attachment"}])
def test_json_is_never_cut(
    headers: dict[str, str], unified: Unified, service: Service, tmp_path: Path
) -> None:
    served(service, {"id": "7", "text": "x" * (3 << 20)}, **headers)
    har, call = tmp_path / "a.har", "request GET /custom/x"
    assert unified(f"{call} --record {har}", environ=service.environ).code == 0
    assert "_end" not in entry(har)["response"]["content"]
    assert len(unified(f"{call} --replay {har}", environ=service.environ).stdout) > 3 << 20
