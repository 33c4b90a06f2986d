"""Turn Typer's errors into errors with suggestions."""

import json
import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from itertools import pairwise
from typing import Any

from unified_cli.cli import (
    argument_errors,
    known_fields,
    missing_options,
    option_values,
    removed_options,
    unknown_commands,
)
from unified_cli.cli.argument_options import as_argument
from unified_cli.cli.flags import BODY, LIST
from unified_cli.cli.operation_options import by_spelling
from unified_cli.cli.other_tools import own_spellings
from unified_cli.cli.shared_options import is_write
from unified_cli.cli.word_order import find_resources
from unified_cli.config.keys import KEYS, yes_or_no
from unified_cli.errors import UsageError
from unified_cli.hints import quoted
from unified_cli.masking import visible

_READERS = dict.fromkeys(("--until", "--expect", "--fail-if", "--junit", "--every"), "list and get")
_TAKEN_BY = {
    LIST: "lists",
    BODY: "operations that send a body",
    "--edit": "updates",
    "--follow": "lists",
    **dict.fromkeys(("-y", "--yes", "--idempotency-key"), "writes"),
    **_READERS,
}
_WHAT = ("--api", "--resource", "--resources")
_WITH_LISTS = ("capabilities", "export")
_OF_A_FILE = {"-f", "--file", "--filename"}
_PROFILE = {"-p", "--profile"}
_OF_ALL = ("--version", "--help")
# Options of other tools for tags of profiles, or labels of records.
_LABELS = {"--label", "--labels", "--tag", "--tags"}
_FILE = re.compile(r"[\w./~-]+\.(html?|json|ndjson|csv|parquet|xml|zip|txt)", re.ASCII)
_STATES = {"--status", "--state"}
_UNLIMITED = ("not 'all'", "not '0'", "not '-1'")
_CLOSE = 0.75
_CLOSER = 0.85  # "--state x" is nearer to a parameter than to "--rate"


__all__ = ["argument_errors", "from_typer", "unknown_commands", "with_one_dash"]


def from_typer(error: Any, argv: Sequence[str]) -> UsageError:
    """Return the error with a suggestion. Typer's error classes are recognised by their
    attributes.
    """
    option, parameter = getattr(error, "option_name", None), getattr(error, "param", None)
    if option and not hasattr(error, "possibilities"):
        return _misused_option(error.ctx, option, error.format_message(), argv)
    if option:
        return _unknown_option(error.ctx, option, argv)
    found = _usage_error(error.ctx, error.format_message())
    # Only errors about missing arguments have this attribute.
    if hasattr(error, "param_type"):
        return UsageError(found.reason, hint=_usage(error.ctx))
    if parameter is not None and parameter.name == "limit" and found.reason.endswith(_UNLIMITED):
        return UsageError(found.reason, hint="--all reads every page")
    return found


def with_one_dash(argv: Sequence[str]) -> UsageError | None:
    """Return the error for a long option with one dash.

    Typer would read -all as the short option -a with the value ll.
    """
    for before, word in pairwise(("", *argv)):
        if word == "--":
            return None
        meant = f"-{word.partition('=')[0]}"
        is_value = before in by_spelling() and by_spelling()[before].takes_value
        if meant in {*by_spelling(), *_OF_ALL} and meant.startswith("--") and not is_value:
            return UsageError(
                f"{visible(word)}: a long option has two dashes", hint=f'did you mean "{meant}"?'
            )
    return None


def _usage_error(context: Any, message: str) -> UsageError:
    where = f"{context.command_path}: " if context else ""
    message = message.strip().rstrip(".")
    return UsageError(f"{where}{message[0].lower()}{message[1:]}", hint=_help_command(context))


def _help_command(context: Any) -> str:
    return f"{context.command_path if context else 'unified'} --help"


def _unknown_option(context: Any, option: str, argv: Sequence[str]) -> UsageError:
    where = f"{context.command_path}: " if context else ""
    if option == "--wait" and context and (old := removed_options.wait(where[:-2], argv)):
        return old
    value = _typed_value(option, argv)
    # Options of terraform have one dash, so `-auto-approve` is read as `-a`.
    long = (f"-{one}" for one in argv if len(one) > len(option) and one.startswith(option))
    if not option.startswith("--") and (meant := next(filter(own_spellings, long), "")):
        option = meant
    hint = missing_options.of_command(context, option, value) or _suggest(
        context, option, value, argv
    )
    hint = hint or _help_command(context)
    return UsageError(f"{where}no such option: {visible(option)}", hint=hint)


def _typed_value(option: str, argv: Sequence[str]) -> str:
    for at, word in enumerate(argv):
        if word == option:
            value, order = (*argv[at + 1 :], "", "")[:2]
            value = f"{value}:{order}" if order.lower() in {"asc", "desc"} else value
            return "" if value.startswith("-") else value
        if word.startswith(f"{option}="):
            return word.removeprefix(f"{option}=")
        if not option.startswith("--") and word.startswith(option):
            return word.removeprefix(option)
    return ""


def _misused_option(context: Any, option: str, message: str, argv: Sequence[str]) -> UsageError:
    # An option of another command may have the same name, but another meaning.
    flags = context.command.page().flags if context and not _is_group(context.command) else ()
    own = (name for name in flags if option in name.spellings)
    flag = next(own, by_spelling().get(option))
    if flag is None:
        return _usage_error(context, message)
    if option == "-f" and "delete" in argv:
        return UsageError(f"{option} needs a value", hint="--yes deletes without asking")
    if flag.takes_value:
        return UsageError(f"{option} needs a value", hint=f"{option} {flag.metavar}: {flag.about}")
    return UsageError(f"{option} takes no value", hint=flag.about)


def _suggest(context: Any, option: str, value: str, argv: Sequence[str]) -> str | None:
    own = own_spellings(option, value)
    spellings = argument_errors.spellings_of(context) if context else []
    assigned = next(_assigned_to(context, option, value), None)
    if context and not _is_group(context.command):
        special = option_values.meant(context, option, value, argv)
    else:
        special = None
    if special:
        return special
    is_label = option in _LABELS and "--tag" not in spellings
    if assigned and is_label and not _PROFILE.isdisjoint(argv):
        return assigned
    if named := _of_id(context, option, value) or as_argument(context, option, argv):
        return named
    if found := next((one for one in own if not one.option or one.option in spellings), None):
        return (
            missing_options.output_format(context, option, value)
            or option_values.without_parameter(context, option, value)
            or found.in_words(value)
        )
    if named := _of_value(context, option, value, argv):
        return named
    if context and _is_group(context.command) and context.command.kind != "command":
        own = [one for one in own if not one.option or one.option in by_spelling()]
    if context and _is_group(context.command) and (own or option in by_spelling()):
        return _after_operation(
            context, option, value, own[-1].in_words(value) if option not in by_spelling() else ""
        )
    instead = missing_options.without_option(context, option, value)
    if instead and not (assigned and option in _STATES):
        return instead
    return _closest(context, option, spellings, assigned)


def _closest(
    context: Any, option: str, spellings: Sequence[str], assigned: str | None
) -> str | None:
    # Typer's own suggestions are poor.
    longer = [
        one for one in spellings if one.startswith(f"{option}-") or option.startswith(f"{one}-")
    ]
    longer = longer or [one for one in spellings if one.startswith(option) and option[3:]]
    close = longer or get_close_matches(option, spellings, 1, _CLOSER if assigned else _CLOSE)
    if not close and context and _is_group(context.command):
        return _misspelt(context, option)
    name = option.removeprefix("--").replace("-", "_")
    if assigned and (not close or name in known_fields.field_names(context)):
        return assigned
    if not close and context and not _is_catalogue_operation(context):
        return None
    if not close and (flag := by_spelling().get(option)):
        taken_by = _TAKEN_BY.get(option) or (
            "create and update" if flag.when is is_write else _TAKEN_BY.get(flag.group)
        )
        return f"only {taken_by} have it{_all_records(context, option)}" if taken_by else None
    return "did you mean " + " or ".join(f'"{one}"' for one in close) + "?" if close else None


def _misspelt(context: Any, option: str) -> str | None:
    """Return the suggestion for a misspelt option of a group, or None."""
    if (name := option.removeprefix("--")) in argument_errors.profiles(context):
        return f"-p {quoted(name)} selects this profile"
    known = [*by_spelling(), *(["--version"] if context.parent is None else [])]
    close = get_close_matches(option, known, 1, _CLOSER)
    after = ", after the operation" if close and close[0] in by_spelling() else ""
    return f'did you mean "{close[0]}"{after}?' if close else None


def _of_value(context: Any, option: str, value: str, argv: Sequence[str]) -> str | None:
    """Return a suggestion for an unknown option whose value is a profile or a resource,
    or None.
    """
    if not context or _is_group(context.command):
        return None
    if of_this := _of_command(context, option, value, argv):
        return of_this
    if not value:
        return None
    if option.removeprefix("--").replace("-", "_") in known_fields.field_names(context):
        return None
    if "--profile" in argument_errors.spellings_of(context) and value in argument_errors.profiles(
        context
    ):
        return f"-p {quoted(value)}"
    api, slash, resource = value.partition("/")
    entries = context.find_root().command.entries
    takes = any(parameter.name in {"resource", "resources"} for parameter in context.command.params)
    if not takes or not slash or f"{api} {resource}" not in find_resources(entries, resource):
        return None
    words = [*context.command_path.split()[1:], value]
    others = [
        word
        for before, word in pairwise(("", *argv))
        if word not in words
        and not word.startswith("-")
        and not (before in by_spelling() and by_spelling()[before].takes_value)
    ]
    return " ".join((context.command_path, quoted(value), *map(quoted, others)))


def _all_records(context: Any, option: str) -> str:
    """Return how to send a write for all records, if that is what the option means."""
    path, parameters = (
        context.command_path,
        {parameter.name for parameter in context.command.params},
    )
    if option != "--all" or not {"id", "yes"} <= parameters:
        return ""
    return f": {context.parent.command_path} list --all -o ndjson | {path} -"


def _of_command(context: Any, option: str, value: str, argv: Sequence[str]) -> str | None:
    """Return a suggestion for an option of a particular command, or None."""
    path, is_file = context.command_path, bool(value) and option in _OF_A_FILE
    if path == "unified import" and option in argument_errors.OF_FIELDS and "=" in value:
        name, _, text = value.partition("=")
        return f"--map {quoted(f'.{name} = {json.dumps(text, ensure_ascii=False)}')}"
    key = option.removeprefix("--").replace("-", "_")
    key = "tags" if key == "tag" else key
    if path == "unified profile set" and key in KEYS:
        flag = "true" if KEYS[key].parse is yes_or_no else "VALUE"
        return quoted(f"{key}={value}") if value else f"{key}={flag}"
    if is_file and any(parameter.name == "plans" for parameter in context.command.params):
        return f"unified {' '.join(map(quoted, [*option_values.without(argv, option), value]))}"
    if is_file and path.endswith(" sql"):
        return f"{path} {quoted(f'@{value}')}"
    if is_file and path == "unified import":
        typed = (word for word in argv if "/" in word and "." not in word)
        return f"{path} {quoted(next(typed, 'API/RESOURCE'))} {quoted(value)}"
    if value and option in _WHAT and context.command.name in _WITH_LISTS:
        return f"{path} {quoted(value)}"
    if option in _PROFILE:
        return "leave it out: this command uses no connection"
    file_option = {"--to", "--out"}.intersection(argument_errors.spellings_of(context))
    if _FILE.fullmatch(value) and len(file_option) == 1:
        return f"{file_option.pop()} {quoted(value)}"
    return _all_of(context) if option == "--all" and not _is_catalogue_operation(context) else None


def _all_of(context: Any) -> str | None:
    """Return the command that does the same for all, or None."""
    name, above = context.command.name, context.parent
    if name == "list":
        return "leave it out: list shows all"
    if name == "show" and "list" in getattr(above.command, "entries", ()):
        return f"{above.command_path} list shows all"
    spellings = argument_errors.spellings_of(context)
    return "-p '*' takes every profile" if "--profile" in spellings else None


def _after_operation(context: Any, option: str, value: str, instead: str) -> str:
    if instead:
        is_whole = instead.startswith("leave it out")
        return instead if is_whole else f"{instead}, after the operation"
    if value in context.command.entries:
        return f"{context.command_path} {value} {option}"
    if value and "list" in context.command.entries and context.command.kind == "operation":
        return f"{context.command_path} list {option} {quoted(value)}"
    if context.parent and context.command.kind == "command":
        takes = (name for name in context.command.entries if option in _spellings(context, name))
        words = (
            context.command_path,
            next(takes, "COMMAND"),
            option,
            *([quoted(value)] * bool(value)),
        )
        return " ".join(words)
    return "put it after the operation"


def _spellings(context: Any, name: str) -> Sequence[str]:
    command = context.command.get_command(context, name)
    return (
        []
        if _is_group(command)
        else [one for flag in command.page().flags for one in flag.spellings]
    )


def _assigned_to(context: Any, option: str, value: str) -> Iterator[str]:
    if context and option in argument_errors.OF_FIELDS and "=" in value:
        yield from argument_errors.assigned(argument_errors.spellings_of(context, "-"), "=", value)
    if (
        context
        and value
        and option.startswith("--")
        and option not in by_spelling()
        and not _is_group(context.command)
    ):
        name = option.removeprefix("--").partition("=")[0].replace("-", "_")
        spellings = argument_errors.spellings_of(context, "-")
        if "-f" not in spellings:
            name = known_fields.known_filter(context, name)
        else:
            name = known_fields.meant_field(context, name)
        yield from argument_errors.assigned(spellings, "=", f"{name}={value}")


def _of_id(context: Any, option: str, value: str) -> str | None:
    """Return where to put an id, or None.

    It belongs at the end of the path, or in a required field, such as user_id for
    --user.
    """
    if option == "--id" and context and context.command_path.endswith(" request"):
        return "put the id at the end of the path"
    if option == "--id" and value and context and context.command.name == "list":
        above = context.parent.command
        return f"{context.parent.command_path} get {quoted(value)}" if _has_get(above) else None
    name = f"{option.removeprefix('--').replace('-', '_').removesuffix('_id')}_id"
    fields = known_fields.facts(context, "body") if context and value else ()
    found = any(field.name == name and field.required for field in fields)
    return f"-f {quoted(f'{name}={value}')}" if found else None


def _usage(context: Any) -> str:
    words = [one.metavar for one in context.command.params if one.param_type_name == "argument"]
    words = ["API/RESOURCE" if one == "RESOURCE" else one for one in words]
    method = context.params.get("method") or ""
    if "/" in method:
        return f"{context.command_path} GET {quoted(method)}"
    given = context.params.get("resource") or ""
    if words == ["API/RESOURCE", "FILE"] and given:
        words = [given, "FILE"] if "/" in given else ["API/RESOURCE", quoted(given)]
    has_sides = any(one.name == "from_" for one in context.command.params)
    if words == ["API/RESOURCE"] and has_sides and not context.params.get("from_"):
        words = [given or "API/RESOURCE", "--from PROFILE --to PROFILE"]
    line = " ".join([context.command_path, *words])
    is_import = context.command_path.endswith(" import")
    return f"{line}; - as FILE reads standard input" if is_import else line


def _is_catalogue_operation(context: Any) -> bool:
    return len(context.command_path.split()) == known_fields.OPERATION_WORDS + 1


def _has_get(group: Any) -> bool:
    return "get" in getattr(group, "entries", ())


def _is_group(command: Any) -> bool:
    return hasattr(command, "list_commands")
