"""A server that carries writes out and answers with a failure: records that are
imported again are still written once.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified
from server import Reply, Seen, Service

LINES = 4
IN_DOUBT, FAILED = "in-doubt", "failed"
ANSWERS = {
    "500": (Reply(500), IN_DOUBT),
    "500 in its own words": (
        Reply(500, b'{"statusCode":500,"error":"x","message":"boom"}'),
        IN_DOUBT,
    ),
    "502": (Reply(502, b"<html>", {"Content-Type": "text/html"}), IN_DOUBT),
    "503 of a gateway": (Reply(503, b"away", {"Content-Type": "text/plain"}), IN_DOUBT),
    "503 of the provider": (
        Reply(503, b'{"statusCode":503,"error":"x","message":"m","truto_is_remote_error":true}'),
        IN_DOUBT,
    ),
    "503 in its own words": (
        Reply(503, b'{"statusCode":503,"error":"x","message":"blocked"}'),
        FAILED,
    ),
    "504": (Reply(504), IN_DOUBT),
    "520": (Reply(520), IN_DOUBT),
    "429": (Reply(429), FAILED),
    "403": (Reply(403), FAILED),
    "422": (Reply(422, b'{"statusCode":422,"error":"x","message":"no"}'), FAILED),
    "303": (Reply(303, b"", {"Location": "/elsewhere"}), IN_DOUBT),
    "307": (Reply(307, b"", {"Location": "https://elsewhere.example"}), IN_DOUBT),
    "304 without a place": (Reply(304, b""), IN_DOUBT),
    "a web page": (Reply(200, b"<html>", {"Content-Type": "text/html"}), IN_DOUBT),
    "a damaged answer": (Reply(201, b'{"id":'), IN_DOUBT),
}


class Committing:
    """A service that does every write, once for each idempotency key, and answers
    `failing` while it is set.
    """

    def __init__(self, failing: Reply) -> None:
        self.failing: Reply | None = failing
        self.effects: list[tuple[str, Any]] = []
        self._answers: dict[str, Reply] = {}

    def __call__(self, seen: Seen) -> Reply:
        key = seen.headers["idempotency-key"]
        if key not in self._answers:
            self.effects.append((seen.path, seen.json))
            self._answers[key] = Reply(201, json.dumps({"id": str(len(self.effects))}).encode())
        return self.failing or self._answers[key]


def marks(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line)["_import"] for line in path.read_text().splitlines()]


def written(folder: Path) -> Path:
    path = folder / "in.ndjson"
    path.write_text("".join(json.dumps({"name": str(number)}) + "\n" for number in range(LINES)))
    return path


@pytest.mark.parametrize("name", ANSWERS)
def test_a_file_of_results_fed_in_again_does_every_record_once(
    name: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    answer, group = ANSWERS[name]
    service.reply = server = Committing(answer)
    path = written(tmp_path)
    first = unified(f"import ticketing/tags {path} --rate 0", environ=service.environ)
    assert first.code != 0
    assert (first.code == 10) == (group == IN_DOUBT)
    result = Path(f"{path}.unified-{group}.ndjson")
    keys = [*dict.fromkeys(seen.headers["idempotency-key"] for seen in service.seen)]
    assert sorted(mark["key"] for mark in marks(result)) == sorted(keys)
    server.failing = None
    for file in (result, Path(f"{path}.unified-not-tried.ndjson")):
        if file.exists():
            fed = unified(f"import ticketing/tags {file} --rate 0", environ=service.environ)
            assert (fed.code, fed.notes) == (0, "")
    assert sorted(body["name"] for _, body in server.effects) == [
        str(number) for number in range(LINES)
    ]


@pytest.mark.parametrize("name", ANSWERS)
def test_the_error_of_one_write_says_how_to_repeat_it(
    name: str, unified: Unified, service: Service
) -> None:
    answer, group = ANSWERS[name]
    service.reply = server = Committing(answer)
    one = unified("ticketing tags create -f name=a", environ=service.environ)
    key = service.seen[0].headers["idempotency-key"]
    assert (one.code == 10) == (group == IN_DOUBT)
    machine = unified("ticketing tags create -f name=b -o json", environ=service.environ)
    told = json.loads(machine.stderr.splitlines()[-1])["error"]
    assert told["exit"] == one.code
    assert told["idempotency_key"] == service.seen[-1].headers["idempotency-key"]
    if group == IN_DOUBT:
        assert "may or may not have been done (" in one.stderr
        assert one.stderr.endswith(f"to repeat it safely: --idempotency-key {key})\n")
        assert f"--idempotency-key {told['idempotency_key']}" in told["message"]
    server.failing = None
    assert (
        unified(
            f"ticketing tags create -f name=a --idempotency-key {key}", environ=service.environ
        ).code
        == 0
    )
    assert [body["name"] for _, body in server.effects].count("a") == 1


@pytest.mark.parametrize("status", [302, 303, 307])
def test_a_redirected_write_is_reported_as_unconfirmed(
    status: int, unified: Unified, service: Service
) -> None:
    service.reply = lambda _: Reply(status, b"", {"Location": "/there"})
    for command in ("tags create -f name=a", "tags update 1 -f name=a", "tags delete 1 -y"):
        result = unified(f"ticketing {command}", environ=service.environ)
        assert result.code == 10
        assert "not confirmed" in result.stderr
    assert len(service.seen) == 3


def test_a_limited_write_tells_its_key(unified: Unified, service: Service) -> None:
    service.reply = lambda _: Reply(429)
    result = unified(
        "ticketing tags create -f name=a --idempotency-key k-1", environ=service.environ
    )
    failed = "the service answered 429 to POST /unified/ticketing/tags: {}"
    assert (result.code, result.stderr.splitlines()[-1]) == (
        8,
        (
            f"error: {failed} (no request was allowed for over a minute; run the command again"
            " later; to repeat it safely: --idempotency-key k-1)"
        ),
    )


def test_a_corrected_line_has_another_key_and_an_uncorrected_one_the_same(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    service.reply = lambda _: Reply(422, b'{"statusCode":422,"error":"x","message":"no"}')
    path = tmp_path / "in.ndjson"
    path.write_text('{"name":"a"}\n{"name":"b"}\n')
    assert unified(f"import ticketing/tags {path} --workers 1", environ=service.environ).code == 9
    failed = path.with_name(f"{path.name}.unified-failed.ndjson")
    failed.write_text(failed.read_text().replace('"name":"a"', '"name":"A"'))
    service.reply = lambda _: Reply(201)
    assert unified(f"import ticketing/tags {failed} --workers 1", environ=service.environ).code == 0
    keys = [seen.headers["idempotency-key"] for seen in service.seen]
    assert keys[0] != keys[2]
    assert keys[1] == keys[3]


@pytest.mark.parametrize("group", [IN_DOUBT, FAILED])
def test_a_line_that_is_not_tried_keeps_the_key_it_carried(
    group: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    service.reply = server = Committing(ANSWERS["504" if group == IN_DOUBT else "422"][0])
    path = written(tmp_path)
    unified(f"import ticketing/tags {path} --workers 1 --retries 0", environ=service.environ)
    result = Path(f"{path}.unified-{group}.ndjson")
    before = marks(result)
    assert len(before) == LINES
    server.failing = Reply(401)
    assert unified(
        f"import ticketing/tags {result} --workers 1 --fail-fast", environ=service.environ
    ).code in {7, 10}
    after = [
        *marks(Path(f"{result}.unified-{group}.ndjson")),
        *marks(Path(f"{result}.unified-not-tried.ndjson")),
    ]
    assert len(after) == LINES
    for name in ("key", "request", "sent"):
        assert [mark.get(name) for mark in after] == [mark.get(name) for mark in before]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("in.ndjson", '{ "a" : 1.10, "\\u0062": [ 1 ], "a":2 }'),
        ("in.json", '[\n{\n"a": {"b": [\n1,\n2]}\n}\n]'),
        ("in.csv", 'a,b\n"x\ny",z\n'),
        ("in.ndjson", '{ "a": "\\ud83d" }'),
        ("in.ndjson", "{ }"),
    ],
)
def test_the_key_is_the_same_however_the_record_was_written(
    name: str, text: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    service.reply = lambda _: Reply(422)
    path = tmp_path / name
    path.write_text(text)
    for file in (
        path,
        f"{path}.unified-failed.ndjson",
        f"{path}.unified-failed.ndjson.unified-failed.ndjson",
    ):
        assert unified(f"import ticketing/tags {file}", environ=service.environ).code == 9
    assert len(service.seen) == 3
    assert len({seen.headers["idempotency-key"] for seen in service.seen}) == 1


def test_a_repeated_doubt_stays_in_doubt_when_it_is_rate_limited(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    service.reply = lambda _: Reply(504)
    path = written(tmp_path)
    assert unified(f"import ticketing/tags {path} --retries 0", environ=service.environ).code == 10
    service.reply = lambda _: Reply(429)
    doubts = f"{path}.unified-in-doubt.ndjson"
    assert (
        unified(
            f"import ticketing/tags {doubts} --retries 0 --workers 1", environ=service.environ
        ).code
        == 10
    )
    assert marks(Path(f"{doubts}.unified-in-doubt.ndjson"))


def test_a_doubt_that_is_fed_in_again_too_late_stays_one(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    service.reply = lambda _: Reply(504)
    path = written(tmp_path)
    begun = 1_000_000.0
    unified(
        f"import ticketing/tags {path} --retries 0", environ=service.environ, wall=lambda: begun
    )
    service.reply = lambda _: Reply(201)
    asked = len(service.seen)
    doubts = f"{path}.unified-in-doubt.ndjson"
    again = f"import ticketing/tags {doubts}"
    late = unified(again, environ=service.environ, wall=lambda: begun + 86_400)
    assert (late.code, len(service.seen)) == (10, asked)
    assert [mark["sent"] for mark in marks(Path(f"{doubts}.unified-in-doubt.ndjson"))] == [
        begun
    ] * LINES
    sent = unified(
        f"{again} --retry-in-doubt", environ=service.environ, wall=lambda: begun + 86_400
    )
    assert (sent.code, len(service.seen)) == (0, asked + LINES)


def test_the_key_of_a_line_grows_older_however_often_it_is_used(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    service.reply = lambda _: Reply(504)
    begun, sent = 1_000_000.0, []
    for hours in (0, 13, 25):
        command = f"import ticketing/tags {written(tmp_path)} --retries 0"
        assert (
            unified(command, environ=service.environ, wall=lambda at=hours: begun + at * 3600).code
            == 10
        )
        sent.append(len(service.seen))
    assert sent == [LINES, 2 * LINES, 2 * LINES]
    # So it does where the lines in doubt are fed in as a file of their own.
    doubts = tmp_path / "in.ndjson.unified-in-doubt.ndjson"
    assert [mark["sent"] for mark in marks(doubts)] == [begun] * LINES


def test_an_outward_action_in_doubt_is_not_repeated_by_its_file(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    service.reply = lambda _: Reply(500)
    path = tmp_path / "in.ndjson"
    path.write_text('{"to":[]}\n')
    command = "import emails/emails {} --operation send"
    assert unified(command.format(path), environ=service.environ).code == 10
    service.reply = lambda _: Reply(201)
    doubts = f"{path}.unified-in-doubt.ndjson"
    assert (unified(command.format(doubts), environ=service.environ).code, len(service.seen)) == (
        10,
        1,
    )
    again = unified(f"{command.format(doubts)} --retry-in-doubt", environ=service.environ)
    assert (again.code, len(service.seen)) == (0, 2)


def test_a_delete_in_doubt_that_is_fed_in_again_and_gone_is_done(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    service.reply = lambda _: Reply(502)
    path = tmp_path / "in.ndjson"
    path.write_text('{"id":"7"}\n')
    command = "import ticketing/tags {} --operation delete -y"
    assert unified(command.format(path), environ=service.environ).code == 10
    service.reply = lambda _: Reply(404)
    assert (
        unified(command.format(f"{path}.unified-in-doubt.ndjson"), environ=service.environ).code
        == 0
    )


def test_a_failed_file_of_an_older_version_is_read(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    path = tmp_path / "old.ndjson"
    path.write_text(
        '{"_import":{"line":1,"status":500,"why":"boom"},"name":"a"}\n{"_import":{"line":2,"key":"OLD"},"name":"b"}\n'
    )
    assert unified(f"import ticketing/tags {path} --workers 1", environ=service.environ).code == 0
    assert [seen.json for seen in service.seen] == [{"name": "a"}, {"name": "b"}]
    assert service.seen[1].headers["idempotency-key"] == "OLD"


def test_ten_of_many_doubts_are_printed(unified: Unified, service: Service, tmp_path: Path) -> None:
    def reply(seen: Seen) -> Reply:
        number = int(json.loads(seen.body)["user_id"].removeprefix("u-"))
        return Reply(200, b"{}") if number % 3 == 0 else Reply(500, b"{}")

    service.reply = reply
    lines = "".join(f'{{"user_id":"u-{number}"}}\n' for number in range(30))
    (tmp_path / "in.ndjson").write_text(lines)
    command = f"import user-directory/users {tmp_path}/in.ndjson --operation suspend --yes"
    result = unified(f"{command} --workers 1", environ=service.environ)
    assert result.code == 10, result.stderr
    repeats = [line for line in result.stderr.splitlines() if " --idempotency-key " in line]
    looks = [line for line in result.stderr.splitlines() if " users get u-" in line]
    assert (len(repeats), len(looks)) == (10, 10), result.stderr
    assert "to repeat all 20 calls, with their keys: unified runs resume " in result.stderr
