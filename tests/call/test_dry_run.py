"""Requests that are shown instead of sent: as JSON, and as a curl line that a real
shell runs.
"""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from front_door import Unified
from hypothesis import given, settings, strategies as st
from server import Service

HOSTILE = [
    "plain",
    "a b/c?d#e&f=g",
    "'; touch hacked; '",
    '"$(touch hacked)`touch hacked`$HOME"',
    "{a,b}[1-3]*~!%2e%2e\\",
    "-X",
    "@/etc/passwd",
    "grüße 漢字 🎉",
]
VISIBLE = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Cf", "Zl", "Zp"]), min_size=1
).filter(lambda text: text.strip() and text not in {".", "..", "-"} and not text.startswith("-"))
ANY = st.text(st.characters(exclude_categories=["Cs"]))


def test_a_dry_run_shows_the_request_and_looks_up_no_secret(
    unified: Unified, service: Service
) -> None:
    environ = {**service.environ, "UNIFIED_TOKEN": ""}
    argv = [
        "ticketing",
        "tickets",
        "update",
        "a/b",
        "-q",
        "x[y]=1",
        "-d",
        '{"price": 1.10}',
        "--dry-run",
    ]
    argv += ["--idempotency-key", "k-1", "--token-file", "/no/such/file"]
    result = unified(argv, environ=environ)
    assert (result.code, result.stderr, service.seen) == (0, "", [])
    url = f"{service.url}/unified/ticketing/tickets/a%2Fb?integrated_account_id=acct-1&x%5By%5D=1"
    assert (
        result.stdout
        == f'{{"method":"PATCH","url":"{url}","headers":{{"Accept":"application/json",'
        '"Content-Type":"application/json",'
        '"Idempotency-Key":"k-1","Authorization":"Bearer ***"},"body":{"price": 1.10}}\n'
    )


def test_a_dry_run_of_a_read_has_no_body(unified: Unified, service: Service) -> None:
    result = unified("ticketing tickets get 1 --dry-run", environ=service.environ)
    assert (result.code, result.json["body"], service.seen) == (0, None, [])


def test_the_sandbox_in_process_has_no_curl_line(unified: Unified) -> None:
    result = unified("-p sandbox ticketing tickets get 1 --as curl")
    assert (result.code, result.stdout) == (2, "")
    assert (
        result.stderr
        == "error: the sandbox in this process has no address for curl (unified sandbox serve gives"
        " it one)\n"
    )


def test_the_curl_line_names_the_token_and_the_authorities(
    unified: Unified, service: Service
) -> None:
    result = unified(
        "ticketing tickets get 1 --as curl --ca-bundle 'my ca.pem'", environ=service.environ
    )
    assert (result.code, result.stderr, service.seen) == (0, "", [])
    assert (
        result.stdout == "curl --fail-with-body -sS --globoff --path-as-is -X GET"
        f" '{service.url}/unified/ticketing/tickets/1?integrated_account_id=acct-1' -H"
        " \"Authorization: Bearer $UNIFIED_TOKEN\" -H 'Accept: application/json' --cacert 'my"
        " ca.pem'\n"
    )


def check_the_same(unified: Unified, service: Service, argv: list[str]) -> None:
    """Run the command and the curl line it prints, and compare what arrived."""
    service.seen.clear()
    argv = [*argv[:3], "--idempotency-key", "k-1", *argv[3:]]
    shown = unified([*argv[:3], "--as", "curl", *argv[3:]], environ=service.environ)
    assert (shown.code, shown.stderr, service.seen) == (0, "", [])
    bash = shutil.which("bash")
    assert bash
    environ = {
        "PATH": "/usr/bin:/bin",
        "UNIFIED_TOKEN": service.environ["UNIFIED_TOKEN"],
        "HOME": "/nonexistent",
    }
    ran = subprocess.run(
        [bash], input=shown.raw, env=environ, capture_output=True, check=False, timeout=30
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"{}", b"")
    assert unified(argv, environ=service.environ).code == 0
    by_curl, by_us = service.seen
    different = {"user-agent", "accept-encoding", "host"}
    assert (by_curl.method, by_curl.target, by_curl.body) == (
        by_us.method,
        by_us.target,
        by_us.body,
    )
    assert {name: value for name, value in by_curl.headers.items() if name not in different} == {
        name: value for name, value in by_us.headers.items() if name not in different
    }


@pytest.mark.needs("curl")
@pytest.mark.parametrize("text", HOSTILE)
def test_a_real_shell_sends_what_the_command_sends(
    text: str, unified: Unified, service: Service
) -> None:
    argv = [
        "ticketing",
        "tickets",
        "update",
        "-q",
        f"note[{text}]={text}",
        "-f",
        f"name={text}\n\t\x00{text}",
    ]
    check_the_same(unified, service, [*argv, "--", text])


@pytest.mark.needs("curl")
@settings(max_examples=25)
@given(VISIBLE, ANY, ANY)
def test_a_real_shell_sends_any_id_and_value(
    unified: Unified, service: Service, identifier: str, value: str, field: str
) -> None:
    body = json.dumps({"text": field}, ensure_ascii=False)
    check_the_same(
        unified,
        service,
        ["ticketing", "tags", "update", identifier, "-q", f"q={value}", "-d", body],
    )


@pytest.mark.needs("curl")
def test_a_real_shell_takes_a_body_too_long_for_a_word(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    body = tmp_path / "body.json"
    body.write_text(json.dumps({"data": "'%s\\n" * 100_000}))
    check_the_same(unified, service, ["ats", "attachments", "create", "-d", f"@{body}"])


@pytest.mark.needs("curl")
@pytest.mark.unified_sandbox(keep_ids=True)
@pytest.mark.parametrize("text", HOSTILE)
def test_a_real_shell_has_the_same_effect_in_the_sandbox(
    text: str, unified: Unified, served: dict[str, str]
) -> None:
    bash = shutil.which("bash")
    assert bash
    create = [
        "ticketing",
        "tags",
        "create",
        "--idempotency-key",
        "k-1",
        "-f",
        f"id={text}",
        "-f",
        f"name={text}",
    ]
    line = unified([*create, "--as", "curl"], environ=served).raw
    environ = {"PATH": "/usr/bin:/bin", "UNIFIED_TOKEN": served["UNIFIED_TOKEN"]}
    ran = subprocess.run(
        [bash], input=line, env=environ, capture_output=True, check=False, timeout=30
    )
    assert (ran.returncode, ran.stderr) == (0, b"")
    # The same key: the service gives the answer that it gave to curl, and does nothing
    # more.
    assert unified(create, environ=served).json == json.loads(ran.stdout)
    get = ["ticketing", "tags", "get", "--", text]
    line = unified([*get[:3], "--as", "curl", *get[3:]], environ=served).raw
    ran = subprocess.run(
        [bash], input=line, env=environ, capture_output=True, check=False, timeout=30
    )
    assert unified(get, environ=served).raw == ran.stdout + b"\n"
    assert len(unified("ticketing tags list", environ=served).json["result"]) == 1
