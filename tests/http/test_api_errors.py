"""The details of a refusal are shown: the fields and their problems, the provider's
words, the request id.
"""

import json
from typing import Any

import pytest
from front_door import Unified
from server import Reply, Service

CREATE = "ticketing contacts create -f name=x"
HEAD = "error: the service answered 422 to POST /unified/ticketing/contacts: "
JSON = {"Content-Type": "application/json"}


def refusal(status: int = 422, **members: Any) -> Reply:
    return Reply(
        status,
        json.dumps({"statusCode": status, **members}).encode(),
        {**JSON, "X-Request-Id": "req-7"},
    )


@pytest.mark.parametrize(
    ("members", "said"),
    [
        (
            {"message": "Validation failed", "errors": ["name is taken"]},
            "Validation failed\n  name is taken\n",
        ),
        (
            {
                "message": "Validation failed",
                "errors": [
                    {"field": "name", "message": "is taken"},
                    {"path": ["phones", 0], "msg": "is no number"},
                    {"property": "email", "message": ["is empty", "is no address"]},
                    {"pointer": "/tags", "detail": "are too many"},
                    {"odd": 1.5},
                ],
            },
            (
                "Validation failed\n"
                "  name: is taken\n"
                "  phones.0: is no number\n"
                "  email: is empty, is no address\n"
                "  /tags: are too many\n"
                '  {"odd":1.5}\n'
            ),
        ),
        (
            {
                "error": "Unprocessable",
                "errors": {"name": ["is taken", "is short"], "age": "is no number"},
            },
            "Unprocessable\n  name: is taken\n  name: is short\n  age: is no number\n",
        ),
        (
            {"error": "Bad", "message": ["name is taken", "age is odd"]},
            "Bad\n  name is taken\n  age is odd\n",
        ),
        ({"error": {"message": "no", "errors": [{"message": "really"}]}}, "no\n  really\n"),
        (
            {"title": "Invalid", "invalid-params": [{"name": "age", "reason": "is odd"}]},
            "Invalid\n  age: is odd\n",
        ),
        ({"message": "no", "details": [{"field": "age", "code": "odd"}]}, "no\n  age: odd\n"),
        (
            {
                "error": "x",
                "message": "Bad request",
                "remote": {"error": {"message": "Title needed"}},
            },
            "Bad request\n  the provider's answer: Title needed\n",
        ),
        (
            {
                "error": "x",
                "message": "Bad request",
                "raw_response": '{"errors":[{"field":"t","message":"is odd"}]}',
            },
            "Bad request\n  the provider's answer: t: is odd\n",
        ),
        (
            {
                "error": "x",
                "message": "",
                "raw_response": {"message": "no", "errors": {"t": "is odd"}},
            },
            "no\n  t: is odd\n",
        ),
    ],
)
def test_a_refusal_shows_the_problem(
    members: dict[str, Any], said: str, unified: Unified, service: Service
) -> None:
    service.reply = lambda _: refusal(**members)
    result = unified(CREATE, environ=service.environ)
    assert (result.stdout, result.stderr, result.code) == (
        "",
        f"{HEAD}{said}  request id: req-7\n",
        4,
    )


PRODUCTS = {
    "Freshdesk": (
        {
            "description": "Validation failed",
            "errors": [{"field": "age", "message": "is odd", "code": "datatype_mismatch"}],
        },
        "Validation failed\n  age: is odd\n",
    ),
    "Jira": (
        {"errorMessages": ["No such issue."], "errors": {"summary": "is required."}},
        "No such issue.\n  summary: is required.\n",
    ),
    "Jira, a field": (
        {"errorMessages": [], "errors": {"summary": "is required."}},
        "summary: is required.\n",
    ),
    "FastAPI": (
        {"detail": [{"loc": ["body", "age"], "msg": "is odd", "type": "type_error"}]},
        "body.age: is odd\n",
    ),
    "Apigee": (
        {"fault": {"faultstring": "Quota violated", "detail": {"errorcode": "policies.Quota"}}},
        "Quota violated\n",
    ),
    "Zendesk": ({"error": "RecordInvalid", "description": "No"}, "No\n"),
}


@pytest.mark.parametrize("product", PRODUCTS)
def test_the_products_message_is_in_the_sentence(
    product: str, unified: Unified, service: Service
) -> None:
    body, said = PRODUCTS[product]
    service.reply = lambda _: Reply(422, json.dumps(body).encode(), JSON)
    assert unified(CREATE, environ=service.environ).stderr == f"{HEAD}{said}"
    # The service hands it on as the provider's answer.
    service.reply = lambda _: refusal(error="Bad", message="", raw_response=body)
    result = unified(CREATE, environ=service.environ)
    assert result.stderr == f"{HEAD}{said}  request id: req-7\n"


def test_ten_problems_are_shown_and_the_others_counted(unified: Unified, service: Service) -> None:
    service.reply = lambda _: refusal(message="no", errors=[f"field {n} is bad" for n in range(13)])
    lines = unified(CREATE, environ=service.environ).stderr.splitlines()
    assert lines[0] == f"{HEAD}no"
    assert lines[1:] == [
        *(f"  field {n} is bad" for n in range(10)),
        "  and 3 more",
        "  request id: req-7",
    ]


def test_programs_get_the_whole_body_without_the_token(unified: Unified, service: Service) -> None:
    errors = [{"field": f"f{n}", "message": "is bad"} for n in range(12)]
    service.reply = lambda _: refusal(message="no: t-0123456789", errors=errors, size=1.5)
    result = unified(f"{CREATE} -o json", environ=service.environ)
    error = json.loads(result.stderr)["error"]
    assert (error["details"][-1], error["request_id"]) == ("and 2 more", "req-7")
    assert error["body"] == {"statusCode": 422, "message": "no: ***", "errors": errors, "size": 1.5}


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (b"<b>no</b>", "<b>no</b>"),
        (b'{"a":1e999,"b":NaN', '{"a":1e999,"b":NaN'),
        (b'{"a":1e999}', '{"a":1e999}'),
        (b'"x"', '"x"'),
        (
            b'{"a":"' + b"x" * 70_000 + b'"}',
            '{"a":"' + "x" * (65_536 - 6) + "… (4472 more characters)",
        ),
    ],
)
def test_a_body_that_is_odd_is_text_and_bounded(
    body: bytes, shown: object, unified: Unified, service: Service
) -> None:
    service.reply = lambda _: Reply(400, body, JSON)
    result = unified(f"{CREATE} -o json", environ=service.environ)
    assert json.loads(result.stderr)["error"]["body"] == shown


def test_a_refused_line_of_many_says_why(unified: Unified, service: Service) -> None:
    service.reply = lambda _: refusal(message="no", errors={"name": "is taken"})
    result = unified("ticketing contacts update - -f name=x", environ=service.environ, stdin=b"7\n")
    assert result.stderr.startswith(
        "line 1: the service answered 422 to PATCH /unified/ticketing/contacts/7: "
        "no; name: is taken; request id: req-7; its key was "
    )
    assert result.code == 9


def test_a_base_url_that_holds_the_beginning_of_the_paths_is_named(
    unified: Unified, service: Service
) -> None:
    service.reply = lambda _: Reply(404, b"no such page", {"Content-Type": "text/plain"})
    environ = {**service.environ, "UNIFIED_BASE_URL": f"{service.url}/unified/"}
    for command in (
        "ticketing tickets list",
        "ticketing tickets get 1",
        "request GET /unified/ticketing/tickets",
    ):
        result = unified(command, environ=environ)
        said = "(the base URL must not end with /unified, because each path begins with it)\n"
        assert (result.code, result.stderr.endswith(said)) == (4, True), result.stderr
    assert "the base URL" not in unified("ticketing tickets list", environ=service.environ).stderr
