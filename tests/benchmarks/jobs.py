"""The jobs and their goals: what each program has to do, and how our time may compare
with the others'.
"""

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from measure import Command
from page_server import RECORDS
from programs import ROOT

_TOKEN = "t-0123456789"
_PAGES = 1000
_LOOPED = 50
_LATENCY = 20


@dataclass(frozen=True)
class Job:
    """One job; ours is the first command. `goals` are the largest ratios to another
    command, by its name.

    `floor` is how many seconds the job is set against, which is mostly what the network
    alone takes; `at_most` is the largest ratio to it.
    """

    name: str
    commands: Sequence[Command]
    goals: Mapping[str, float] = field(default_factory=dict)
    floor: float | None = None
    at_most: float | None = None
    mib: float | None = None
    """The most memory that ours may take."""


@dataclass(frozen=True)
class Place:
    """Where everything is: our programs, the peers by name, the service's URLs, an
    empty home.
    """

    programs: Path
    peers: Mapping[str, str]
    http: str
    https: str
    authority: str
    home: Path

    def ours(
        self, name: str, words: str, *, connection: str = "pages-1-0", secure: bool = False
    ) -> Command:
        """A run of `unified`."""
        environ = {
            "HOME": str(self.home),
            "UNIFIED_BASE_URL": self.https if secure else self.http,
            "UNIFIED_TOKEN": _TOKEN,
            "UNIFIED_ACCOUNT_ID": connection,
            "UNIFIED_RATE": "0",
            **({"UNIFIED_CA_BUNDLE": self.authority} if secure else {}),
        }
        return Command(name, [str(self.programs / "unified"), *words.split()], environ)

    def fan_out(self, connections: int, pages: int, wait: int, *, workers: int = 8) -> Command:
        """A run of `unified` over all pages of that many connections."""
        config = self.home / f"config-{connections}-{pages}-{wait}.toml"
        profiles = (
            f'[profiles.c-{number}]\naccount_id = "pages-{pages}-{wait}"\n'
            for number in range(connections)
        )
        config.write_text(f'base_url = "{self.http}"\n' + "".join(profiles))
        config.chmod(0o600)
        command = self.ours(
            "unified", f"-p c-* ticketing tickets list --all -o ndjson --workers {workers}"
        )
        environ = {**command.environ, "UNIFIED_CONFIG": str(config)}
        del environ["UNIFIED_ACCOUNT_ID"]
        return replace(command, environ=environ, holds=has_records(connections * pages))

    def creates(self, number: int, wait: int, *, workers: int = 32) -> Command:
        """A run of `unified` that creates that many contacts."""
        file = self.home / f"contacts-{number}.ndjson"
        names = (f'{{"first_name": "Ada", "last_name": "No. {one}"}}\n' for one in range(number))
        file.write_text("".join(names))
        words = f"import ticketing/contacts {file} --workers {workers} --restart --yes"
        return self.ours("unified", words, connection=f"pages-1-{wait}")

    def python(self, code: str) -> Command:
        """A run of our interpreter."""
        return Command(f"python -c {code!r}", [str(self.programs / "python"), "-c", code])

    def url(self, connection: str, *, secure: bool = False) -> str:
        """The URL of a list that the connection holds."""
        origin = self.https if secure else self.http
        return f"{origin}/unified/ticketing/tickets?integrated_account_id={connection}"


def all_jobs(place: Place) -> Iterator[Job]:
    """Every job that can be done here."""
    yield _version(place)
    yield from _help(place)
    yield _one_call(place, secure=True)
    yield _pages(place)
    yield _far_pages(place)
    yield _chains(place)
    yield _import(place)
    yield from _completion()


def _peers(place: Place, *commands: Command) -> list[Command]:
    """Those of the commands whose program is there, with its path filled in."""
    return [
        Command(
            one.name, [place.peers[one.argv[0]], *one.argv[1:]], one.environ, one.holds, one.times
        )
        for one in commands
        if one.argv[0] in place.peers
    ]


def _version(place: Place) -> Job:
    others = _peers(
        place, *(Command(name, [name, "--version"]) for name in ("gh", "linode-cli", "aws", "http"))
    )
    bare = place.python("pass")
    goals = {bare.name: 1.3, "linode-cli": 0.1, "aws": 0.1, "http": 0.1}
    return Job("`--version`", [place.ours("unified", "--version"), bare, *others], goals)


def _help(place: Place) -> Iterator[Job]:
    typer = place.python("import typer")
    others = _peers(
        place,
        Command("gh", ["gh", "pr", "list", "--help"]),
        Command(
            "linode-cli", ["linode-cli", "linodes", "list", "--help"], {"LINODE_CLI_TOKEN": _TOKEN}
        ),
        Command("http", ["http", "--help"]),
    )
    goals = {typer.name: 1.4, "linode-cli": 0.4, "http": 0.4}
    for name, words in (
        ("`--help` on a pipe", "--help"),
        ("`… list --help` on a pipe", "ticketing tickets list --help"),
    ):
        yield Job(name, [place.ours("unified", words), typer, *others], goals)


def _one_call(place: Place, *, secure: bool) -> Job:
    url = place.url("pages-1-0", secure=secure)
    everyone = str(place.home / "authorities.pem")
    origin = place.https if secure else place.http
    token = f"Authorization: Bearer {_TOKEN}"
    linode = {
        "LINODE_CLI_TOKEN": _TOKEN,
        "LINODE_CLI_API_HOST": origin.partition("//")[2],
        "LINODE_CLI_API_SCHEME": origin.partition(":")[0],
        "LINODE_CLI_CA": everyone,
        "LINODE_CLI_SUPPRESS_VERSION_WARNING": "1",
        "HOME": str(place.home),
    }
    aws = {
        "AWS_ACCESS_KEY_ID": "k",
        "AWS_SECRET_ACCESS_KEY": "s",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    others = _peers(
        place,
        Command("curl", ["curl", "-sS", "--cacert", everyone, "-H", token, url], holds=_is_page),
        Command(
            "gh", ["gh", "api", url], {"GH_TOKEN": _TOKEN, "SSL_CERT_FILE": everyone}, _is_page
        ),
        Command(
            "http", ["http", "--ignore-stdin", "--verify", everyone, url, token], holds=_is_page
        ),
        Command("linode-cli", ["linode-cli", "linodes", "list", "--json"], linode, _is_list),
        Command(
            "aws",
            ["aws", "s3api", "list-buckets", "--endpoint-url", origin, "--ca-bundle", everyone],
            aws,
        ),
    )
    ours = place.ours("unified", "ticketing tickets list", secure=secure)
    # The least that a program of Typer and httpx does for the same call.
    script = Path(__file__).with_name("one_call.py")
    argv = [str(place.programs / "python"), str(script), url]
    environ = {"UNIFIED_TOKEN": _TOKEN, "UNIFIED_CA_BUNDLE": place.authority}
    bare = Command("script of Typer and httpx", argv, environ, _is_page)
    goals = {bare.name: 1.0, "gh": 2.2, "http": 0.6, "linode-cli": 0.6, "aws": 0.6}
    return Job(
        "one HTTPS call, 100 records", [replace(ours, holds=_is_page), bare, *others], goals, mib=45
    )


def _pages(place: Place) -> Job:
    connection = f"pages-{_PAGES}-0"
    ours = place.ours("unified", "ticketing tickets list --all -o ndjson", connection=connection)
    gh = Command("gh", ["gh", "api", "--paginate", place.url(connection)], {"GH_TOKEN": _TOKEN})
    commands = [replace(ours, holds=has_records(_PAGES)), *_peers(place, gh)]
    if {"curl", "jq"} <= place.peers.keys():
        loop = _LOOP.format(url=place.url(f"pages-{_LOOPED}-0"), **place.peers)
        proof = has_records(_LOOPED)
        commands.append(
            Command("curl + jq", ["/bin/sh", "-c", loop], holds=proof, times=_PAGES // _LOOPED)
        )
    return Job(f"{_PAGES:,} pages to NDJSON", commands, {"gh": 0.6, "curl + jq": 0.02}, mib=45)


_LOOP = """
url='{url}'; next=$url
while :; do
  page=$({curl} -sS "$next"); printf '%s\\n' "$page" | {jq} -c '.result[]'
  cursor=$(printf '%s\\n' "$page" | {jq} -r '.next_cursor // empty')
  [ -n "$cursor" ] || break; next="$url&next_cursor=$cursor"
done
"""


def _far_pages(place: Place) -> Job:
    pages = 200
    connection = f"pages-{pages}-{_LATENCY}"
    ours = place.ours("unified", "ticketing tickets list --all -o ndjson", connection=connection)
    # Of a page, what no client can do without: the way there and back, and the socket.
    argv = [
        str(place.programs / "python"),
        str(Path(__file__).with_name("page_loop.py")),
        place.url(connection),
    ]
    bare = Command("bare loop", argv, holds=lambda printed: sum(1 for _ in printed) == pages)
    name = f"{pages} pages that are {_LATENCY} ms away"
    return Job(name, [replace(ours, holds=has_records(pages)), bare], {bare.name: 1.1})


def _chains(place: Place) -> Job:
    chains, pages = 64, 50
    return Job(
        f"{chains} connections, {pages} pages each, {_LATENCY} ms away",
        [place.fan_out(chains, pages, _LATENCY, workers=64)],
        floor=pages * _LATENCY / 1000,
        at_most=2.5,
        mib=90,
    )


def _import(place: Place) -> Job:
    creates, workers = 10_000, 32
    ours = place.creates(creates, _LATENCY, workers=workers)
    name = f"{creates:,} creates, {workers} at a time, {_LATENCY} ms away"
    return Job(name, [ours], floor=creates / workers * _LATENCY / 1000, at_most=1.5)


_TABS = 1000
_TAB = """
source {script}
COMP_LINE='unified ticketing tickets li'; COMP_POINT=${{#COMP_LINE}}
COMP_WORDS=($COMP_LINE); COMP_CWORD=3
for ((tab = 0; tab < {tabs}; tab++)); do _unified 2>/dev/null; done
echo "${{COMPREPLY[*]}}"
"""


def _completion() -> Iterator[Job]:
    bash = shutil.which("bash")
    if bash:
        script = _TAB.format(script=ROOT / "completions" / "unified.bash", tabs=_TABS)
        command = Command(
            "unified", [bash, "-c", script], holds=lambda printed: list(printed) == [b"list\n"]
        )
        yield Job("a TAB in bash", [replace(command, times=1 / _TABS)], floor=0.0005, at_most=1)


Proof = Callable[[Iterable[bytes]], bool]


def _is_page(printed: Iterable[bytes]) -> bool:
    return len(json.loads(b"".join(printed))["result"]) == RECORDS


def _is_list(printed: Iterable[bytes]) -> bool:
    return len(json.loads(b"".join(printed))) == RECORDS


def has_records(pages: int) -> Proof:
    """Whether as many lines were printed as these pages have records."""
    return lambda printed: sum(1 for _ in printed) == pages * RECORDS
