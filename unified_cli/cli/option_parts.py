"""Groups of options that several commands share."""

from dataclasses import dataclass
from typing import Annotated, Literal

from unified_cli.cli.flags import EVIDENCE, MESSAGE, Flag, Options, option_part
from unified_cli.cli.shared_options import (
    AccountId,
    BaseUrl,
    CaBundle,
    FailFast,
    JsonErrors,
    MaxFailures,
    NoPager,
    Output,
    Profiles,
    Rate,
    Retries,
    Stages,
    Timeout,
    TokenFile,
    TokenRate,
    TokenStdin,
    Verbose,
    Workers,
)


@option_part
class MessageOptions(Options):
    """The options for messages and prompts."""

    verbose: Verbose = 0
    quiet: Annotated[bool, Flag(("--quiet",), MESSAGE, "print errors only")] = False
    no_input: Annotated[bool, Flag(("--no-input",), MESSAGE, "never prompt, fail instead")] = False
    color: Annotated[
        Literal["auto", "always", "never"],
        Flag(("--color",), MESSAGE, "colour the output (auto)", "WHEN"),
    ] = "auto"
    pretty: Annotated[bool, Flag(("--pretty",), MESSAGE, "indent JSON, also off a terminal")] = (
        False
    )
    json_errors: JsonErrors = False
    no_pager: NoPager = False


@option_part
class ConnectionOptions(Options):
    """The options that select the connection and the token."""

    profile: Profiles = ()
    account_id: AccountId = None
    base_url: BaseUrl = None
    token_file: TokenFile = None
    token_stdin: TokenStdin = False


@dataclass(frozen=True, kw_only=True)
class EarlyOptions(ConnectionOptions):
    """The options that may also precede the command."""

    output: Output = None
    verbose: Verbose = 0
    json_errors: JsonErrors = False
    no_pager: NoPager = False


@option_part
class EvidenceOptions(Options):
    """The options for recording and replaying."""

    record: Annotated[
        str | None,
        Flag(
            ("--record",),
            EVIDENCE,
            "write every exchange to a HAR file, without credentials",
            "FILE.har",
            takes="file",
        ),
    ] = None
    replay: Annotated[
        str | None,
        Flag(
            ("--replay",),
            EVIDENCE,
            "answer from a HAR file; nothing is sent",
            "FILE.har",
            takes="file",
        ),
    ] = None


@option_part
class TransportOptions(EvidenceOptions):
    """The options for sending a request."""

    timeout: Timeout = None
    retries: Retries = None
    rate: Rate = None
    token_rate: TokenRate = None
    ca_bundle: CaBundle = None


@option_part
class NetworkOptions(TransportOptions):
    """The options for sending several requests."""

    workers: Workers = None


@option_part
class StopOptions(Options):
    """When to stop many writes early."""

    fail_fast: FailFast = False
    max_failures: MaxFailures = None
    stages: Stages = None

    @property
    def has_limits(self) -> bool:
        """Whether any of these options is used."""
        return self.fail_fast or self.max_failures is not None or self.stages is not None
