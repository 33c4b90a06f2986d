"""The command lines that `export --engine` refuses before it looks for a cluster."""

import sys
from pathlib import Path

import pytest
from front_door import Unified

from unified_cli.cli.flags import flags_of
from unified_cli.commands.export.connection_task import TaskOptions
from unified_cli.commands.export.options import ExportOptions
from unified_cli.installation import command_to_add

EXPORT = "export ticketing/tickets -p sandbox --to file://TMP/dump"
LOCAL = "--engine dask://127.0.0.1:1"


@pytest.mark.parametrize(
    "engine", ["127.0.0.1:8786", "dask://127.0.0.1", "dask://:8786", "dask://h:0", "tls://h:65536"]
)
def test_an_engine_is_an_address(engine: str, unified: Unified, tmp_path: Path) -> None:
    result = unified(f"{EXPORT} --engine {engine}".replace("TMP", str(tmp_path)))
    assert (result.code, result.stderr) == (
        2,
        "error: --engine takes dask://HOST:PORT, or tls://HOST:PORT on another machine\n",
    )


def test_the_address_that_dask_prints_gets_a_hint(unified: Unified, tmp_path: Path) -> None:
    result = unified(f"{EXPORT} --engine tcp://127.0.0.1:8786".replace("TMP", str(tmp_path)))
    assert (result.code, result.stderr) == (
        2,
        (
            "error: --engine takes dask://HOST:PORT, or tls://HOST:PORT on another machine"
            " (dask://127.0.0.1:8786)\n"
        ),
    )


@pytest.mark.parametrize("host", ["example.com", "10.0.0.1", "[2001:db8::1]"])
def test_clear_text_to_another_machine_is_refused(
    host: str, unified: Unified, tmp_path: Path
) -> None:
    result = unified(f"{EXPORT} --engine dask://{host}:8786".replace("TMP", str(tmp_path)))
    assert (result.code, result.stderr) == (
        13,
        f"error: the scheduler at {host} would be reached in clear text (use tls://{host}:8786)\n",
    )


def test_without_the_extra_it_says_how_to_install_it(
    unified: Unified, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = unified(f"{EXPORT} {LOCAL}".replace("TMP", str(tmp_path)))
    assert (result.code, result.stderr) == (
        3,
        (
            "error: --engine needs the packages dask and obstore"
            f" ({command_to_add('dask[distributed]', 'obstore')})\n"
        ),
    )


@pytest.mark.extra
@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "export ticketing/tickets -p sandbox --to dump",
            "an engine only writes to an object store or a shared disk",
        ),
        (f"{EXPORT} --restart", "--restart cannot be used with tasks"),
        (f"{EXPORT} --shard 1/2", "--shard cannot be used with tasks"),
        (f"{EXPORT} --ca-bundle x", "--ca-bundle only works on this machine"),
        (f"{EXPORT} --token-file x", "--token-file only works on this machine"),
        (f"{EXPORT} --token-stdin", "--token-stdin only works on this machine"),
        (f"{EXPORT} --record TMP/x.har", "--record only works on this machine"),
    ],
)
def test_options_that_cannot_hold_elsewhere_are_refused(
    line: str, said: str, unified: Unified, tmp_path: Path
) -> None:
    pytest.importorskip("distributed", reason="needs the extra dask")
    result = unified(f"{line.replace('TMP', str(tmp_path))} {LOCAL}")
    assert (result.code, result.stderr.startswith(f"error: {said}")) == (2, True)


def test_an_option_of_export_is_part_of_a_task_or_of_a_machine() -> None:
    of_a_machine = (
        "token_file token_stdin ca_bundle record replay verbose quiet no_input color pretty"
        " json_errors no_pager"
    )
    other_work = "profile to shard verify tasks task engine restart dry_run wait_timeout strict"
    known = {*TaskOptions.__struct_fields__, *of_a_machine.split(), *other_work.split()}
    assert {flag.name for flag in flags_of(ExportOptions)} == known
