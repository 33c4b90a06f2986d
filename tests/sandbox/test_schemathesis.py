"""Schemathesis against the served sandbox, with requests of every kind, right and
wrong.
"""

from typing import Any

import pytest
from campaigns import dice, size
from hypothesis import HealthCheck, Phase, given, settings

from unified_cli.catalogue import Catalogue, Operation
from unified_cli.catalogue.known import KnownField, known
from unified_cli.sandbox.pytest_plugin import running

EXAMPLES = 5


def schema_of(field: KnownField) -> dict[str, Any]:
    return {"type": field.type} | ({"enum": list(field.values)} if field.values else {})


def described(operation: Operation) -> dict[str, Any]:
    facts = known(operation.api, operation.resource)
    asked = [
        (
            "query",
            "integrated_account_id",
            True,
            {"type": "string", "enum": ["full", "full:b", "tiny-pages"]},
        )
    ]
    asked += [
        ("query", field.name, False, schema_of(field))
        for field in facts.query.get(operation.name, ())
    ]
    if operation.takes_id:
        ids = {"type": "string", "minLength": 1, "pattern": "^[^.]"}
        asked.append(("path", "id", True, {"anyOf": [{"enum": [f"{operation.resource}-1"]}, ids]}))
    if operation.lists:
        asked += [
            ("query", "limit", False, {"type": "integer"}),
            ("query", "next_cursor", False, {"type": "string"}),
        ]
    told: dict[str, Any] = {
        "operationId": operation.command,
        "responses": {"default": {"description": "whatever it says"}},
        "parameters": [
            {"in": place, "name": name, "required": needed, "schema": schema}
            for place, name, needed, schema in asked
        ],
    }
    if operation.takes_body:
        fields = facts.body.get(operation.name) or facts.fields
        body = {"type": "object", "properties": {field.name: schema_of(field) for field in fields}}
        told["requestBody"] = {"content": {"application/json": {"schema": body}}}
    return told


@pytest.mark.extra
@pytest.mark.long(seconds=12)
def test_no_request_makes_the_sandbox_fail(catalogue: Catalogue) -> None:
    schemathesis = pytest.importorskip("schemathesis", reason="needs the extra test-all")

    paths: dict[str, Any] = {}
    step = size(1, 8)
    operations = [*catalogue][dice("operations").randrange(step) :: step]
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = described(operation)
    schema = schemathesis.openapi.from_dict({
        "openapi": "3.1.0", "info": {"title": "unified", "version": "1"}, "paths": paths,
    })  # fmt: skip
    failed: list[str] = []
    tried = 0
    with running() as sandbox:

        def check(operation: Any, mode: Any) -> None:
            @given(case=operation.as_strategy(generation_mode=mode))
            @settings(
                max_examples=EXAMPLES,
                database=None,
                derandomize=True,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            def one(case: Any) -> None:
                nonlocal tried
                tried += 1
                headers = {"Authorization": f"Bearer {sandbox.token}"}
                answer = case.call(base_url=sandbox.url, headers=headers)
                if answer.status_code >= 500:
                    failed.append(f"{answer.status_code} {case.as_curl_command()}")

            one()

        for result in schema.get_all_operations():
            operation = result.ok()
            check(operation, schemathesis.GenerationMode.POSITIVE)
            check(operation, schemathesis.GenerationMode.NEGATIVE)
    assert failed == []
    assert tried > EXAMPLES * len(operations)
