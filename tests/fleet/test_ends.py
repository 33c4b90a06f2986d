"""How every command over many connections ends, for every kind of end: exit code and
last line, in one table.
"""

import errno
import io
import os
import re
import shlex
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from front_door import Result, Unified
from many_connections import Config, account, run_id
from pages import offer, served
from server import Reply, Seen, Service

from unified_cli import signals

NUMBER = 3
"""These numbers of connections and records: part N is connection `c0N`, or record `tN`
of a single connection.
"""
PARTS = range(NUMBER)

FAULTS: dict[str, Mapping[int, int]] = {
    "done": {},
    "one refused": {1: 422},
    "all refused": dict.fromkeys(PARTS, 422),
    "mixed causes": {0: 401, 1: 422, 2: 503},
    "one unknown": {1: 500},
    "one not offered": {1: 405},
    "none offered": dict.fromkeys(PARTS, 405),
}
"""The status that the service answers about a part; a write that is answered with 500
is in doubt.
"""
STREAMS = {"output full": errno.ENOSPC, "output closed": errno.EPIPE}
SIGNALS = {"SIGINT": signal.SIGINT, "SIGTERM": signal.SIGTERM}
NOBODY = "none selected"
ENDS = (*FAULTS, *STREAMS, *SIGNALS, NOBODY)


def part_of(seen: Seen) -> int | None:
    """The part that a request is about: its connection, or its record where all are of
    the connection `one`.
    """
    found = re.search(r"\ba-c0(\d)", seen.target) or re.fullmatch(r"t(\d)", seen.segments[-1])
    return int(found[1]) if found else None


def good(seen: Seen) -> Reply:
    """The answer of a healthy connection.

    No two have the same records.
    """
    part, last = part_of(seen), seen.segments[-1]
    if last == "integrated-account":
        return served({"result": [{"id": f"a-c0{at}", "status": "active"} for at in PARTS]})
    if last == "capabilities":
        return served(offer({"ticketing": {"tags": ["list", "get", "create", "update", "delete"]}}))
    if seen.segments[0] == "integrated-account":
        return served({"id": last, "status": "active"})
    if last == "download":
        return Reply(200, b"x", {"Content-Type": "text/plain"})
    if seen.method == "GET" and len(seen.segments) == 3:
        numbers = PARTS if part is None else [part]
        return served({"result": [{"id": f"t{at}", "name": account(seen)} for at in numbers]})
    return served({"id": last, "name": account(seen), "file_url": last})


def answering(faults: Mapping[int, int]) -> Callable[[Seen], Reply]:
    """Answer with these statuses about these parts, but not the look at a tag that
    `apply` begins with.
    """

    def reply(seen: Seen) -> Reply:
        part, looks = (
            part_of(seen),
            seen.method == "GET" and "/tags/t" in seen.path and "=one" in seen.target,
        )
        if part not in faults or looks:
            return good(seen)
        return served({"statusCode": faults[part], "error": "Error", "message": "no"}, faults[part])

    return reply


def stopping(service: Service, number: int, *, after: int = 0) -> Callable[[Seen], Reply]:
    """Send the signal to this process while the request of this number is under way,
    and answer nothing from then on.
    """
    sent = threading.Lock()

    def reply(seen: Seen) -> Reply:
        if len(service.seen) <= after:
            return good(seen)
        if sent.acquire(blocking=False):
            signal.pthread_kill(threading.main_thread().ident or 0, number)
        service.over.wait(60)
        return good(seen)

    return reply


class Broken(io.BytesIO):
    """A stream that cannot be written."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number = number

    def write(self, _: Any) -> int:
        raise OSError(self._number, os.strerror(self._number))


@pytest.fixture
def handled() -> Iterator[None]:
    """Handle signals as the program does in a process of its own."""
    before, hook = {one: signal.getsignal(one) for one in SIGNALS.values()}, sys.unraisablehook
    signals.handle_signals()
    yield
    for number, handler in before.items():
        signal.signal(number, handler)
    sys.unraisablehook = hook


class Case(NamedTuple):
    """A command and how it ends. `begun` makes the work that it continues; `one` says
    that all is of one connection.
    """

    command: str
    ends: Mapping[str, tuple[int, str]]
    begun: str = ""
    one: bool = False


def chosen_before(ends: Mapping[str, tuple[int, str]]) -> dict[str, tuple[int, str]]:
    """The ends of what has its connections from an earlier run."""
    return {end: told for end, told in ends.items() if end != NOBODY}


def stopped(onward: str = "") -> dict[str, tuple[int, str]]:
    """The two signals."""
    return {
        "SIGINT": (130, f"error: interrupted{onward}"),
        "SIGTERM": (143, f"error: terminated{onward}"),
    }


def anew(got: str) -> dict[str, tuple[int, str]]:
    """The two signals for a reader that begins anew, with what it had got."""
    told = f"stopped after 0 of 3 connections, {got}"
    return stopped(f"; {told}; to continue: run the same command again, which starts again")


DONE = (0, "")
OUTPUT = {
    "output full": (11, "error: cannot write to standard output: No space left on device"),
    "output closed": (141, ""),
}
NO_OUTPUT = "output full", "output closed"
READ = {
    "done": DONE,
    "one refused": (9, "error: 1 of 3 connections failed: c01"),
    "all refused": (4, "error: all 3 connections failed"),
    "mixed causes": (9, "error: 3 of 3 connections failed: c00, c01, c02"),
    "one unknown": (9, "error: 1 of 3 connections failed: c01"),
    "one not offered": (9, "error: 1 of 3 connections failed: c01"),
    "none offered": (4, "error: all 3 connections failed"),
    **OUTPUT,
    **stopped(),
    "none selected": (3, 'error: no profile matches "x*" (unified profile list shows 4)'),
}
LIST = READ | stopped(
    "; stopped after 0 of 3 connections; to continue: -p c00 -p c01 -p c02 for the other"
    " connections"
)
LACKED = {
    "one not offered": (9, "error: 1 of 3 connections failed (1 may not offer the list): c01")
}
SKIPPED = (
    0,
    (
        "c01: skipped: the service answered 405 to GET /unified/ticketing/tags: no (the connection"
        " may not offer this list)"
    ),
)
NOT_HELD = "2 of 2 expectations do not hold, first c00: --expect 'length == 2' gives false"
FOLLOWED = (
    "error: interrupted; stopped after 2 records, 2 of them without updated_at; to continue:"
    " --follow --since "
)
EXPORT = {
    **READ,
    "done": (0, "wrote 3 files with 3 records to DIR/dump, 0 already complete; 3 of 3 lists done"),
    "one refused": (9, "error: 1 of 3 lists failed: c01/ticketing/tags.ndjson"),
    "all refused": (4, "error: all 3 lists failed"),
    "mixed causes": (
        9,
        (
            "error: 3 of 3 lists failed: c00/ticketing/tags.ndjson, c01/ticketing/tags.ndjson,"
            " c02/ticketing/tags.ndjson"
        ),
    ),
    "one unknown": (9, "error: 1 of 3 lists failed: c01/ticketing/tags.ndjson"),
    "one not offered": (
        9,
        "error: 1 of 3 lists failed (1 may not be offered): c01/ticketing/tags.ndjson",
    ),
    "none offered": (4, "error: all 3 lists failed"),
    **dict.fromkeys(
        NO_OUTPUT,
        (0, "wrote 3 files with 3 records to DIR/dump, 0 already complete; 3 of 3 lists done"),
    ),
    **stopped(
        "; 0 of 3 lists done; to continue: unified export ticketing/tags -p 'c*' --to DIR/dump"
    ),
}
ASKED = READ | {"one not offered": DONE, "none offered": DONE}
"""These report the operations that a connection does not offer."""
REFUSED = "error: the service answered 422 to GET /unified/ticketing/tags: no"
NOT_OFFERED = (
    "error: the service answered 405 to GET /unified/ticketing/tags: no (the connection may not"
    " offer this list)"
)
COMPARED = {
    "one refused": (4, REFUSED),
    "all refused": (4, REFUSED),
    "one unknown": (
        5,
        (
            "error: the service answered 500 to GET /unified/ticketing/tags: no (the service"
            " failed; try again later)"
        ),
    ),
    "one not offered": (4, NOT_OFFERED),
    "none offered": (4, NOT_OFFERED),
    **OUTPUT,
    **stopped("; stopped after 0 records; to continue: run the same command again"),
    "none selected": (2, "error: --from x is not a profile, folder or file (unified profile list)"),
}
"""Both sides are needed. If they fail differently, the first failure is reported."""
WRITE = {
    **READ,
    "done": (0, "done: 3 of 3 connections"),
    "one unknown": (10, "error: 1 of 3 connections may or may not be done"),
    "output closed": (141, "run RUN"),
    **stopped(
        "; stopped after 0 of 3 connections, 1 more was sent; to continue: unified runs resume RUN"
    ),
}
PIPED = {
    **WRITE,
    "done": (0, "run RUN"),
    "one refused": (9, "error: 1 of 3 records failed (c01 1)"),
    "all refused": (9, "error: 3 of 3 records failed (c00 1, c01 1, c02 1)"),
    "mixed causes": (9, "error: 3 of 3 records failed (c00 1, c01 1, c02 1)"),
    "one unknown": (10, "error: 1 of 3 records may or may not be done"),
    "one not offered": (9, "error: 1 of 3 records failed (c01 1)"),
    "none offered": (9, "error: 3 of 3 records failed (c00 1, c01 1, c02 1)"),
    **stopped(
        "; stopped after 0 of 3 records, 1 more was sent; to continue: unified runs resume RUN"
    ),
}
# The first of three was done before the run was stopped.
RESUMED = {
    **WRITE,
    "all refused": (9, "error: 2 of 3 connections failed: c01, c02"),
    "mixed causes": (9, "error: 2 of 3 connections failed: c01, c02"),
    # A 405 may come before the service looks at the key of a call in doubt.
    "one not offered": (10, "error: 1 of 3 connections may or may not be done"),
    "none offered": (
        10,
        "error: 1 of 3 connections failed: c02; 1 of 3 connections may or may not be done",
    ),
    **stopped(
        "; stopped after 0 of 2 connections, 1 more was sent; to continue: unified runs resume RUN"
    ),
}
RESUMED_LINES = {
    **PIPED,
    "all refused": (9, "error: 2 of 3 records failed (c01 1, c02 1)"),
    "mixed causes": (9, "error: 2 of 3 records failed (c01 1, c02 1)"),
    "one not offered": (10, "error: 1 of 3 records may or may not be done"),
    "none offered": (
        10,
        "error: 1 of 3 records failed (c02 1); 1 of 3 records may or may not be done",
    ),
    **stopped(
        "; stopped after 0 of 2 records, 1 more was sent; to continue: unified runs resume RUN"
    ),
}
CORRECT = ", see DIR/in.ndjson.unified-failed.ndjson (correct the records in that file)"
IMPORT = {
    **PIPED,
    "one refused": (9, f"error: 1 of 3 records failed (c01 1){CORRECT}"),
    "all refused": (9, f"error: 3 of 3 records failed (c00 1, c01 1, c02 1){CORRECT}"),
    "mixed causes": (
        9,
        (
            "error: 3 of 3 records failed (c00 1, c01 1, c02 1), see"
            " DIR/in.ndjson.unified-failed.ndjson"
        ),
    ),
    "one unknown": (
        10,
        (
            "error: 1 of 3 records may or may not be done, see"
            " DIR/in.ndjson.unified-in-doubt.ndjson (the same command repeats what is safe to"
            " repeat; --retry-in-doubt repeats all of them)"
        ),
    ),
    "one not offered": (9, f"error: 1 of 3 records failed (c01 1){CORRECT}"),
    "none offered": (9, f"error: 3 of 3 records failed (c00 1, c01 1, c02 1){CORRECT}"),
    **stopped(
        "; stopped after 0 of 3 records, 1 more was sent; to continue: unified runs resume RUN"
    ),
}
NOBODY_NAMED = {"none selected": (3, 'error: no profile named "x" (unified profile list shows 4)')}
TOKEN = (
    "no (the token comes from DIR/config/config.toml (file DIR/token); unified doctor --network"
    " checks it)"
)
PATCHED = "the service answered 401 to PATCH /unified/ticketing/tags/t0: " + TOKEN
UPDATE = "ticketing tags update t1 -f name=x -p c* --yes"
UPDATES = "ticketing tags update - -p c* --yes"
LISTED = "ticketing tags list -p c*"

APPLY = {
    **PIPED,
    "one refused": (9, "error: 1 of 3 calls failed, see DIR/a.plan.unified-failed.ndjson"),
    "all refused": (9, "error: 3 of 3 calls failed, see DIR/a.plan.unified-failed.ndjson"),
    "mixed causes": (7, f"error: stopped with 2 of 3 calls not tried: {PATCHED}"),
    "one unknown": (
        10,
        (
            "error: 1 of 3 calls may or may not be done, see DIR/a.plan.unified-in-doubt.ndjson"
            " (the same command repeats the calls that are safe to repeat; a new plan shows which"
            " differences are left)"
        ),
    ),
    "one not offered": (9, "error: 1 of 3 calls failed, see DIR/a.plan.unified-failed.ndjson"),
    "none offered": (9, "error: 3 of 3 calls failed, see DIR/a.plan.unified-failed.ndjson"),
    **stopped(
        "; stopped after 0 of 3 calls, 1 more was sent; to continue: unified runs resume RUN"
    ),
    **NOBODY_NAMED,
}

TABLE: dict[str, Case] = {
    "list": Case(LISTED, LIST | LACKED),
    "list --all": Case(
        f"{LISTED} --all",
        LIST | LACKED | {"done": (0, "3 records in 3 pages from 3 of 3 connections")},
    ),
    "get": Case("ticketing tags get t1 -p c*", LIST),
    "--expect": Case(
        f"{LISTED} --expect 'length == 1'", READ | anew("0 records") | {"one not offered": SKIPPED}
    ),
    "--expect, not held": Case(
        f"{LISTED} --expect 'length == 2'",
        READ
        | anew("0 records")
        | {
            "done": (
                14,
                (
                    "error: 3 of 3 expectations do not hold, first c00: --expect 'length == 2'"
                    " gives false"
                ),
            ),
            "one refused": (9, f"error: 1 of 3 connections failed: c01; {NOT_HELD}"),
            "one unknown": (9, f"error: 1 of 3 connections failed: c01; {NOT_HELD}"),
            "one not offered": (14, f"error: {NOT_HELD}"),
        },
    ),
    "--until": Case(
        f"{LISTED} --until 'length == 1'", READ | anew("0 reads") | {"one not offered": SKIPPED}
    ),
    "--follow": Case(
        f"{LISTED} --follow -o csv",
        READ
        | {
            # It continues with the others until a signal, which comes after the first
            # poll.
            "done": (
                130,
                (
                    "error: interrupted; stopped after 3 records, 3 of them without updated_at;"
                    " to continue: --follow --since 2025-12-31T23:59:00.000000Z"
                ),
            ),
            "one refused": (130, f"{FOLLOWED}2025-12-31T23:59:00.000000Z"),
            "one unknown": (130, f"{FOLLOWED}2025-12-31T23:59:00.000000Z"),
            "one not offered": (130, f"{FOLLOWED}2025-12-31T23:59:00.000000Z"),
            **stopped(
                "; stopped after 0 records; to continue: --follow --since"
                " 2025-12-31T23:59:00.000000Z"
            ),
        },
    ),
    "export": Case("export ticketing/tags --to DIR/dump -p c*", EXPORT),
    "export, all lists": Case(
        "export ticketing -p c* --to DIR/dump",
        {
            "done": (
                0,
                (
                    "wrote 51 files with 51 records to DIR/dump, 0 already complete; 51 of 51 lists"
                    " done"
                ),
            ),
            "one refused": (
                9,
                (
                    "error: 17 of 51 lists failed: c01/ticketing/accounts.ndjson,"
                    " c01/ticketing/attachments.ndjson, c01/ticketing/collections.ndjson,"
                    " c01/ticketing/comments.ndjson, c01/ticketing/contacts.ndjson and 12 more"
                ),
            ),
            "all refused": (4, "error: all 51 lists failed"),
            "one not offered": (9, "error: nothing could be read from c01"),
            "none offered": (
                4,
                (
                    "error: nothing could be read: no connection offers any of the lists (unified"
                    " profile test says whether the account is right)"
                ),
            ),
            **stopped(
                "; 0 of 51 lists done; to continue: unified export ticketing -p 'c*' --to DIR/dump"
            ),
        },
    ),
    "schema": Case(
        "schema ticketing/tags -p c*",
        READ | LACKED | anew("0 records") | {"done": (0, "3 records of 3 connections")},
    ),
    "schema --against": Case(
        "schema ticketing/tags -p c* --against DIR/schema.json",
        READ
        | LACKED
        | anew("0 records")
        | {
            "done": (
                0,
                "3 connections: no path is missing or has another type, 0 other differences",
            ),
            "mixed causes": (
                9,
                (
                    "error: 3 of 3 connections failed: c00, c01, c02; nothing was compared: there"
                    " is no record"
                ),
            ),
            **dict.fromkeys(
                NO_OUTPUT,
                (0, "3 connections: no path is missing or has another type, 0 other differences"),
            ),
        },
    ),
    "schema --against, lost": Case(
        "schema ticketing/tags -p c* --against DIR/other.json",
        {
            "done": (
                14,
                (
                    "error: 6 differences in c00, c01, c02; first c00: other-type id (integer"
                    " before, string now)"
                ),
            ),
            "one refused": (
                9,
                (
                    "error: 1 of 3 connections failed: c01; 4 differences in c00, c02; first c00:"
                    " other-type id (integer before, string now)"
                ),
            ),
            "all refused": (4, "error: all 3 connections failed"),
            **OUTPUT,
        },
    ),
    "capabilities": Case("capabilities ticketing/tags -p c*", ASKED | anew("nothing printed")),
    "capabilities --probe": Case(
        "capabilities ticketing/tags --probe -p c*", ASKED | anew("nothing printed")
    ),
    "connections list --health": Case(
        "connections list --health -p c00",
        ASKED
        | NOBODY_NAMED
        | dict.fromkeys(
            ("done", "one not offered", "none offered"),
            (0, "0 of 3 connections failing, counted as in profile test"),
        )
        | {
            "one refused": (9, "error: 1 of 3 connections failed: a-c01"),
            "mixed causes": (9, "error: 3 of 3 connections failed: a-c00, a-c01, a-c02"),
            "one unknown": (9, "error: 1 of 3 connections failed: a-c01"),
        },
    ),
    "profile test": Case(
        "profile test c*",
        READ
        | {
            "done": (
                0,
                (
                    "only the state was checked, and a connection passes if it is connecting,"
                    " paused or lacks scopes; --with 'ticketing tickets' reads one record from"
                    " each connection instead"
                ),
            )
        }
        | anew("nothing printed"),
    ),
    "diff": Case(
        "diff ticketing/tags --key name --from c00 --to c01",
        COMPARED
        | {"done": (14, "error: c00 and c01 differ: 1 only in c00, 1 only in c01, 0 the same")},
    ),
    "plan": Case(
        "plan ticketing/tags --from c00 --to c01 --same-ids",
        COMPARED | {"done": (0, "only in c01, and kept: 1 record (--delete plans to delete them)")},
    ),
    "create": Case("ticketing tags create -f name=x -p c* --yes", WRITE),
    "update": Case(UPDATE, WRITE),
    "delete": Case("ticketing tags delete t1 -p c* --yes", WRITE),
    "runs resume": Case("runs resume RUN", chosen_before(RESUMED), UPDATE),
    "runs retry": Case("runs retry RUN", chosen_before(WRITE), UPDATE),
    "update -": Case(UPDATES, PIPED),
    "delete -": Case("ticketing tags delete - -p c* --yes", PIPED),
    "get -": Case(
        "ticketing tags get - -p c*",
        {
            **PIPED,
            "done": DONE,
            "one unknown": (9, "error: 1 of 3 records failed (c01 1)"),
            **OUTPUT,
            **stopped(
                "; stopped after 0 of 3 records, 1 more was sent; to continue: send the lines"
                " that have no answer yet"
            ),
        },
    ),
    "runs resume, lines": Case("runs resume RUN", chosen_before(RESUMED_LINES), UPDATES),
    "runs retry, lines": Case("runs retry RUN", chosen_before(PIPED), UPDATES),
    "update -, one connection": Case(
        "ticketing tags update - -p one --yes",
        {
            **PIPED,
            "one refused": (9, "error: 1 of 3 records failed"),
            "all refused": (9, "error: 3 of 3 records failed"),
            "mixed causes": (7, f"error: stopped with 2 of 3 records not tried: {PATCHED}"),
            "one not offered": (9, "error: 1 of 3 records failed"),
            "none offered": (9, "error: 3 of 3 records failed"),
            "output closed": (
                141,
                "error: the reader closed the output; stopped after 1 of 3 records",
            ),
            **NOBODY_NAMED,
        },
        one=True,
    ),
    "import": Case("import ticketing/tags DIR/in.ndjson --operation update -p c* --yes", IMPORT),
    "import, one connection": Case(
        "import ticketing/tags DIR/in.ndjson --operation update -p one --yes",
        {
            **IMPORT,
            "one refused": (9, f"error: 1 of 3 records failed{CORRECT}"),
            "all refused": (9, f"error: 3 of 3 records failed{CORRECT}"),
            "one not offered": (9, f"error: 1 of 3 records failed{CORRECT}"),
            "none offered": (9, f"error: 3 of 3 records failed{CORRECT}"),
            "mixed causes": (7, f"error: stopped with 2 of 3 records not tried: {PATCHED}"),
            **NOBODY_NAMED,
        },
        one=True,
    ),
    "apply": Case("apply DIR/a.plan -p one --yes", APPLY, one=True),
    "download --from": Case(
        "ticketing attachments download --from DIR/in.ndjson --out DIR/out -p one",
        {
            "done": (0, "3 files saved, 0 already there; DIR/out/manifest.ndjson lists them"),
            "one refused": (9, "error: 1 of 3 files failed, see DIR/out/manifest.ndjson"),
            "all refused": (9, "error: 3 of 3 files failed, see DIR/out/manifest.ndjson"),
            "mixed causes": (
                7,
                (
                    "error: stopped with 2 of 3 files not tried: the service answered 401 to GET "
                    f"/unified/ticketing/attachments/t0: {TOKEN}"
                ),
            ),
            "one unknown": (9, "error: 1 of 3 files failed, see DIR/out/manifest.ndjson"),
            "one not offered": (9, "error: 1 of 3 files failed, see DIR/out/manifest.ndjson"),
            "none offered": (9, "error: 3 of 3 files failed, see DIR/out/manifest.ndjson"),
            **dict.fromkeys(
                NO_OUTPUT, (0, "3 files saved, 0 already there; DIR/out/manifest.ndjson lists them")
            ),
            **stopped(
                "; stopped after 0 of 3 files, 0 kB; to continue: run the same command again"
            ),
            **NOBODY_NAMED,
        },
        one=True,
    ),
}
NOT_IN_IT = {
    "export, all lists": {
        "mixed causes",
        "one unknown",
        "output full",
        "output closed",
        "none selected",
    },
    "schema --against, lost": {
        "mixed causes",
        "one unknown",
        "one not offered",
        "none offered",
        "SIGINT",
        "SIGTERM",
        "none selected",
    },
    **{key: {"mixed causes"} for key in ("diff", "plan")},
    **{
        key: {"none selected"}
        for key in ("runs resume", "runs retry", "runs resume, lines", "runs retry, lines")
    },
}
"""The ends that are listed beside a command, that are a matter of which comes first, or
that it cannot have.
"""


def lines(case: Case) -> bytes:
    """A record for each part, which names its connection where there are several."""
    records = (
        (
            f'"id":"t{at}","name":"new"'
            if case.one
            else f'"_profile":"c0{at}","id":"t{at}","name":"new"'
        )
        for at in PARTS
    )
    return "".join(f"{{{one}}}\n" for one in records).encode()


def interrupted(_: float) -> None:
    """The effect of Ctrl-C while the program waits."""
    raise KeyboardInterrupt


class World:
    """The program and its service, with what a case needs."""

    def __init__(self, unified: Unified, service: Service, config: Config, folder: Path) -> None:
        self.unified, self.service, self.folder = unified, service, folder
        names = {f"c0{at}": f"a-c0{at}" for at in PARTS} | {"one": "one"}
        tables = "".join(
            f'[profiles.{name}]\naccount_id = "{whose}"\n' for name, whose in names.items()
        )
        config(
            f'rate = 0\nretries = 0\nbase_url = "{service.url}"\ntoken_file ='
            f' "{folder}/token"\n{tables}'
        )
        (folder / "token").write_text("t-0123456789\n")
        (folder / "token").chmod(0o600)
        service.reply = good

    def run(self, command: str, case: Case, *, in_turn: bool = False, **more: Any) -> Result:
        """Run a command of a case, one request after the other where they are
        `in_turn`.
        """
        ordered = " --workers 1" if in_turn or (case.one and not command.startswith("plan")) else ""
        argv = shlex.split(command.replace("DIR", str(self.folder)) + ordered)
        return self.unified(argv, stdin=lines(case), wall=lambda: 1_767_225_600.0, **more)

    def prepare(self, case: Case) -> str:
        """Make the work that the command of the case continues, and give its words."""
        (self.folder / "in.ndjson").write_bytes(lines(case))
        if "a.plan" in case.command:
            made = self.run("plan ticketing/tags --from DIR/in.ndjson --to one --same-ids", case)
            (self.folder / "a.plan").write_bytes(made.raw)
        if "--against" in case.command:
            made = self.run("schema ticketing/tags -p c00 -o json", case)
            (self.folder / "schema.json").write_bytes(made.raw)
            (self.folder / "other.json").write_bytes(made.raw.replace(b'"string"', b'"integer"'))
        if not case.begun:
            return case.command
        retry = "retry" in case.command
        self.service.seen.clear()
        self.service.reply = (
            answering(FAULTS["all refused"])
            if retry
            else stopping(self.service, signal.SIGINT, after=1)
        )
        begun = self.run(case.begun, case, in_turn=True)
        return case.command.replace("RUN", run_id(begun.stderr))

    def end(self, command: str, case: Case, end: str) -> Result:
        """Run the command, and let it end so."""
        self.service.seen.clear()
        self.service.reply = answering(FAULTS.get(end, {}))
        more: dict[str, Any] = {"sleep": interrupted} if "--follow" in command else {}
        if end in STREAMS:
            more["stdout"] = Broken(STREAMS[end])
        if end in SIGNALS:
            # A second one ends the process at once.
            signals.handle_signals()
            self.service.reply = stopping(self.service, SIGNALS[end])
            # So that one request is under way.
            more["in_turn"] = bool(" - " in command or "--yes" in command or case.begun)
        if end == NOBODY:
            command = re.sub(r"c(?=\*)|c0\d|(?<=-p )one", "x", command)
        return self.run(command, case, **more)


def last(told: Result, folder: Path) -> str:
    """The last line on stderr that is no command, without what differs from run to
    run.
    """
    line = next(
        (line for line in reversed(told.stderr.splitlines()) if not line.startswith(" ")), ""
    )
    return re.sub(r"\d{8}-[0-9a-f]{4}", "RUN", line.replace(str(folder), "DIR"))


@pytest.mark.usefixtures("handled")
@pytest.mark.parametrize(
    ("name", "end"), [(name, end) for name, case in TABLE.items() for end in case.ends]
)
def test_each_end_has_its_code_and_last_line(
    name: str, end: str, unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    world, case = World(unified, service, config, tmp_path), TABLE[name]
    told = world.end(world.prepare(case), case, end)
    assert (told.code, last(told, tmp_path)) == case.ends[end], told.stderr


def test_the_table_is_whole() -> None:
    missing = {name: {*ENDS} - {*case.ends} for name, case in TABLE.items()}
    assert {name: ends for name, ends in missing.items() if ends} == NOT_IN_IT
