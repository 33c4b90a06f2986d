"""Writes down what commands print off a terminal, with the version of the program that
Python finds.

`PYTHONPATH=FOLDER python tests/recorded/recorder.py` has the version in that folder
replace the files of `printed`. `test_recorded.py` compares what today's version prints
with them, byte for byte.
"""

import io
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from unified_cli.main import main
from unified_cli.runtime import Runtime
from unified_cli.stderr import Stderr

PRINTED = Path(__file__).with_name("printed")
NOW = 1_790_000_000.0
CONFIG = """\
rate = 0

[profiles.full]
base_url = "sandbox:"
account_id = "full"
tags = ["both"]

[profiles.empty]
base_url = "sandbox:"
account_id = "empty"
tags = ["both"]

[profiles.fenced]
base_url = "sandbox:"
account_id = "directory"
read_only = true

[profiles.shut]
base_url = "sandbox:"
account_id = "blocked"

[profiles.expired]
base_url = "sandbox:"
account_id = "needs-reauth"

[profiles.broken]
account_id = "full"
base_url = "not a URL"

[profiles.real]
base_url = "https://api.example.com"
account_id = "62f44730-dd91-461e-bd6a-aedd9e0ad79d"
token_command = ["sh", "-c", "echo a-token-of-nobody"]
"""
CONTACTS = (
    '{"name":"Ada","emails":[{"email":"ada@example.com"}]}\n{"name":"Grace"}\n{"name":["no'
    ' text"]}\n'
)
ONE = (
    '{"id":"1","name":"one","n":1.10}\n{"id":"2","name":"two"}\n{"name":"no'
    ' id"}\n{"id":"4","tags":["a","b"]}\n'
)
OTHER = '{"id":"1","name":"eins","n":1.1}\n{"id":"3","name":"three"}\n{"id":"4","tags":["b","a"]}\n'
FILES = {"contacts.ndjson": CONTACTS, "one.ndjson": ONE, "other.ndjson": OTHER}

COMMANDS = """\
operations suspend user
operations suspend user -o json
operations tickets update --source -o table
profile list
profile list -o json
profile show full
profile show full -o json
profile show full --explain
profile show full --explain -o json
profile path
profile test full empty
profile test full empty -o json
doctor full fenced
doctor full fenced -o json
doctor -o json
-p sandbox connections list
-p sandbox connections list -o json
-p sandbox connections list --health --where '.product == "deskly"'
-p sandbox connections list --health --where '.product == "deskly"' -o json
-p sandbox connections list --health --where '.product == "deskly"' -o table
profile list full expired
doctor full expired
-p sandbox connections add --prefix demo- --where '.product == "codebarn"' --dry-run
-p full capabilities ticketing/tickets user-directory/users
-p full capabilities ticketing/tickets user-directory/users -o json
-p sandbox capabilities ticketing/tickets -a blocked -o json
-p sandbox capabilities ticketing/tickets -a needs-reauth -o ndjson
-p sandbox capabilities ticketing/tickets -a read-only -o csv
-p full -p empty -p fenced capabilities ticketing/tickets user-directory/users -o json
-p full -p empty -p fenced capabilities ticketing/tickets user-directory/users -o junit
-p full -p empty -p fenced capabilities ticketing/tickets user-directory/users -o table
-p full -p empty -p fenced capabilities ticketing/tickets user-directory/users --probe
-p full -p shut -p expired -p fenced capabilities ticketing/tickets -o table
-p full -p shut -p expired -p fenced capabilities ticketing/tickets
-p sandbox capabilities --product deskly ticketing/tickets -o json
-p full schema ticketing/tickets
-p full schema ticketing/tickets -o json > tickets.schema.json
-p full schema ticketing/tickets -o table
-p sandbox -a remapped schema ticketing/tickets --against tickets.schema.json
-p sandbox -a remapped schema ticketing/tickets --against tickets.schema.json -o json
diff ticketing/tags --from one.ndjson --to other.ndjson
diff ticketing/tags --from one.ndjson --to other.ndjson -o json
diff ticketing/tags --from one.ndjson --to other.ndjson -o table
diff ticketing/tags --from full --to full
plan ticketing/tags --from other.ndjson --to empty --same-ids > tags.plan
apply tags.plan -p empty --dry-run
apply tags.plan -p empty --workers 1 --yes
apply tags.plan -p empty --workers 1 --yes -o json
-p full export ticketing/tags ticketing/contacts --to dump --dry-run
-p full export ticketing/tags ticketing/contacts --to dump
-p empty import ticketing/contacts contacts.ndjson
-p empty import ticketing/contacts contacts.ndjson --restart --dry-run
-p full -p empty ticketing tags list --limit 2 --ordered
-p full -p empty ticketing tags list --limit 2 --ordered -o table
-p full -p empty ticketing tags create -f name=new --workers 1 --yes
-p full -p empty ticketing tags create -f name=new --workers 1 --yes -o json
-p full -p empty ticketing tags create -f name=new --workers 1 --yes -o table
-p full -p empty ticketing tags create -f name=new --dry-run
-p full -p empty ticketing tags create -f name=new --as curl
runs list
runs list -o json
runs show {run}
runs show {run} -o json
runs show {run} -o table
runs resume {run}
runs retry {run} -o json
runs remove {run}
request GET /unified/ticketing/tags -p full -q limit=1
sandbox status
sandbox status -o json
mcp config -p sandbox
"""

# Values that are random, measured, of this machine or of this version: ids of runs,
# keys, how long an answer took, programs, the digest of a plan that names its version.
# Times are those of a clock that advances by a minute with each command.
_NEW = re.compile(
    r"(?P<run>\b20\d{6}-[0-9a-f]{4}\b)"
    r"|(?P<key>\b[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b)"
    r"|(?P<program>/[^\n\"]*/(?:unified|python[\d.]*)(?=\"))"
    r"|(?P<version>(?<=unified-api-cli/)\d+\.\d+\.\d+)|(?P<digest>\b[0-9a-f]{64}(?=\.ndjson))"
    r"|(?P<machine>installed by [^\t\n\"]+)|(?P<packages>\btyper \d[^\t\n\"]+)"
    r"|(?P<release>(?<=\bunified )\d+\.\d+\.\d+)"
    r"|(?P<took>\b\d+(?= ms\b)|(?<=\"milliseconds\":)\d+|(?<= time=\")\d+\.\d+)"
)


class Printed(NamedTuple):
    """A command, and what it left: its exit code and stdout, without what differs from
    run to run.
    """

    command: str
    text: str

    @property
    def file(self) -> Path:
        """Where it is written down."""
        return PRINTED / (re.sub(r"[^\w.]+", "_", self.command).strip("_") + ".txt")


def printed(folder: Path) -> Iterator[Printed]:
    """The output of the commands one after the other, in a new folder."""
    for name, text in FILES.items():
        (folder / name).write_text(text)
    (folder / "config").mkdir(mode=0o700)
    config = folder / "config" / "config.toml"
    config.write_text(CONFIG)
    config.chmod(0o600)
    run = ""
    for number, line in enumerate(COMMANDS.splitlines()):
        command, _, target = line.replace("{run}", run).partition(" > ")
        code, stdout, stderr = _run(shlex.split(command), folder, NOW + 60 * number)
        if target:
            (folder / target).write_text(stdout)
        run = (re.findall(r"^run (\S+)$", stderr, re.MULTILINE) or [run])[-1]
        same = _NEW.sub(
            lambda match: (match.lastgroup or "").upper(), stdout.replace(str(folder), "FOLDER")
        )
        yield Printed(line, f"{code}\n{same}")


def _run(argv: list[str], folder: Path, now: float) -> tuple[int, str, str]:
    stdout, stderr = io.BytesIO(), io.BytesIO()
    runtime = Runtime(
        stdin=io.BytesIO(),
        stdout=stdout,
        stderr=Stderr(stderr),
        environ={},
        folders={"config": folder / "config", "data": folder / "data", "cache": folder / "cache"},
        wall=lambda: now,
        sleep=lambda _: None,
    )
    code = main(argv, runtime)
    return code, stdout.getvalue().decode(), stderr.getvalue().decode()


if __name__ == "__main__":
    import os

    with TemporaryDirectory() as home:
        os.chdir(home)
        PRINTED.mkdir(exist_ok=True)
        for old in PRINTED.iterdir():
            old.unlink()
        for one in printed(Path(home)):
            one.file.write_bytes(one.text.encode())
