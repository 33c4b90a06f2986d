"""Suggest what to type instead of an option that only other commands have.

Used only if a command line could not be parsed.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from unified_cli.cli import argument_errors, known_fields
from unified_cli.cli.choices import meant_value
from unified_cli.hints import quoted
from unified_cli.output import formats

_PRINTS = {
    "unified profile path",
    "unified completion bash",
    "unified completion zsh",
    "unified completion fish",
    "unified mcp config",
    "unified sandbox serve",
}
_LISTS = {
    "unified capabilities",
    "unified connections list",
    "unified diff",
    "unified doctor",
    "unified operations",
    "unified profile list",
    "unified profile show",
    "unified profile test",
    "unified runs list",
    "unified runs show",
    "unified schema",
}
_FIELDS = "--jq --columns --fields --select --template --jsonpath -q --query --filter --where"
_AGES = "--since --after --older-than --before --until --newer-than --start"


class _Advice(NamedTuple):
    """Advice for a command that has all options of `has`, and none of `lacks`.

    With `lists`, only for a command that prints a list.
    """

    text: str
    has: Collection[str] = ()
    lacks: Collection[str] = ()
    lists: bool = False


_GROUPS: Mapping[str, Sequence[_Advice]] = {
    "--out --output-file --to": (_Advice("> {FILE}", lists=True, lacks=("--to", "--out")),),
    "--format --json --csv --yaml": (
        _Advice("leave it out: it has one format; --json-errors prints errors as JSON"),
    ),
    "--yes -y --force -f --confirm --auto-approve --assume-yes": (
        _Advice("--yes answers the question", has=("--yes",)),
        _Advice("leave it out: this asks nothing"),
    ),
    "--dry-run --dryrun --simulate --preview": (
        _Advice("--explain prints what would be read", has=("--explain",)),
        _Advice("leave it out, and --yes: it asks first", has=("--yes",)),
        _Advice("leave it out: this only reads", lists=True),
    ),
    "--limit -n --max --head --top --first --tail --last": (
        _Advice("| head -n {N} prints the first", lists=True),
        _Advice("leave it out: all are used"),
    ),
    _FIELDS: (_Advice("-o json | jq EXPR", lists=True, lacks=("--jq",)),),
    "--failed --status --state --sort --order-by": (
        _Advice("leave it out: -o json | jq EXPR selects and sorts", lists=True),
    ),
    _AGES: (
        _Advice("--since TIME is the earliest time", has=("--since",)),
        _Advice("leave it out: -o json | jq EXPR selects by time", lists=True),
        _Advice("leave it out: this takes no time"),
    ),
    "--watch --follow -w": (
        _Advice("leave it out, and repeat the command", lists=True),
        _Advice("leave it out: it ends when its work is done"),
    ),
    "--wide --human --long -l": (_Advice("-o table", has=("--output",)),),
    "--count": (_Advice("-o json | jq length", lists=True),),
    "--continue-on-error --keep-going --ignore-errors": (
        _Advice("leave it out: a failed record stops no other", has=("--fail-fast",)),
        _Advice("leave it out: a failure stops no other connection", has=("--profile",)),
    ),
    "--open --browser --web": (_Advice("leave it out: a browser opens the file"),),
    "--log --log-file --logfile": (_Advice("-vv 2> {FILE}", has=("--verbose",)),),
}
_BY_OPTION = {one: found for names, found in _GROUPS.items() for one in names.split()}
_FILES = {"-o", "--output", "--out", "--output-file", "--to"}


_FORMATS = {"--format", "--json", "--csv", "--yaml", "--output-format", "--out-format"}
_PLACE = re.compile(r"\{(\w+)\}")


# The last one or two words of a command, and an option that it lacks.
_OF_COMMANDS: Mapping[tuple[str, str], str] = {
    ("doctor", "--fix --repair --auto-fix"): "leave it out: it prints what to do",
    ("completion", "--install"): "unified completion install",
    ("completion", "--shell --bash --zsh --fish"): "unified completion bash, zsh or fish",
    ("sandbox serve", "-p -P --listen"): "--port {value}",
    ("sandbox serve", "-d --daemon --detach --background"): "& at the end of the line",
    ("sandbox", "--yes -y --force"): "leave it out: the sandbox does not ask",
    ("doctor", "--offline --local"): "leave it out: without --network nothing is sent",
    ("login", "--token-file"): "--token-stdin < FILE",
    ("add", "--all"): "leave it out: it applies to all that the token can see",
    ("resume", "--dry-run"): "unified runs show lists the calls that are not done",
    ("logs", "--status --errors --error --level"): "--failed",
    ("logs", "-f --follow --watch"): "it shows past calls: --since 5m, the last minutes",
    ("logout", "--all"): "one at a time: unified profile logout NAME",
    ("retry", "--dry-run"): "unified runs show lists the calls that failed",
    ("retry", "--all"): "leave it out: without an id it takes the newest run",
    ("resume", "--all"): "leave it out: without an id it takes the newest run",
    ("retry", "--failed --failures --errors"): "leave it out: it repeats those that failed",
    ("resume", "--failed --failures --errors"): "unified runs retry takes those that failed",
    ("remove", "--older-than --before --since --after --done --failed --status --state"): (
        "name each: unified runs remove RUN…; unified runs list shows their times and states"
    ),
    ("runs", "--status --state --filter --failed --older-than --before --since --done"): (
        "unified runs list shows the time and the state of each"
    ),
    **dict.fromkeys(
        ((one, "--dry-run --preview") for one in ("report", "plan")),
        "leave it out: this sends no write",
    ),
    ("runs remove", "--all -a"): "unified runs list shows the ids; several can be named",
    ("profile remove", "--all"): "one at a time: {path} NAME",
    ("profile set", "--all"): "unified profile set '*' KEY=VALUE",
    ("connections", "--failed --failures --unhealthy --broken --errors --check"): (
        "--health shows the problems, broken ones first"
    ),
    ("connections", "--status --state"): "--where '.status == \"{value}\"'",
    **dict.fromkeys(
        ((one, "--where --filter --jq --select --query -q") for one in ("plan", "diff")),
        "--map 'select(EXPR)' leaves out the other records of --from",
    ),
    ("profile show", "--token --show-token --show-secrets --reveal"): (
        "leave it out: a token is never shown; unified profile test tries it"
    ),
    ("apply", "--force --overwrite"): (
        "--yes answers the question, --overwrite-changed changes what has changed since the plan"
    ),
    ("apply", "--from --source --src"): "leave it out: the plan names it, -p TARGET the other side",
    ("plan", "--yes -y --apply --run"): (
        "leave it out: a plan changes nothing, unified apply PLAN --yes makes its calls"
    ),
    ("plan", "-o --output --json --format"): "the plan is NDJSON: > FILE",
    ("diff", "--yes -y --dry-run"): "leave it out: a comparison changes nothing",
    ("diff", "--same-ids"): "leave it out: --key NAME joins by another value than id",
    ("export", "--jq --filter --where --map --select --fields"): (
        "an export has whole records; unified sql --from DIR selects from it"
    ),
    ("export", "--exclude --except --without --skip"): (
        "name the lists to export; -p '!NAME' leaves out a profile"
    ),
    ("export", "--status --show"): "unified export --verify DIR, or the same export again",
    ("import", "--jq --fields --select --columns --transform"): "--map JQ reshapes each record",
    ("download", "--to --dest --destination --output-dir"): "--out {value}",
    ("mcp config", "-o --output --json"): "leave it out: it prints what the client reads",
    ("sql", "--dry-run --plan --check"): "--explain",
    ("sql", "--where --filter --filters"): "WHERE in the statement",
    ("sql", "--limit --offset --top"): "LIMIT in the statement",
    ("sql", "--sort --order --order-by"): "ORDER BY in the statement",
    ("sql", "--fields --columns --select"): "the statement names the columns",
    (
        "operations",
        "-q --query --filter --search --grep -s --api --resource --model",
    ): "{path} {value}",
    ("sql", "--all"): "leave it out: all pages are read",
    ("sql", "-c -e --command --execute --sql --statement"): "{path} {value}",
}


def of_command(context: Any, option: str, value: str) -> str | None:
    """Return the advice for an option that this command lacks on purpose, or None."""
    path = context.command_path if context else ""
    for (command, options), advice in _OF_COMMANDS.items():
        if f" {command} " in f"{path} " and option in options.split():
            return advice.format(path=path, value=quoted(value) if value else "VALUE")
    return None


def without_option(context: Any, option: str, value: str) -> str | None:
    """Return what to type instead of an option that a built-in command lacks, or
    None.
    """
    if not context or hasattr(context.command, "list_commands"):
        return None
    path, spellings = context.command_path, {*argument_errors.spellings_of(context, "-")}
    if option in _FILES and path in _PRINTS:
        return f"> {quoted(value or 'FILE')}"
    if len(path.split()) > known_fields.OPERATION_WORDS:
        return None
    for one in _BY_OPTION.get(option, ()):
        fits = spellings >= {*one.has} and spellings.isdisjoint(one.lacks)
        if fits and (path in _LISTS or not one.lists):
            return _PLACE.sub(lambda place: quoted(value) if value else place[1], one.text)
    return None


def output_format(context: Any, option: str, value: str) -> str | None:
    """Return the option `-o` of a command for another spelling of it, or None.

    Suggests the format that was probably meant, or lists all formats of the command.
    """
    if hasattr(context.command, "list_commands"):
        is_early = option == "--json" and context.parent is None
        return "-o json" if is_early else None
    flags = context.command.page().flags
    flag = next((one for one in flags if "--output" in one.spellings), None)
    has_body = "-d" in argument_errors.spellings_of(context, "-")
    if option not in _FORMATS or flag is None or (option == "--json" and (has_body or value)):
        return None
    named = value if option.endswith("format") else option.removeprefix("--")
    if named in flag.choices:
        return f"-o {named}"
    if flag.choices == formats.names(formats.REPORTS):
        return "--to FILE.html writes the page, -o json prints what it shows"
    meant = meant_value(named, flag.choices) if named else None
    return f"-o {meant}" if meant else f"-o FORMAT: {', '.join(flag.choices)}"
