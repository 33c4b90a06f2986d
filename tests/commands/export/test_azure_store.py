"""Exports to Azurite, a stand-in for Azure that others have written: put-if-absent,
listing and errors are its own.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import stores
from server import Service
from stores import Container, ended, serve_lists, start, wait_for

pytestmark = [
    pytest.mark.extra,
    pytest.mark.long(nightly="needs azurite-blob of npm"),
    pytest.mark.needs("azurite-blob"),
]
pytest.importorskip("obstore", reason="needs the extra cloud")

TICKETS = "dump/acct-1/ticketing/tickets"


@pytest.fixture(scope="module")
def azure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    program = shutil.which("azurite-blob")
    assert program
    with stores.azure_server(program, tmp_path_factory.mktemp("azure") / "log") as url:
        yield url


@pytest.fixture
def container(azure: str, request: pytest.FixtureRequest) -> Container:
    return Container(azure, f"c{abs(hash(request.node.name))}")


def test_a_killed_export_has_each_record_once_in_the_end(
    service: Service, container: Container, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    killed, again = stores.kills(20, service, container, tmp_path / "home")
    with capsys.disabled():
        print(f"exports to Azure: {killed} kills, {again} pages asked twice")  # noqa: T201  what was measured
    assert killed >= 20


def test_a_list_is_verified_and_changed_bytes_are_found(
    service: Service, container: Container, tmp_path: Path
) -> None:
    serve_lists(service, pages=8)
    environ, home = {**container.environ, **service.environ}, tmp_path / "home"
    argv = ["export", "ticketing/tickets", "--to", f"{container.url}/dump"]
    code, stderr = ended(start(argv, home, environ))
    assert (code, stderr) == (
        0,
        (
            f"wrote 1 file with 80 records to {container.url}/dump,"
            " 0 already complete; 1 of 1 list done\n"
        ),
    )
    verify = ["export", "--verify", f"{container.url}/dump"]
    assert ended(start(verify, home, environ)) == (
        0,
        f"{container.url}/dump: the manifest matches 1 file; 1 of 1 list done\n",
    )
    first = container.chunks(TICKETS)[0]
    container.put(first, container.get(first).replace(b"t-1", b"t-7"))
    code, stderr = ended(start(verify, home, environ))
    assert code == 12
    assert f"{Path(first).name}: not the bytes that were written" in stderr


def test_the_second_of_two_runs_ends(
    service: Service, container: Container, tmp_path: Path
) -> None:
    serve_lists(service, pages=12, seconds=0.3)
    environ = {**container.environ, **service.environ}
    argv = ["export", "ticketing/tickets", "--to", f"{container.url}/dump", "--rate", "0"]
    first = start(argv, tmp_path / "one", environ)
    wait_for(first, lambda: container.names("dump/.lease"))
    code, stderr = ended(start(argv, tmp_path / "two", environ))
    assert code == 12
    assert (
        f"error: the export to {container.url}/dump is in use by process {first.pid} on " in stderr
    )
    assert ended(first)[0] == 0
    assert stores.lines(container.content(TICKETS)) == [f"t-{number}" for number in range(120)]


@pytest.mark.parametrize(
    ("name", "value", "code", "said"),
    [
        (
            "AZURE_STORAGE_ACCOUNT_KEY",
            "d3Jvbmc=",
            3,
            "access is denied (it takes AZURE_STORAGE_ACCOUNT_NAME and ",
        ),
        (
            "AZURE_ALLOW_HTTP",
            "",
            3,
            "error: AZURE_STORAGE_ENDPOINT is an address without TLS (AZURE_ALLOW_HTTP=true",
        ),
        ("", "nobodys", 11, "nobodys does not exist"),
    ],
)
def test_a_refusal_of_azure_is_reported(
    service: Service,
    container: Container,
    tmp_path: Path,
    name: str,
    value: str,
    code: int,
    said: str,
) -> None:
    environ = {**container.environ, **service.environ, **({name: value} if name else {})}
    to = f"{container.url}/dump" if name else f"az://{value}/dump"
    found, stderr = ended(
        start(["export", "ticketing/tickets", "--to", to], tmp_path / "home", environ)
    )
    assert (found, said in stderr) == (code, True), stderr
    assert service.seen == []
