"""`unified runs`: its commands and their options."""

from dataclasses import dataclass
from typing import Annotated

from unified_cli.cli.command import Command, Entry, Group, Later
from unified_cli.cli.flags import Argument, flags_of
from unified_cli.cli.option_parts import MessageOptions, NetworkOptions, StopOptions
from unified_cli.cli.result_table import TableOutput
from unified_cli.cli.shared_options import (
    Bom,
    Columns,
    CsvSafe,
    Jq,
    Output,
    RetryInDoubt,
    TokenFile,
    TokenStdin,
    Yes,
)
from unified_cli.writes.state_words import STATES

RunId = Annotated[
    str | None,
    Argument(
        "the id of the run; without it, or with last, the newest run with work for this command",
        "[RUN|last]",
        ("last-run",),
    ),
]


@dataclass(frozen=True, kw_only=True)
class ListRunsOptions(MessageOptions):
    """How to print the runs."""

    output: TableOutput = None


@dataclass(frozen=True, kw_only=True)
class ShowRunOptions(MessageOptions):
    """Which run to show, and how."""

    run: RunId = None
    output: Output = None


@dataclass(frozen=True, kw_only=True)
class ResumeRunOptions(StopOptions, MessageOptions, NetworkOptions):
    """Which run to continue, and how."""

    run: RunId = None
    retry_in_doubt: RetryInDoubt = False
    yes: Yes = False
    token_file: TokenFile = None
    token_stdin: TokenStdin = False
    output: Output = None
    columns: Columns = None
    jq: Jq = None
    csv_safe: CsvSafe = False
    bom: Bom = False


@dataclass(frozen=True, kw_only=True)
class RemoveRunsOptions(MessageOptions):
    """Which runs to remove."""

    runs: Annotated[
        tuple[str, ...],
        Argument(
            "the ids of the runs; without ids, or with last, the newest run",
            "[RUN...|last]",
            ("run",),
        ),
    ] = ()
    yes: Yes = False


_OF_RESUME = ("retry_in_doubt", "yes")
_ROOM = "unified_cli.commands.runs"
_SAME = (
    "If a profile now names another connection, the command ends with exit code 12 before it sends"
    " anything. The exit code and the summary are those of the whole run."
)
_IN_DOUBT = (
    "Calls in doubt are sent again with their idempotency keys, for as long as the service honours"
    " the keys. An operation that affects people, such as suspend, is not repeated, because it may"
    " have been done. The last message then says how to check, and --retry-in-doubt asks and"
    " repeats the operation."
)
_ELSEWHERE = "To continue an import, an apply or an export, it runs the original command again."
_LAST = (
    "Without an id, or with last, it uses the newest run that this command can work on, and prints"
    " its id and the other open runs."
)
_LIST = Command(
    ListRunsOptions,
    Later(f"{_ROOM}.report:show_all"),
    text=(
        "{about}. They write to many connections or lines, import, apply, export, or serve agents.",
    ),
    sections=[("State", [*STATES.items()])],
    examples="unified runs list",
)
_SHOW = Command(
    ShowRunOptions,
    Later(f"{_ROOM}.report:show_one"),
    usage="[RUN|last] [options]",
    text=(
        "{about}, with its connection and its idempotency key.",
        "The run may still be in progress.",
        (
            "The calls of an import or a plan are read from its file. If the file has changed, only"
            " the calls that were sent are shown, without their connections."
        ),
        _LAST,
    ),
    examples="unified runs show 20261121-7f3a",
)
_RESUME = Command(
    ResumeRunOptions,
    Later(f"{_ROOM}.run:resume"),
    usage="[RUN|last] [options]",
    text=("{about}.", _IN_DOUBT, _ELSEWHERE, _SAME, _LAST),
    examples="unified runs resume 20261121-7f3a",
)
_RETRY = Command(
    ResumeRunOptions,
    Later(f"{_ROOM}.run:retry"),
    usage="[RUN|last] [options]",
    text=("{about}.", _ELSEWHERE, _SAME, _LAST),
    examples="unified runs retry 20261121-7f3a",
    flags=[flag for flag in flags_of(ResumeRunOptions) if flag.name not in _OF_RESUME],
)
_REMOVE = Command(
    RemoveRunsOptions,
    Later(f"{_ROOM}.run:remove"),
    usage="[RUN...|last] [options]",
    text=(
        "{about}.",
        (
            "It asks before it removes a run with calls that are not done, because a removed run"
            " cannot be continued. A run that is in progress is not removed."
        ),
        "The files of an import, an apply or an export are not removed.",
        _LAST,
    ),
    examples="unified runs remove 20261121-7f3a",
)

RUNS = Group(
    "Show and continue runs. Each write of a run is recorded in a journal before it is sent.",
    "unified runs list",
    {
        "list": Entry("List the runs, the newest first", _LIST),
        "show": Entry("Show the outcome of each call of a run", _SHOW),
        "resume": Entry(
            "Send the calls that a run has not tried, and repeat calls in doubt if safe", _RESUME
        ),
        "retry": Entry("Repeat the failed calls of a run, each with its idempotency key", _RETRY),
        "remove": Entry("Remove the journals of runs", _REMOVE),
    },
)
