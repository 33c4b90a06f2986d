"""Suggest what to type for an unknown option whose value says what was meant.

Used only if a command line could not be parsed.
"""

from collections.abc import Collection, Sequence
from typing import Any

from unified_cli.cli import argument_errors, known_fields, next_steps
from unified_cli.cli.choices import meant_value
from unified_cli.cli.other_tools import FILTERS, own_spellings
from unified_cli.hints import quoted, selecting, selects_person
from unified_cli.json_text.json_codec import dump
from unified_cli.output import formats

_OF_METHOD = ("-X", "--request", "--method")
_OF_HEADER = ("-H", "--header", "--headers")
_METHODS = ("GET", "POST", "PATCH", "PUT", "DELETE")
_SIDES = ("--from", "--to")
_PROFILE = {"-p", "--profile"}
# In gh and other tools, these take the text of a record. curl's take the body.
_TEXTS = {"--body", "--content"}
_SENT = "leave it out: only Accept, Content-Type, Authorization and Idempotency-Key are sent"


def meant(context: Any, option: str, value: str, argv: Sequence[str]) -> str | None:
    """Return what to type if the option's value shows it, or None."""
    spellings = argument_errors.spellings_of(context)
    if option in _OF_METHOD and context.command_path.endswith(" request"):
        return _request_line(argv, option, value)
    if option in _OF_HEADER and value:
        return _of_header(value, spellings)
    chosen = [*next_steps.profiles(argv)]
    if option in _PROFILE and "--from" in spellings and len(chosen) == len(_SIDES):
        return " ".join(f"{side} {quoted(one)}" for side, one in zip(_SIDES, chosen, strict=True))
    name = option.removeprefix("--").replace("-", "_")
    if option in _TEXTS and value[:1] not in {*"{[@", ""}:
        field = known_fields.meant_field(context, name)
        return (
            f"-f {quoted(f'{field}={value}')}"
            if field in known_fields.field_names(context)
            else None
        )
    at = argv.index(option) if option in argv else 0
    if argv[at - 2 : at - 1] == ["--columns"] and name in known_fields.field_names(context):
        return f"--columns {quoted(f'{argv[at - 1]},{name}')}"
    own = own_spellings(option, value)
    if own and own[-1].option == "--account-id" and value in argument_errors.profiles(context):
        return f"-p {quoted(value)}"
    if own and own[-1].option == "--profile" and value in context.find_root().command.entries:
        return f"leave it out: {value} is an API, not a profile"
    return None


def _request_line(argv: Sequence[str], option: str, method: str) -> str:
    words = [*without(argv, option)]
    at = words.index("request") + 1
    rest = words[at + 1 :] if words[at : at + 1] and words[at].upper() in _METHODS else words[at:]
    line = (*words[:at], method.upper() or "METHOD", *(rest or ["/PATH"]))
    return " ".join(("unified", *map(quoted, line)))


def without(argv: Sequence[str], option: str) -> Sequence[str]:
    """Return the words without an option and its value."""
    for at, word in enumerate(argv):
        if word == option:
            return [*argv[:at], *argv[at + 2 :]]
        if word.startswith(option):
            return [*argv[:at], *argv[at + 1 :]]
    return argv


def _of_header(header: str, spellings: Collection[str]) -> str:
    name, _, value = (part.strip() for part in header.partition(":"))
    if name.lower() == "accept" and "--output" in spellings:
        kind = value.partition(";")[0].rpartition("/")[2]
        meant = meant_value(kind, formats.names(formats.RESULTS))
        return f"-o {meant}" if meant else "leave it out: -o chooses the format"
    if name.lower() == "authorization":
        return "leave it out: the token comes from the profile, or --token-file FILE"
    if name.lower() == "idempotency-key" and "--idempotency-key" in spellings:
        return f"--idempotency-key {quoted(value)}"
    return _SENT


def without_parameter(context: Any, option: str, value: str) -> str | None:
    """Return how to select by a field, or None. The field's name may be typed in
    another case.
    """
    name, equals, wanted = value.partition("=")
    # A value with `,Values=` is a filter of the AWS CLI, which has another suggestion.
    if option not in FILTERS or not equals or ",Values=" in wanted:
        return None
    wanted = wanted.strip("'\"= ")
    fields = known_fields.facts(context, "fields")
    parameters = known_fields.facts(context, "query")
    if name in {fact.name for fact in parameters}:
        return None
    both = {fact.name.lower(): fact.name for fact in (*fields, *parameters)}
    meant = both.get(name.lower(), name)
    field = next((field for field in fields if field.name == meant), None)
    is_text = field is not None and field.type == "string" and not field.is_time
    program = f"select(.{field.name} == {dump(wanted)})" if field and is_text else None
    program = selects_person(fields, wanted) or program
    if program and meant not in {fact.name for fact in parameters}:
        return selecting(program)
    return f"-q {quoted(f'{meant}={wanted}')} filters" if meant != name else None
