"""The catalogue for programs: a table with a schema, and OpenAPI that tools of others
understand.
"""

import json
import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest
from front_door import Unified
from jsonschema import Draft202012Validator

from unified_cli.catalogue import load
from unified_cli.docs import openapi

CATALOGUE = load()


def test_operations_as_json_fit_the_committed_schema(unified: Unified) -> None:
    schema = json.loads(
        files("unified_cli.commands").joinpath("operations.schema.json").read_text("utf-8")
    )
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    for command in (
        "operations -o json",
        "operations -o json --source",
        "operations nothing-at-all -o json",
    ):
        assert [*validator.iter_errors(unified(command).json)] == []
    assert len(unified("operations -o json").json["operations"]) == len(list(CATALOGUE))
    assert [*validator.iter_errors({"version": 2, "operations": []})] != []


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("list tickets", "ticketing tickets list"),
        ("tickets", "ticketing tickets list"),
        ("ticket types", "ticketing ticket_types list"),
        ("page content", "knowledge-base page-content list"),
        ("list", "ticketing accounts list"),
    ],
)
def test_whole_words_of_the_resource_come_first(words: str, first: str, unified: Unified) -> None:
    assert unified(f"operations {words}").stdout.split("\t")[0] == first
    assert (
        unified(f"operations {words} -o json").json["operations"][0]["command"]
        == f"unified {first}"
    )


def test_openapi_holds_every_operation(unified: Unified) -> None:
    document = unified("operations --openapi").json
    # tests/docs/test_openapi_answers.py shows that this one is valid.
    assert document == json.loads(json.dumps(openapi.document(CATALOGUE)))
    found = {(method.upper(), path) for path, item in document["paths"].items() for method in item}
    beside = {(method, path) for method, path in found if not path.startswith("/unified/")}
    # An update is also a request at the path of its resource.
    by_body = {
        ("PATCH", one.path.removesuffix("/{id}")) for one in CATALOGUE if one.name == "update"
    }
    assert found - beside == {(one.method, one.path) for one in CATALOGUE} | by_body
    assert {path.split("/")[1] for _, path in beside} == {
        "integrated-account",
        "integration",
        "link-token",
        "log",
        "proxy",
    }
    ids = [one["operationId"] for item in document["paths"].values() for one in item.values()]
    assert len(set(ids)) == len(ids)
    (account,) = (
        one["schema"]
        for one in document["components"]["parameters"].values()
        if one["name"] == "integrated_account_id"
    )
    assert account == {"type": "string", "minLength": 1}
    connection = {"$ref": "#/components/parameters/IntegratedAccountId"}
    for path, item in document["paths"].items():
        assert all(connection in one["parameters"] for one in item.values()) == (
            path.startswith(("/unified/", "/proxy/"))
        )


def test_openapi_is_of_the_whole_catalogue(unified: Unified) -> None:
    result = unified("operations tickets --openapi")
    said = "--openapi prints the whole catalogue (leave out the words and --source)"
    assert (result.stdout, result.stderr, result.code) == ("", f"error: {said}\n", 2)


@pytest.mark.extra
@pytest.mark.parametrize(
    "path", ["/unified/ticketing/", pytest.param("/", marks=pytest.mark.long(seconds=10))]
)
def test_a_tool_of_others_talks_to_the_sandbox_by_that_document(
    path: str, unified: Unified, tmp_path: Path
) -> None:
    tool = Path(sys.executable).with_name("st")
    if not tool.exists():
        pytest.skip("needs the extra test-all")
    (tmp_path / "openapi.json").write_bytes(unified("operations --openapi").raw)
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONUTF8": "1"}
    serve = [
        sys.executable,
        "-m",
        "unified_cli",
        "sandbox",
        "serve",
        "--port",
        "0",
        "--state",
        ":memory:",
    ]
    with subprocess.Popen(
        serve, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environ
    ) as sandbox:
        assert sandbox.stdout
        lines = [sandbox.stdout.readline().strip().removeprefix("export ") for _ in range(3)]
        told = dict(line.split("=", 1) for line in lines)
        (tmp_path / "schemathesis.toml").write_text(
            f'headers = {{ Authorization = "Bearer {told["UNIFIED_TOKEN"]}" }}\n'
            f'[parameters]\nintegrated_account_id = "{told["UNIFIED_ACCOUNT_ID"]}"\n'
        )
        command = [
            str(tool),
            "run",
            "openapi.json",
            "--url",
            told["UNIFIED_BASE_URL"],
            "--phases",
            "fuzzing",
        ]
        command += ["--include-path-regex", f"^{path}"]
        command += ["-n", "1", "--mode", "positive", "--generation-deterministic", "--no-color"]
        command += [
            "--checks",
            "not_a_server_error,response_schema_conformance,content_type_conformance",
        ]
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env=environ,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        sandbox.terminate()
    paths = json.loads((tmp_path / "openapi.json").read_bytes())["paths"]
    count = sum(len(item) for name, item in paths.items() if name.startswith(path))
    assert count > 50
    assert f"Tested: {count}" in done.stdout, done.stdout
    assert f"{count} generated, {count} passed" in done.stdout, done.stdout
    assert done.returncode == 0
