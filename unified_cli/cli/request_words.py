"""Suggest what to type for curl's options `-X` and `-H`.

Used only if a command line could not be parsed.
"""

from collections.abc import Collection, Sequence

from unified_cli.cli.choices import meant_value
from unified_cli.hints import quoted
from unified_cli.output import formats

OF_METHOD = ("-X", "--request", "--method")
OF_HEADER = ("-H", "--header", "--headers")
_METHODS = ("GET", "POST", "PATCH", "PUT", "DELETE")
_SENT = "leave it out: Accept, Content-Type, Authorization and Idempotency-Key are the headers"


def request_line(argv: Sequence[str], option: str, method: str) -> str:
    """Return the line of `request` with the method as its first argument."""
    words = [*_without(argv, option)]
    at = words.index("request") + 1
    rest = words[at + 1 :] if words[at : at + 1] and words[at].upper() in _METHODS else words[at:]
    line = (*words[:at], method.upper() or "METHOD", *(rest or ["/PATH"]))
    return " ".join(("unified", *map(quoted, line)))


def _without(argv: Sequence[str], option: str) -> Sequence[str]:
    for at, word in enumerate(argv):
        if word == option:
            return [*argv[:at], *argv[at + 2 :]]
        if word.startswith(option):
            return [*argv[:at], *argv[at + 1 :]]
    return argv


def of_header(header: str, spellings: Collection[str]) -> str:
    """Return what to type for a header, which has an option or is sent anyway."""
    name, _, value = (part.strip() for part in header.partition(":"))
    if name.lower() == "accept" and "--output" in spellings:
        kind = value.partition(";")[0].rpartition("/")[2]
        meant = meant_value(kind, formats.names(formats.RESULTS))
        return f"-o {meant}" if meant else "leave it out: -o chooses the format"
    if name.lower() == "authorization":
        return "leave it out: the token comes from the profile, or --token-file FILE"
    if name.lower() == "idempotency-key" and "--idempotency-key" in spellings:
        return f"--idempotency-key {quoted(value)}"
    return f"{_SENT} that are sent"
