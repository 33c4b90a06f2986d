"""Generators, linters and a validating proxy of other people, with the document and the
served sandbox.

Each test is skipped where its tool is not on the PATH: openapi-python-client of PyPI;
openapi-typescript, typescript, openapi-fetch, @redocly/cli, @stoplight/spectral-cli and
@stoplight/prism-cli of npm, in one folder.
"""

import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from unified_cli.catalogue import Operation, load
from unified_cli.docs.openapi import document
from unified_cli.docs.openapi_schemas import operation_id
from unified_cli.sandbox.pytest_plugin import UnifiedSandbox, running
from unified_cli.sandbox.sample_requests import example

pytestmark = pytest.mark.long(nightly="needs these tools")
CATALOGUE = load()
OPERATIONS = list(CATALOGUE)


def tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not on the PATH")
    return found


def run(*command: str, folder: Path, expected: int = 0) -> str:
    environ = {**os.environ, "REDOCLY_TELEMETRY": "off", "NO_COLOR": "1"}
    done = subprocess.run(
        command, cwd=folder, env=environ, capture_output=True, text=True, timeout=600, check=False
    )
    said = done.stdout + done.stderr
    assert done.returncode == expected, said
    return said


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "openapi.json").write_text(json.dumps(document(CATALOGUE)))
    return tmp_path


@pytest.fixture(scope="module")
def sandbox() -> Iterator[UnifiedSandbox]:
    with running() as sandbox:
        yield sandbox


def call(operation: Operation, suffix: str) -> dict[str, Any]:
    shown = example(operation)
    account = f"full:{operation.command.replace(' ', '-')}-{suffix}"
    return {
        "operation": operation_id(
            operation, CATALOGUE.apis[operation.api].resources[operation.resource]
        ),
        "tag": operation.api,
        "method": operation.method,
        "route": operation.path,
        "path": {"id": shown.identity} if operation.takes_id else {},
        "query": {"integrated_account_id": account, **shown.query},
        "body": None if operation.method in ("GET", "DELETE") else dict(shown.body or {}),
    }


def test_a_generated_python_client_calls_every_operation(
    folder: Path, sandbox: UnifiedSandbox
) -> None:
    generator = tool("openapi-python-client")
    options = ["--path", "openapi.json", "--output-path", "generated", "--meta", "none"]
    said = run(generator, "generate", *options, folder=folder)
    assert said.split() == ["Generating", "generated"]
    (folder / "calls.json").write_text(json.dumps([call(one, "py") for one in OPERATIONS]))
    python = str(Path(generator).with_name("python"))
    script = str(Path(__file__).with_name("python_client.py"))
    told = json.loads(
        run(python, script, str(folder), "calls.json", sandbox.url, sandbox.token, folder=folder)
    )
    assert len(told) == len(OPERATIONS)
    for operation, (status, answer, identity) in zip(OPERATIONS, told.values(), strict=True):
        assert status == (201 if operation.name == "create" else 200), operation
        assert answer not in ("NoneType", "Error"), operation
        typed = operation.name != "download" and operation.resource not in (
            "availability",
            "utilization",
        )
        if typed and operation.command != "knowledge-base page-content export":
            assert identity == "str", operation


def test_a_generated_typescript_client_calls_every_operation(
    folder: Path, sandbox: UnifiedSandbox
) -> None:
    modules = Path(tool("openapi-typescript")).parents[1]
    compiler = tool("tsc")
    (folder / "node_modules").symlink_to(modules)
    (folder / "package.json").write_text('{"type": "module"}')
    said = run(tool("openapi-typescript"), "openapi.json", "-o", "schema.d.ts", folder=folder)
    assert "warn" not in said.lower()
    (folder / "client.ts").write_text(typescript(sandbox))
    options = ["--strict", "--target", "es2022", "--module", "nodenext", "--skipLibCheck"]
    run(compiler, "client.ts", *options, folder=folder)
    told = json.loads(run(tool("node"), "client.js", folder=folder))
    assert told == [[201 if one.name == "create" else 200, "string"] for one in OPERATIONS]


def typescript(sandbox: UnifiedSandbox) -> str:
    """A program that calls each operation, with the types that were generated."""
    lines = [
        'import createClient from "openapi-fetch";',
        'import type { paths } from "./schema.js";',
        "declare const console: { log(text: string): void };",
        f'const headers = {{ Authorization: "Bearer {sandbox.token}" }};',
        f'const client = createClient<paths>({{ baseUrl: "{sandbox.url}", headers }});',
        "const told: [number, string][] = [];",
    ]
    for operation in OPERATIONS:
        one = call(operation, "ts")
        query = {
            key: [value] if key.endswith("[]") else value for key, value in one["query"].items()
        }
        init: dict[str, Any] = {
            "params": {"query": query, **({"path": one["path"]} if one["path"] else {})}
        }
        if one["body"] is not None:
            init["body"] = one["body"]
        if operation.name == "download":
            init["parseAs"] = "text"
        sent = f"client.{one['method']}({json.dumps(one['route'])}, {json.dumps(init)})"
        lines.append(f"{{ const {{ data, response }} = await {sent};")
        lines.append(f"  if (!data) throw new Error({json.dumps(operation.command)});")
        # A type annotation: the program compiles only where the id has this type in the
        # document.
        lines.append(f"  const id: string = {_typed_id(operation)};")
        lines.append("  told.push([response.status, typeof id]); }")
    return "\n".join([*lines, "console.log(JSON.stringify(told));"])


def _typed_id(operation: Operation) -> str:
    nameless = operation.resource in ("availability", "utilization")
    if (
        operation.name == "download"
        or nameless
        or operation.command == "knowledge-base page-content export"
    ):
        return '""'
    return (
        "data.result[0].id"
        if operation.lists
        else "data.result.id"
        if operation.kind == "action"
        else "data.id"
    )


def test_redocly_finds_nothing(folder: Path) -> None:
    assert "Your API description is valid" in run(
        tool("redocly"), "lint", "openapi.json", folder=folder
    )


def test_spectral_finds_nothing(folder: Path) -> None:
    linter = tool("spectral")
    (folder / ".spectral.yaml").write_text('extends: ["spectral:oas"]\n')
    assert (
        json.loads(
            run(linter, "lint", "openapi.json", "-f", "json", "--quiet", folder=folder) or "[]"
        )
        == []
    )


def test_a_validating_proxy_finds_no_violation(folder: Path, sandbox: UnifiedSandbox) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [tool("prism"), "proxy", "openapi.json", sandbox.url, "--errors", "-p", str(port)]
    with (
        (folder / "log").open("wb") as log,
        subprocess.Popen(command, cwd=folder, stdout=log, stderr=log) as proxy,
    ):
        try:
            until = time.monotonic() + 60
            while (
                time.monotonic() < until
                and b"Prism is listening" not in (folder / "log").read_bytes()
            ):
                time.sleep(0.2)
            headers = {"Authorization": f"Bearer {sandbox.token}"}
            with httpx.Client(
                base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=60
            ) as client:
                wrong = [
                    said for one in OPERATIONS if (said := _violation(client, call(one, "prism")))
                ]
        finally:
            proxy.terminate()
    assert wrong == []


def _violation(client: httpx.Client, one: dict[str, Any]) -> str:
    path = one["route"].replace("{id}", quote(one["path"].get("id", "")))
    body = {} if one["body"] is None else {"json": one["body"]}
    answer = client.request(one["method"], path, params=one["query"], **body)
    violations = answer.headers.get("sl-violations", "")
    if answer.is_success and not violations:
        return ""
    return f"{one['operation']} {answer.status_code} {violations} {answer.text}"
