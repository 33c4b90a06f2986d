"""The table of settings, with their flags, environment variables and config keys."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from unified_cli.output import formats
from unified_cli.runtime import Runtime

N = TypeVar("N", int, float)

PREFIX = "UNIFIED_"


class Key(NamedTuple):
    """A setting.

    `parse` takes text or a TOML value, and raises ValueError with the expected form.
    `at` says where it may be in the config file: `t` at the top, `p` in a profile.
    `env` says whether it has an environment variable.
    """

    name: str
    about: str
    parse: Callable[[Any], Any]
    at: str = "tp"
    env: bool = True
    default: Any = None

    @property
    def variable(self) -> str:
        """The environment variable's name."""
        return PREFIX + self.name.upper()


def text(value: object) -> str:
    """Return non-empty text."""
    result = path(value)
    if any("\ud800" <= letter <= "\udfff" for letter in result):
        raise ValueError("must be UTF-8")
    return result


def word(value: object) -> str:
    """Return text without the spaces around it, which pasting may add."""
    return text(value).strip()


def any_text(value: object) -> str:
    """Return text, which may be empty."""
    return "" if value == "" else text(value)


def path(value: object) -> str:
    """Return a file name, which need not be UTF-8."""
    if not isinstance(value, str) or not value.strip():
        raise ValueError("must be non-empty text")
    if "\0" in value:
        raise ValueError("must not hold a NUL character")
    return value


# Units of time that other tools use, in seconds.
_UNITS = {
    "ms": 0.001,
    "s": 1,
    "sec": 1,
    "secs": 1,
    "second": 1,
    "seconds": 1,
    "m": 60,
    "min": 60,
    "mins": 60,
    "minute": 60,
    "minutes": 60,
    "h": 3600,
    "hour": 3600,
    "hours": 3600,
}


def seconds(value: object) -> float:
    """Return a number of seconds above zero."""
    wanted = "a number of seconds above 0"
    if isinstance(value, str) and (unit := _UNITS.get(value.lstrip("0123456789.").strip().lower())):
        number = value.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
        if number.replace(".", "", 1).isdecimal() and float(number):
            wanted = f"{wanted}, such as {float(number) * unit:g}"
    return _number(value, wanted, float, lambda found: 0 < found < float("inf"))


def rate(value: object) -> float:
    """Return a number of requests, 0 for no limit."""
    return _number(
        value,
        "a number of requests per 10 seconds, 0 for no limit",
        float,
        lambda found: 0 <= found < 1e9,
    )


def window(value: object) -> float:
    """Return a number of seconds, 0 for none."""
    return _number(
        value, "a number of seconds, 0 or more", float, lambda found: 0 <= found < float("inf")
    )


def count(value: object) -> int:
    """Return a whole number, zero or more."""
    return _number(value, "a whole number, 0 or more", int, lambda found: found >= 0)


def positive(value: object) -> int:
    """Return a whole number above zero."""
    return _number(value, "a whole number above 0", int, lambda found: found > 0)


def yes_or_no(value: object) -> bool:
    """Return a boolean, from TOML or from a word such as `yes`."""
    if isinstance(value, bool):
        return value
    words = {
        "1": True,
        "true": True,
        "yes": True,
        "on": True,
        "0": False,
        "false": False,
        "no": False,
        "off": False,
    }
    result = words.get(str(value).lower())
    if result is None:
        raise ValueError("must be true or false")
    return result


def truth_or_profile(value: object) -> bool | str:
    """Return a boolean, or the name of a profile."""
    try:
        return yes_or_no(value)
    except ValueError:
        if isinstance(value, str) and value.strip():
            return text(value)
        raise ValueError("must be true, false or the name of a profile") from None


def words(value: object) -> list[str]:
    """Return a list of texts. On a command line, commas separate them."""
    result = [word.strip() for word in value.split(",")] if isinstance(value, str) else value
    if (
        not isinstance(result, list)
        or not result
        or not all(isinstance(item, str) and item for item in result)
    ):
        raise ValueError("must be a list of non-empty texts")
    return result


def argv(value: object) -> list[str]:
    """Return a program and its arguments. A string is not accepted, because no shell
    would split it.
    """
    if not isinstance(value, list):
        raise ValueError(  # noqa: TRY004
            'must be a list: the program, then its arguments, like ["pass", "show", "unified"]'
        )
    return words(value)


def _number(value: object, wanted: str, kind: type[N], fits: Callable[[N], bool]) -> N:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise ValueError(f"must be {wanted}")  # noqa: TRY004
    try:
        result = kind(value)
    except (ValueError, OverflowError):
        raise ValueError(f"must be {wanted}") from None
    if not fits(result) or (isinstance(value, float) and result != value):
        raise ValueError(f"must be {wanted}")
    return result


KEYS = {
    key.name: key
    for key in (
        Key("base_url", "the service's base URL, like https://api.example.com", word),
        Key(
            "account_id",
            "the connection: one customer's account in a product; me: the connection of the token",
            word,
        ),
        Key("token", "the bearer token itself", text),
        Key("token_file", "a file whose only line is the token", path, env=False),
        Key("token_command", "a program, as a list, that prints the token", argv, env=False),
        Key(
            "keyring",
            "true: the token is in this machine's keyring; the name of a profile: use its token",
            truth_or_profile,
            env=False,
        ),
        Key("profile", "the default profile", text, at="t"),
        Key("config", "the path of the config file", text, at=""),
        Key(
            "output",
            "json, ndjson, table … as with -o; auto: a table at a terminal, else json",
            text,
            default=formats.JSON.name,
        ),
        Key(
            "pager",
            "the command that shows output longer than the screen; empty for no pager",
            any_text,
            at="t",
        ),
        Key("timeout", "seconds for one request with all its retries", seconds, default=120.0),
        Key("retries", "retries after the first attempt", count, default=4),
        Key("rate", "requests per 10 seconds and connection, 0 for no limit", rate, default=45.0),
        Key(
            "token_rate", "requests per 10 seconds and token, 0 for no limit (ten times rate)", rate
        ),
        Key("ca_bundle", "a file of additional certificate authorities to trust", path),
        Key("page_size", "records per page", positive),
        Key("no_input", "true: never prompt, fail instead", yes_or_no, default=False),
        Key("quiet", "true: print errors only", yes_or_no, default=False),
        Key("read_only", "true: refuse every write", yes_or_no, env=False, default=False),
        # Assumption: the service honours idempotency keys for a day. It does not say
        # so, but other services promise at least a day.
        Key(
            "idempotency_window",
            "seconds for which the service honours an idempotency key, 0: never",
            window,
            env=False,
            default=86400.0,
        ),
        Key("tags", "names for groups of profiles, for -p tag:NAME", words, at="p", env=False),
    )
}

TOKEN_SOURCES = ("keyring", "token_command", "token_file", "token")
"""The sources of a token. A profile may have only one of them."""

IDENTITY = ("base_url", "account_id")
"""The keys that, like the token, come from the config file before the environment if a
profile is named.
"""


class Overrides(NamedTuple):
    """The parsed settings of the command line. Missing ones are None."""

    profile: str | None = None
    base_url: str | None = None
    account_id: str | None = None
    token_file: str | None = None
    token_stdin: bool | None = None
    output: str | None = None
    timeout: float | None = None
    retries: int | None = None
    rate: float | None = None
    token_rate: float | None = None
    ca_bundle: str | None = None
    page_size: int | None = None
    no_input: bool | None = None
    quiet: bool | None = None
    out: str | None = None
    """Not a setting: the file for the result."""
    jq: str | None = None
    """Not a setting: the jq program for the result, which is then always JSON."""
    shown: str | None = None
    """Not a setting: how to print requests. If set, no request may be sent."""


def errors_are_json(output: str | None, runtime: Runtime, *, asked: bool) -> bool:
    """Return whether to print errors as JSON.

    Returns True if JSON errors are requested, or if the output is JSON and stderr is
    not a terminal. A profile may also select JSON, but it is read later.
    """
    given = output or runtime.environ.get(KEYS["output"].variable, "")
    shown = formats.named(given, terminal=runtime.stdout_is_terminal)
    return asked or bool(shown and shown.json and not runtime.stderr_is_terminal)
