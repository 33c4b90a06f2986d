"""Every way in which a command writes a file: the command line, and the files that it
makes.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from front_door import Result, Unified
from installed import needs_extra
from record_files import TWO, ndjson

PROFILES = f'{TWO}[profiles.acme]\nbase_url = "https://api.example.com"\naccount_id = "1"\n'
TOKEN = b"t-0123456789\n"


@dataclass(frozen=True)
class Writer:
    """A command and a pattern of what it writes, below the folder that it runs in.

    `extra` names the one that it needs, `code` is how it ends.
    """

    command: str
    writes: str
    stdin: bytes = b""
    extra: str = ""
    code: int = 0


_EXPORT = "-p old export ticketing/tags --to dump"
_DOWNLOAD = "-p old ticketing attachments download"
PACKAGES = {"parquet": "pyarrow", "delta": "deltalake", "cloud": "obstore", "report": "jinja2"}

_WRITERS = {
    "list": Writer("-p old ticketing tickets list --all -o ndjson --out o.ndjson", "o.ndjson"),
    "page": Writer("-p old ticketing tickets list --out o.json", "o.json"),
    "junit": Writer("-p old ticketing tags list --expect true --junit j.xml", "j.xml"),
    "record": Writer("-p old ticketing tags list --record r.har", "r.har"),
    "export": Writer(_EXPORT, "dump/old/ticketing/tags.ndjson"),
    "export csv": Writer(f"{_EXPORT} -o csv", "dump/old/ticketing/tags.csv"),
    "export parquet": Writer(
        f"{_EXPORT} --format parquet",
        "dump/old/ticketing/tags.parquet",
        extra="parquet",
    ),
    "export delta": Writer(
        f"{_EXPORT} --format delta",
        "dump/ticketing/tags/_delta_log/*0.json",
        extra="delta",
    ),
    "export url": Writer(
        "-p old export ticketing/tags --to file://HERE/dump", "dump/manifest*.json", extra="cloud"
    ),
    "import": Writer(
        "-p new import ticketing/tags in.ndjson --report r.ndjson",
        "in.ndjson.unified-journal",
    ),
    "import pipe": Writer(
        "-p new import ticketing/tags -",
        "data/imports/*.unified-journal",
        b'{"name":"a"}\n',
    ),
    "report": Writer("report --to r.html -p old", "r.html", extra="report"),
    "download": Writer(f"{_DOWNLOAD} -q id=attachments-1 --out f.bin", "f.bin"),
    "download folder": Writer(f"{_DOWNLOAD} -q id=attachments-1 --out d/", "d/screenshot.png"),
    "download many": Writer(f"{_DOWNLOAD} --from a.ndjson --out d/", "d/screenshot.png"),
    "profile add": Writer("profile add more --account-id 2", "config/config.toml"),
    "profile set": Writer("profile set acme tags=x", "config/config.toml"),
    "login": Writer(
        "profile login acme --token-stdin --store file",
        "config/config.toml.tokens/*",
        TOKEN,
    ),
    "completion": Writer("completion install --shell bash", "home/.local/share/**/unified"),
    "run": Writer("-p old -p new ticketing tags create -f name=x --yes", "data/runs/*.ndjson"),
    "apply": Writer("-p new apply p.plan --yes", "data/plans/*.ndjson"),
    "apply ids": Writer("-p new apply p.plan --yes --ids ids.ndjson", "ids.ndjson"),
    "bundle": Writer("doctor --bundle b.zip", "b.zip", code=3),
    "sandbox": Writer("-p new ticketing tags create -f name=x", "data/sandbox.db"),
    "cache": Writer("-p old capabilities", "cache/capabilities/*"),
}


def writers(*names: str) -> pytest.MarkDecorator:
    """The test for each of these commands, or for all of them."""
    found = {name: _WRITERS[name] for name in names} or _WRITERS
    return pytest.mark.parametrize(
        "writer",
        [
            pytest.param(
                one,
                id=name,
                marks=needs_extra(one.extra, PACKAGES[one.extra]) if one.extra else [],
            )
            for name, one in found.items()
        ],
    )


class Workshop:
    """A folder in which the commands run, with what they read."""

    def __init__(self, folder: Path, unified: Unified, config: Callable[[str], Path]) -> None:
        self.folder = folder
        self._unified = unified
        config(PROFILES)
        ndjson(folder / "in.ndjson", {"name": "a"})
        found = self("-p old ticketing attachments list --limit 3 -o ndjson")
        (folder / "a.ndjson").write_bytes(found.raw)
        side = ndjson(folder / "side.ndjson", {"id": "1", "name": "a"})
        plan = self(f"plan ticketing/tags --from {side} --to new --same-ids")
        (folder / "p.plan").write_bytes(plan.raw)
        assert json.loads(plan.stdout.splitlines()[1])["operation"] == "create"
        # The fault comes before the first file is made.
        for path in sorted((folder / "data").rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()

    def __call__(self, command: str, stdin: bytes = b"") -> Result:
        """The result of the command."""
        return self._unified(
            command.replace("HERE", str(self.folder)),
            stdin=stdin,
            environ={"HOME": str(self.folder / "home")},
            folders={kind: self.folder / kind for kind in ("config", "data", "cache")},
        )

    def run(self, writer: Writer) -> Result:
        """The result of a command that writes."""
        return self(writer.command, writer.stdin)

    def written(self, writer: Writer) -> list[Path]:
        """The files that it has written."""
        return [*self.folder.glob(writer.writes)]
