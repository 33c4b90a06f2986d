"""`unified runs`: the runs of many writes, what became of them, and how they go on."""

from unified_cli.commands.subcommands import SubcommandGroup

_GROUP = SubcommandGroup(
    "runs",
    "Continue work of many writes, each of which stands in a journal before it is sent.",
    "unified runs list",
    {
        "list": ("list_runs", "List the runs, the newest first"),
        "show": ("show_run", "Show what became of each call of a run"),
        "resume": ("resume_run", "Do what a run has not tried, and what is in doubt where that is safe"),
        "retry": ("resume_run", "Repeat the calls of a run that failed, each with its key"),
        "remove": ("remove_runs", "Remove the journals of runs"),
    },
)
command = _GROUP.command
