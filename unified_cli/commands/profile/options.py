"""The options of the `profile` commands, and checks that several of them share."""

from dataclasses import dataclass
from typing import Annotated, Literal

from unified_cli.cli import prompt
from unified_cli.cli.command import yes_or_no
from unified_cli.cli.flags import PROFILE, Argument, Common, Flag, by_name
from unified_cli.cli.option_parts import EvidenceOptions, MessageOptions
from unified_cli.cli.options import OperationOptions
from unified_cli.cli.result_table import TableOutput
from unified_cli.cli.shared_options import (
    CaBundle,
    Explain,
    Patterns,
    Profiles,
    Retries,
    Tags,
    Timeout,
    TokenStdin,
    With,
    Yes,
    output_of,
    with_help,
)
from unified_cli.commands.profile.values import SETTABLE
from unified_cli.config.file import RESERVED
from unified_cli.config.keys import KEYS
from unified_cli.errors import UsageError
from unified_cli.output import formats
from unified_cli.runtime import Runtime
from unified_cli.values import Toml

Name = Annotated[str, Argument("the profile's name")]
ExistingName = Annotated[str, Argument("the profile's name", takes=("profile",))]
OptionalName = Annotated[str | None, Argument("the profile's name", takes=("profile",))]
OptionalPattern = Annotated[
    str | None,
    Argument(
        "the profile's name, a glob or tag:NAME",
        metavar="[NAME|GLOB|tag:NAME]",
        takes=("connection",),
    ),
]
Store = Literal["keyring", "file", "config"]
Shared = Annotated[
    bool, Flag(("--shared",), PROFILE, "the token of all profiles without a token of their own")
]


@dataclass(frozen=True, kw_only=True)
class PathOptions(MessageOptions):
    """The options of `profile path`."""


@dataclass(frozen=True, kw_only=True)
class ListProfilesOptions(MessageOptions):
    """Which profiles to list, and how to print them."""

    patterns: Patterns = ()
    profile: Profiles = ()
    output: TableOutput = None


@dataclass(frozen=True, kw_only=True)
class ShowOptions(MessageOptions):
    """Which profile to show, and how."""

    name: OptionalName = None
    profile: Profiles = ()
    explain: Explain = False
    output: TableOutput = None


def _profile_option(name: str) -> Flag:
    return by_name(OperationOptions)[name]._replace(group=PROFILE, about=KEYS[name].about, order=0)


@dataclass(frozen=True, kw_only=True)
class AddOptions(MessageOptions):
    """A profile's name and its keys, as options or as KEY=VALUE."""

    name: Name
    assignments: Annotated[tuple[str, ...], Argument(metavar="[KEY=VALUE…]")] = ()
    account_id: Annotated[str | None, _profile_option("account_id")] = None
    base_url: Annotated[str | None, _profile_option("base_url")] = None
    token_file: Annotated[str | None, _profile_option("token_file")] = None
    ca_bundle: Annotated[str | None, _profile_option("ca_bundle")] = None
    timeout: Annotated[float | None, _profile_option("timeout")] = None
    retries: Annotated[int | None, _profile_option("retries")] = None
    rate: Annotated[float | None, _profile_option("rate")] = None
    token_command: Annotated[
        str | None,
        Flag(("--token-command",), PROFILE, "the program that prints the token", '\'["…", "…"]\''),
    ] = None
    keyring: Annotated[
        bool, Flag(("--keyring",), PROFILE, "the token is in this machine's keyring")
    ] = False
    tags: Tags = ()
    read_only: Annotated[bool, Flag(("--read-only",), PROFILE, "refuse every write")] = False

    def values(self) -> dict[str, Toml]:
        """Return the values of the given options, by key."""
        # --quiet and --no-input apply to this command. They are no values of the
        # profile.
        names = [
            name for name in SETTABLE if hasattr(self, name) and name not in by_name(MessageOptions)
        ]
        found = {name: getattr(self, name) for name in names}
        return {
            name: [*value] if name == "tags" else value
            for name, value in found.items()
            if value not in (None, False, ())
        }


@dataclass(frozen=True, kw_only=True)
class UseOptions(MessageOptions):
    """The new default profile."""

    name: OptionalName = None
    none: Annotated[bool, Flag(("--none",), PROFILE, "use no default profile")] = False


@dataclass(frozen=True, kw_only=True)
class RemoveOptions(MessageOptions):
    """The profile to remove."""

    name: ExistingName
    yes: Annotated[bool, with_help(Yes, "do not ask before removing", PROFILE)] = False


@dataclass(frozen=True, kw_only=True)
class RenameOptions(MessageOptions):
    """The profile to rename, and its new name."""

    name: ExistingName
    new_name: Annotated[str, Argument("the new name", metavar="NEW")]


@dataclass(frozen=True, kw_only=True)
class SetOptions(MessageOptions):
    """Whose keys to change, and how."""

    words: Annotated[
        tuple[str, ...],
        Argument(
            metavar="[NAME|GLOB|tag:NAME] KEY=VALUE…",
            takes=("profile", "|".join(f"{key}=" for key in SETTABLE)),
        ),
    ]
    default: Annotated[
        bool,
        Common(("--default",), PROFILE, "the values for all profiles that do not set the keys"),
    ] = False


@dataclass(frozen=True, kw_only=True)
class LoginOptions(MessageOptions):
    """Whose token to store, where to store it, and where to read it."""

    name: OptionalPattern = None
    words: Annotated[tuple[str, ...], Argument()] = ()
    store: Annotated[
        Store | None, Flag(("--store",), PROFILE, "where to store the token", "PLACE")
    ] = None
    shared: Shared = False
    token_stdin: TokenStdin = False


@dataclass(frozen=True, kw_only=True)
class LogoutOptions(MessageOptions):
    """Whose token to remove."""

    name: OptionalName = None
    shared: Shared = False


@dataclass(frozen=True, kw_only=True)
class ProfileFileOptions(MessageOptions):
    """The file of profiles."""

    file: Annotated[
        str,
        Argument(
            "a CSV file whose first line names the columns, or - for standard input",
            takes=("file",),
        ),
    ]
    update: Annotated[
        bool, Flag(("--update",), PROFILE, "change profiles that exist instead of refusing them")
    ] = False


@dataclass(frozen=True, kw_only=True)
class CheckOptions(MessageOptions, EvidenceOptions):
    """Which connections to test, with which list, and how to print the results."""

    patterns: Patterns = ()
    profile: Profiles = ()
    with_: With = None
    output: Annotated[str | None, output_of(formats.VERDICTS)] = None
    timeout: Timeout = None
    retries: Retries = None
    ca_bundle: CaBundle = None


def may_ask(runtime: Runtime, options: MessageOptions) -> bool:
    """Return whether prompts are possible and allowed."""
    return prompt.at_terminal(runtime, no_input=yes_or_no(runtime, options.no_input, "no_input"))


def existing(name: str) -> str:
    """Return the name. Raises UsageError for the name of the built-in profile."""
    if name == RESERVED:
        own = "unified profile add NAME --base-url sandbox: -a full adds one that can be changed"
        raise UsageError(f'the profile "{name}" is built in and cannot be changed', hint=own)
    return name
