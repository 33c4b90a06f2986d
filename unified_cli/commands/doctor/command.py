"""`unified doctor`: find problems on this machine and, with --network, with the
service, each with a remedy.
"""

from dataclasses import dataclass
from typing import Annotated

from unified_cli.cli.command import Command, Later
from unified_cli.cli.flags import EVIDENCE, NETWORK, Common, Flag
from unified_cli.cli.option_parts import EvidenceOptions, MessageOptions
from unified_cli.cli.result_table import TableOutput
from unified_cli.cli.shared_options import CaBundle, Patterns, Profiles, Timeout, With


@dataclass(frozen=True, kw_only=True)
class DoctorOptions(MessageOptions, EvidenceOptions):
    """Which profiles to check, whether to call the service, and how to print the
    findings.
    """

    patterns: Patterns = ()
    profile: Profiles = ()
    network: Annotated[
        bool, Common(("--network",), NETWORK, "also call the service; otherwise nothing is sent")
    ] = False
    with_: With = None
    timeout: Timeout = None
    ca_bundle: CaBundle = None
    output: TableOutput = None
    bundle: Annotated[
        str | None,
        Common(
            ("--bundle",),
            EVIDENCE,
            "also write a ZIP file for a report, without secrets",
            "FILE.zip",
            takes="file",
        ),
    ] = None
    har: Annotated[
        str | None,
        Flag(("--har",), EVIDENCE, "with --bundle: add this recording", "FILE.har", takes="file"),
    ] = None


DOCTOR = Command(
    DoctorOptions,
    Later("unified_cli.commands.doctor.run:run"),
    usage="[GLOB|tag:NAME]… [options]",
    text=(
        "Find problems with the configuration, the credentials and this machine.",
        "Checks all profiles, or only the profiles that you name.",
        "Also prints what a bug report needs: versions, and how this was installed.",
        "With --bundle, it writes its findings to a ZIP file that can be sent with a report.",
        (
            "With --network, it also tests the connections of these profiles or, without a name,"
            " the connection that a call would use."
        ),
    ),
    examples="unified doctor",
)
