"""The tokens of many connections: different commands run in parallel, each once, and a
connection whose token is there does not wait for the tokens of others.
"""

import io
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Clock, Unified
from installed import needs_extra
from many_connections import READERS, good, name_of, whose
from server import Reply, Seen, Service

from unified_cli.config.token import TokenSource
from unified_cli.errors import ConfigError
from unified_cli.fleet.tokens import Tokens
from unified_cli.runtime import Runtime
from unified_cli.stderr import Stderr

ENVIRON = {"PATH": "/usr/bin:/bin"}
CHECKED = {
    "diff": "diff ticketing/tags --from c00 --to c01",
    "import": "import ticketing/tags {folder}/in.ndjson --operation update -p c* --yes",
    "update -": "ticketing tags update - -p c* --yes",
    "report": "report -p c* --to {folder}/report.html",
    "doctor": "doctor --network c*",
}
"""The commands that read all tokens before they send anything."""


class Programs:
    """Profiles whose tokens a program each prints, and what the programs did."""

    def __init__(self, folder: Path, config: Callable[[str], Path], service: Service) -> None:
        self._folder, self._config, self._url = folder, config, service.url
        (folder / "token").write_text("t-0123456789\n")
        (folder / "token").chmod(0o600)
        self.log = folder / "log"
        self.log.write_text("")
        lines = "".join(
            f'{{"_profile":"{name_of(at)}","id":"t1","name":"x"}}\n' for at in range(20)
        )
        (folder / "in.ndjson").write_text(lines)
        self.lines = lines.encode()

    def profiles(
        self, printing: int, script: str, others: int = 0, *, shared: bool = False
    ) -> None:
        """Those with a program first; the script has the name of its profile in $1."""
        path = self._folder / "program"
        path.write_text(
            f'echo "+$1" >> {self.log}\n{script}\necho "-$1" >> {self.log}\necho t-$1\n'
        )
        tables = []
        for at in range(printing + others):
            said = "all" if shared else name_of(at)
            token = (
                f'token_command = ["/bin/sh", "{path}", "{said}"]'
                if at < printing
                else f'token_file = "{self._folder}/token"'
            )
            tables.append(f'[profiles.{name_of(at)}]\naccount_id = "{name_of(at)}"\n{token}\n')
        self._config(f'base_url = "{self._url}"\nrate = 0\nretries = 0\n' + "".join(tables))

    def command(self, text: str) -> str:
        return text.format(folder=self._folder)

    def stdin(self, connections: int) -> bytes:
        """A line for each connection."""
        return b"".join(self.lines.splitlines(keepends=True)[:connections])

    def started(self) -> list[str]:
        """The names of those that were started, in their order."""
        return [line[1:] for line in self.log.read_text().splitlines() if line[0] == "+"]

    def most_at_once(self) -> int:
        """How many ran at the same time."""
        running = most = 0
        for line in self.log.read_text().splitlines():
            running += 1 if line[0] == "+" else -1
            most = max(most, running)
        return most


@pytest.fixture
def programs(tmp_path: Path, config: Callable[[str], Path], service: Service) -> Programs:
    service.reply = good
    return Programs(tmp_path, config, service)


ALL = {**READERS, **CHECKED}
REPORT = pytest.param("report", marks=needs_extra("report", "jinja2"))
EIGHT_RUN = "until [ $(wc -l < {log}) -ge {least} ]; do sleep 0.02; done; sleep 0.2"


@pytest.mark.parametrize("what", [*(one for one in ALL if one != "report"), REPORT])
def test_different_programs_run_in_parallel_eight_at_a_time_and_each_once(
    what: str, programs: Programs, unified: Unified
) -> None:
    count = 2 if what == "diff" else 10
    least = min(count, 8)
    # None ends before eight have begun.
    programs.profiles(count, EIGHT_RUN.format(log=programs.log, least=least))
    (programs.log.parent / "in.ndjson").write_bytes(programs.stdin(count))
    result = unified(programs.command(ALL[what]), environ=ENVIRON, stdin=programs.stdin(count))
    assert result.code == 0, result.stderr
    assert sorted(programs.started()) == [name_of(at) for at in range(count)]
    assert programs.most_at_once() == least


@pytest.mark.parametrize("what", READERS)
def test_a_connection_whose_token_is_there_does_not_wait_for_others(
    what: str, programs: Programs, service: Service, unified: Unified
) -> None:
    asked, released = set[str](), programs.log.with_name("released")

    def reply(seen: Seen) -> Reply:
        asked.add(whose(seen))
        if len(asked) == 4:
            released.touch()
        return good(seen)

    service.reply = reply
    # Eight do not end before the four others were asked.
    programs.profiles(8, f"until [ -e {released} ]; do sleep 0.02; done", others=4)
    result = unified(programs.command(READERS[what]), environ=ENVIRON)
    assert result.code == 0, result.stderr
    assert asked == {name_of(at) for at in range(12)}


@pytest.mark.parametrize("what", [*READERS, REPORT])
@pytest.mark.parametrize("failing", [False, True])
def test_one_program_of_many_connections_runs_once_even_if_it_fails(
    what: str, *, failing: bool, programs: Programs, unified: Unified
) -> None:
    programs.profiles(12, "exit 3" if failing else "", shared=True)
    result = unified(programs.command({**READERS, **CHECKED}[what]), environ=ENVIRON)
    assert (result.code != 0) == failing or what == "report"
    assert programs.started() == ["all"]


def test_junit_does_not_count_the_wait_for_a_token(
    programs: Programs, unified: Unified, tmp_path: Path
) -> None:
    printed = tmp_path / "printed"
    programs.profiles(2, f"touch {printed}")
    report = tmp_path / "report.xml"
    result = unified(
        f"{READERS['--expect']} --junit {report}",
        environ=ENVIRON,
        monotonic=lambda: 100.0 if printed.exists() else 0.0,
    )
    assert result.code == 0, result.stderr
    assert report.read_text().count('time="0.000"') >= 2, report.read_text()


def read_twice(seconds: float, script: str) -> list[str]:
    """The results of reading the same token twice, this many seconds apart."""
    clock, found = Clock(), list[str]()
    runtime = Runtime(None, None, Stderr(io.BytesIO()), ENVIRON, monotonic=clock.now)
    tokens, source = Tokens(runtime), TokenSource("token_command", ["sh", "-c", script], "x")
    for _ in range(2):
        try:
            found.append(tokens.get(source))
        except ConfigError as error:
            found.append(error.message)
        clock.sleep(seconds)
    return found


@pytest.mark.parametrize(("seconds", "runs"), [(9, 1), (11, 2)])
def test_a_program_that_failed_is_run_again_after_ten_seconds(
    seconds: float, runs: int, tmp_path: Path
) -> None:
    flag = tmp_path / "flag"
    failed = f"if [ -e {flag} ]; then echo t-later; else touch {flag}; exit 3; fi"
    first, second = read_twice(seconds, failed)
    assert first.startswith("token_command of x failed with 3 (")
    assert second == (first if runs == 1 else "t-later")


def test_a_token_is_kept(tmp_path: Path) -> None:
    count = f"echo x >> {tmp_path}/runs; echo t-$(($(wc -l < {tmp_path}/runs)))"
    assert read_twice(1000, count) == ["t-1", "t-1"]


def test_a_waiting_thread_learns_that_the_tokens_reader_has_ended(tmp_path: Path) -> None:
    """The end stops the program, and no thread waits for it any more."""
    runtime = Runtime(None, None, Stderr(io.BytesIO()), ENVIRON)
    begun = tmp_path / "begun"
    tokens = Tokens(runtime)
    source = TokenSource("token_command", ["sh", "-c", f"touch {begun}; sleep 60"], "x")
    found = list[str]()

    def get() -> None:
        with pytest.raises(ConfigError) as error:
            tokens.get(source)
        found.append(error.value.message)

    threads = [threading.Thread(target=get) for _ in range(3)]
    for thread in threads:
        thread.start()
    while not begun.exists():
        threads[0].join(0.01)
    tokens.close(30)
    for thread in threads:
        thread.join(30)
    assert found == ["the token was not read, because this command has ended"] * 3
