"""A request shown instead of sent: as JSON, or as a command line that runs as it is."""

import shlex

import msgspec

from unified_cli.call import Call
from unified_cli.errors import UsageError
from unified_cli.http.request import Request
from unified_cli.json_text.values import JsonObject
from unified_cli.output import pretty_json, stdout
from unified_cli.runtime import Runtime

_TOKEN = "$UNIFIED_TOKEN"  # noqa: S105  the variable's name, which stands for the token


# Linux takes 128 KiB for one word of a command line; a shell's own printf takes any.
_LONGEST_WORD = 100_000


def show(call: Call, request: Request) -> None:
    """Print the request as JSON, or as a line for a shell; the token is not even looked up."""
    if call.options.as_ is None:
        pretty_json.write(call.runtime, msgspec.json.encode(_shown(request)))
        return
    if request.address.is_sandbox:
        raise UsageError("the sandbox in this process has no address for curl (unified sandbox serve gives it one)")
    text = curl(request, ca_bundle=call.settings.ca_bundle) + "\n"
    stdout.write(call.runtime, [text.encode("utf-8", "surrogateescape")])


def show_one_of_many(call: Call, request: Request) -> None:
    """Print the request on one line."""
    if call.options.as_ is None:
        line(call.runtime, request)
    else:
        show(call, request)


def _shown(request: Request) -> JsonObject:
    return {
        "method": request.method,
        "url": request.url,
        "headers": {**request.headers, "Authorization": "Bearer ***"},
        "body": msgspec.Raw(request.body) if request.body is not None else None,
    }


def curl(request: Request, *, ca_bundle: str | None = None) -> str:
    """The request as a line for a POSIX shell, with the token left to the variable UNIFIED_TOKEN."""
    # curl reads brackets in a URL as patterns and tidies its path, unless it is told not to.
    words = ["curl", "--fail-with-body", "-sS", "--globoff", "--path-as-is", "-X", request.method]
    words += [shlex.quote(request.url), "-H", f'"Authorization: Bearer {_TOKEN}"']
    for name, value in request.headers.items():
        words += ["-H", shlex.quote(f"{name}: {value}")]
    if ca_bundle:
        words += ["--cacert", shlex.quote(ca_bundle)]
    if request.body is None:
        return " ".join(words)
    body = shlex.quote(request.body.decode("utf-8"))
    if len(request.body) > _LONGEST_WORD:
        return f"printf %s {body} | {' '.join([*words, '--data-binary', '@-'])}"
    return " ".join([*words, "--data-binary", body])


def line(runtime: Runtime, request: Request) -> None:
    """Print the request as JSON on one line, as one of many."""
    stdout.write(runtime, [msgspec.json.encode(_shown(request)) + b"\n"])
