"""Next steps for errors that occur in more than one place or have more than one
cause.
"""

import os
import re
import shlex
from collections.abc import Collection, Iterable
from difflib import get_close_matches
from urllib.parse import unquote

from unified_cli.catalogue import Operation
from unified_cli.catalogue.known import KnownField
from unified_cli.json_text import json_check
from unified_cli.masking import visible

SET_HOME = "set HOME, or name a file with UNIFIED_CONFIG"
NAME_PROGRAM = "use an absolute path, or a name on PATH"
JSON_IN_QUOTES = (
    """use single quotes, because the shell removes double quotes: -d '{"name": "x"}'"""
)
ANY_NAME = "NAME"
"""The placeholder for a profile's name that is not known."""
AN_ADDRESS = "such as https://api.truto.one"
OF_SERVICE = (
    "The address and the token are those of your service. An example, with which this program is"
    " not affiliated: Truto is at https://api.truto.one, and its dashboard makes a token under"
    " Settings, API Tokens."
)
WHERE_TOKENS_ARE = "unified help profiles says where a token comes from"
TOO_SLOW = "a larger --timeout waits longer"
OTHER_AUTHORITY = "--ca-bundle FILE trusts another authority"
# This is no secret, but the text of a hint.
OWN_TOKEN = (
    "the token of a single connection may not do this:"  # noqa: S105
    " use the environment's token"
)
ONLY_OWN = (
    'the account id "me" is for the token of a single connection; with another token, name the'
    " connection: -a ID"
)
WRONG_CLOCK = "check this machine's clock"
BASE_URL = "is the base URL right? unified profile show says where it comes from"
OTHER_CURSOR = (
    "a cursor expires, and is only valid for its own list; leave out --cursor to start at the first"
    " page"
)
NO_PAGE = f"{BASE_URL}; -o raw prints one page as served"
MOVED = "if the service has moved there, set the base URL"
ACCEPTS = " (--allow-partial accepts that)"
"""The end of a sentence about missing records, which manifests store, too."""
NO_MORE_RETRIES = "this run has used up its retries"
TLS_PORT = "is the port right?"

_REFUSED = {
    (401, "service"): (
        "the token comes from {token}; {stores}unified doctor{profile} --network checks it"
    ),
    (401, "provider"): (
        "its owner must sign in again: unified connections link -p {name} makes a token for that"
    ),
    (403, "service"): "the token from {token} may not do this with this account id",
    (403, "provider"): (
        "the connection's owner must allow this at the provider, or sign in again: unified"
        " connections link -p {name} --force"
    ),
    (405, "service"): "the connection may be read-only, or not offer this operation",
    (409, "service"): "the record may already exist, or may have changed since it was read",
    (429, "service"): TOO_SLOW,
    (429, "provider"): TOO_SLOW,
}
EMPTY = "leave the setting out, or check the shell variable that its value comes from"
NOT_OFFERED = {404, 405, 501}
"""The status codes that may mean that a provider does not offer a list."""
_PROFILE_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,63}", re.ASCII)
# Match only lower case, so that a token in the wrong variable is not printed.
_HOST = re.compile(r"(localhost|[a-z\d-]+(\.[a-z\d-]+)+)(:\d+)?/?", re.ASCII)
_HERE = re.compile(r"(localhost|127\.0\.0\.1)(?![\w.-])", re.ASCII)
_FILE = re.compile(r"[\w./~-]+\.(json|ndjson|jsonl)", re.ASCII)
_OWN_HOST = re.compile(r"https?://(?:[\w-]+\.)*([a-z\d][\w-]*)\.[a-z]{2,}(?:[:/]|$)", re.ASCII)
_COMPARISONS = {">": "gt", ">=": "gte", "<": "lt", "<=": "lte", "!=": "ne"}
_COMPARED = re.compile(r"([\w.]+)\s*([<>]=?|!=)(.+)", re.ASCII)
_MAIL = re.compile(r"[\w.+-]+@[\w.-]+")
_PATH = re.compile(r"\w+\[[\d*]*\]")
_NUMBER = re.compile(r"#\d+|#?[A-Z][A-Z\d]*-\d+", re.ASCII)
_BARE = re.compile(r"[^\s{}\[\],:][^{}\[\],:]*")
_LITERAL = re.compile(r"(-?(0|[1-9]\d*)(\.\d+)?|true|false|null)\s*")
_AROUND_ID = " \t\r\n\"'`<>,;"
_BEFORE_ID = re.compile(r"(?:https?://|/)[^?#]*/|id\s*[=:]\s*", re.IGNORECASE)
_CLOSE, _CLOSE_TO_RESERVED = 0.65, 0.8


def known_profiles(names: Collection[str], wanted: str, reserved: str) -> str:
    """Return the profile that may have been meant, or where to look.

    `reserved` is the name of the built-in profile.
    """
    if close := get_close_matches(wanted, names, 1, _CLOSE) or get_close_matches(
        wanted, [reserved], 1, _CLOSE_TO_RESERVED
    ):
        return f'did you mean "{close[0]}"?'
    if not names and "://" in wanted:
        return f"no profiles yet: {add_profile(wanted)}"
    if not names:
        name = wanted if _PROFILE_NAME.fullmatch(wanted) else ANY_NAME
        return f"no profiles yet: unified profile add {name}"
    return f"unified profile list shows {len(names)}"


def add_profile(address: str) -> str:
    """Return the command that adds a profile for an address, named after its host."""
    host = _OWN_HOST.match(address)
    name = host[1] if host else ANY_NAME
    return f"unified profile add {name} --base-url {quoted(address)}"


def meant_query(text: str) -> str:
    """Return what to type for a query parameter that is not `NAME=VALUE`."""
    if compared := _COMPARED.fullmatch(text):
        name, sign, value = compared.groups()
        return f"-q {quoted(f'{name}[{_COMPARISONS[sign]}]={value.strip()}')}"
    name, equals, value = text.partition("=")
    if equals and name.endswith(" "):
        return f"-q {quoted(f'{name.strip()}={value.strip()}')}"
    if text.startswith("?"):
        return " ".join(f"-q {quoted(part)}" for part in text[1:].split("&") if part)
    if text.isidentifier():
        greater = quoted(f"{text}[gt]=VALUE")
        return f"-q {text}=VALUE, or -q {greater} in quotes; --jq EXPR selects from the result"
    return (
        with_equals("-q", text) or as_jq(text) or "-q NAME=VALUE; --jq EXPR selects from the result"
    )


def selects_person(fields: Iterable[KnownField], address: str) -> str | None:
    """Return the jq program that selects the records with an email address.

    Returns None if the text is not an email address, or if the records have no field
    for one.
    """
    have_mail = any(field.name == "emails" for field in fields)
    found = have_mail and _MAIL.fullmatch(address)
    return f'select(any(.emails[]?; .email == "{address}"))' if found else None


def selecting(program: str) -> str:
    """Return the options of a list for the records that a program selects."""
    return f"--all -o ndjson --jq {quoted(program)}"


def with_quotes(text: str) -> str | None:
    """Return JSON with double quotes for text whose quotes are missing or single, such
    as `{id:3}` or `[red,blue]`.

    Returns None for other text.
    """

    def word(found: re.Match[str]) -> str:
        return found[0] if _LITERAL.fullmatch(found[0]) else f'"{found[0].strip()}"'

    json = _BARE.sub(word, text.replace("'", "")) if text[:1] in {"{", "["} else ""
    wrong = json and '"' not in text and json_check.flaw(text.encode())
    return json if wrong and not json_check.flaw(json.encode()) else None


def meant_body(text: str) -> str | None:
    """Return the option for text that was given instead of JSON, or None.

    It sets a body, or a field of a body.
    """
    name, equals, _ = text.partition("=")
    if text.startswith("file://"):
        return f"-d {quoted(text.replace('file://', '@', 1))}"
    if text.startswith(("@", "{", "[")):
        return f"-d {quoted(with_quotes(text) or text)}"
    # The text may be megabytes of JSON instead of a path.
    if _FILE.fullmatch(text) or os.path.isfile(text):  # noqa: PTH113
        return f"-d {quoted(f'@{text}')}"
    return f"-f {quoted(text)}" if equals and name.isidentifier() else None


def with_equals(option: str, text: str) -> str | None:
    """Return the option with `NAME:VALUE` as an assignment, or None for other text."""
    name, colon, value = text.partition(":")
    return (
        f"{option} {quoted(f'{name}={value.strip()}')}" if colon and name.isidentifier() else None
    )


def as_jq(text: str) -> str | None:
    """Return the jq program for a path in the style of aws, such as `items[].id`, or
    None for other text.
    """
    return f"--jq {quoted(f'.{text}')}" if _PATH.match(text) else None


def quoted(text: str) -> str:
    """Return the text quoted for a shell, with control characters made visible."""
    return visible(shlex.quote(text))


def with_scheme(text: str) -> str:
    """Return the base URL for a host without a scheme."""
    if not _HOST.fullmatch(text):
        return "https://api.example.com"
    return f"{'http' if _HERE.match(text) else 'https'}://{text}"


def make_private(path: object) -> str:
    """Return how to keep others from reading a file."""
    return f"chmod 600 {quoted(str(path))}"


def http_instead(place: str) -> str:
    """Return the hint for a port without TLS on this machine.

    Do not use it for another machine, because it suggests sending clear text.
    """
    return f"did you mean http://{place}?"


def https_instead(place: str) -> str:
    """Return the hint for a port that may expect TLS."""
    return f"did you mean https://{place}?"


def no_tls_proxy(variable: str) -> str:
    """Return the hint for a proxy without TLS that is set as https."""
    return f"did you mean http:// in {variable}?"


def proxy_login(variable: str, *, known: bool) -> str:
    """Return the hint for a 407 of a proxy.

    `known` says whether the variable has a user name and a password.
    """
    if known:
        return f"check the name and the password in {variable}"
    return f"the proxy requires a name and a password: http://NAME:PASSWORD@HOST:PORT in {variable}"


def doubled(prefix: str) -> str:
    """Return the hint if the base URL ends with the beginning of each path."""
    return f"the base URL must not end with {prefix}, because each path begins with it"


def check_address(source: str) -> str:
    """Return the hint for an unreachable host.

    `source` is the setting with its name.
    """
    return f"check the address, which comes from {source}"


def needs_login(profile: str | None = None) -> str:
    """Return the hint for an expired login: who can renew it, and the command."""
    return _REFUSED[401, "provider"].format(name=profile or ANY_NAME)


def unblocked(profile: str | None = None) -> str:
    """Return the hint for a blocked connection. Both remedies are those of the
    service.
    """
    name = profile or ANY_NAME
    return (
        f"unified connections refresh -p {name}, or a new login by its owner (unified connections"
        f" link -p {name}), may unblock it; otherwise the service's support can"
    )


def may_work(profile: str | None) -> str:
    """Return the hint for a connection in a bad state, whose calls may still work."""
    return (
        "its lists may still work: unified profile test"
        f" {profile or ANY_NAME} --with 'ticketing tickets'"
    )


def blocked(profile: str | None, *, named: bool) -> str:
    """Return the hint for a blocked account.

    The service itself sent a 503. `named` says whether its message calls the account
    blocked.
    """
    if named:
        return f"the account is blocked; {unblocked(profile)}"
    return (
        "this may mean that the account is blocked: unified profile test"
        f" {profile or ANY_NAME} shows whether it is; if so, {unblocked(profile)}"
    )


def for_status(
    status: int,
    origin: str,
    operation: Operation | None,
    token: str,
    profile: str | None,
    path: str = "",
) -> str | None:
    """Return the hint for a failed response, or None. `origin` is `service` or
    `provider`.

    `token` is the source of the token, `profile` the profile of the connection, and
    `path` ends with the id.
    """
    if status == 404:
        return _not_found(operation, profile, path) if origin == "service" else None
    if status in NOT_OFFERED and operation and operation.lists:
        return "the connection may not offer this list"
    if status >= 500 and not (operation and operation.method != "GET"):
        return f"the {origin} failed; try again later"
    found = _REFUSED.get((status, origin))
    if found is None:
        return None
    named = re.match(r"profile (\S+)", token)
    owner = f" {named[1]}" if named else ""
    stores = (
        f"unified profile login{owner} stores another, "
        if owner and "(command " not in token
        else ""
    )
    return found.format(token=token, profile=owner, name=profile or ANY_NAME, stores=stores)


def _not_found(operation: Operation | None, profile: str | None, path: str) -> str:
    if operation is None:
        return "check the path and the account id"
    if operation.takes_id:
        chosen = f"-p {profile} " if profile else ""
        resource = f"unified {chosen}{operation.api} {operation.resource}"
        if "," in (several := unquote(path.rpartition("/")[2])):
            ids = " ".join(quoted(part.strip()) for part in several.split(","))
            return f"for several records: printf '%s\\n' {ids} | {resource} {operation.name} -"
        if meant := _id_within(several, operation):
            return f'did you mean "{visible(meant)}"?'
        fields = operation.facts.fields
        if chosen_by := selects_person(fields, several):
            return f"an email address is not an id: {resource} list {selecting(chosen_by)}"
        if _NUMBER.fullmatch(several) and any(field.name == "number" for field in fields):
            chosen_by = f'select(.number == "{several.removeprefix("#")}")'
            return f"a number is not an id: {resource} list {selecting(chosen_by)}"
        return f"check the id and the account id: {resource} list -o ids"
    what = f"{operation.api}/{operation.resource}"
    offered = f"unified capabilities {what} lists the operations"
    if operation.lists:
        return f"check the account id; {offered}"
    body = operation.facts.body.get(operation.name, ())
    if named := next((field.name for field in body if field.name.endswith("id")), None):
        return f"check {named} and the account id; {offered}"
    return f"check the ids in the body and the account id; {offered}"


def _id_within(text: str, operation: Operation) -> str | None:
    """Return the id in pasted text that also has blanks, quotes, an address or `id=`.

    Returns None for any other text.
    """
    inner = text.strip(_AROUND_ID).removeprefix(f"{operation.api}/")
    inner = inner.removeprefix(f"{operation.resource}/")
    if before := _BEFORE_ID.match(inner):
        inner = re.split(r"[?#]", inner[before.end() :])[0]
    return inner if inner != text and inner else None
