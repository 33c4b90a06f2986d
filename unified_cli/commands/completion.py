"""`unified completion`: print the completion script of a shell, or install it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, get_args

from unified_cli.catalogue import load
from unified_cli.cli.command import Command, CommandContext, Entry, Group
from unified_cli.cli.command_index import command_entries
from unified_cli.cli.flags import OUTPUT, Flag, Options
from unified_cli.config import old_files
from unified_cli.docs import completion
from unified_cli.errors import ConfigError, StorageError, UsageError
from unified_cli.output import stdout
from unified_cli.plural import counted
from unified_cli.storage import folders, output_file

Shell = Literal["bash", "zsh", "fish"]
SHELLS: tuple[Shell, ...] = get_args(Shell)
# A PowerShell $PROFILE may still run the output of `completion pwsh`, so keep this
# command until the next version.
_FOR_POWERSHELL = (
    b"# unified does not complete in PowerShell any more: remove this command from your $PROFILE\n"
)


@dataclass(frozen=True, kw_only=True)
class InstallOptions(Options):
    """Which shell's script to install."""

    shell: Annotated[
        Shell | None, Flag(("--shell",), OUTPUT, "for this shell, not that of $SHELL", "SHELL")
    ] = None


def _script(shell: Shell, context: CommandContext) -> bytes:
    # The script contains the built-in catalogue, and reads the user's catalogue files
    # itself.
    catalogue = load()
    return completion.script(shell, catalogue, command_entries(context.program(catalogue))).encode(
        "utf-8"
    )


def _install(context: CommandContext, options: InstallOptions) -> None:
    runtime, chosen = context.runtime, options.shell
    _name_old_script(context)
    own = Path(runtime.environ.get("SHELL", "")).name
    shell = chosen or next((name for name in SHELLS if name == own), None)
    if shell is None:
        raise UsageError(
            f"no completion for {own or 'an unknown shell'} (--shell takes {', '.join(SHELLS)})"
        )
    home = runtime.environ.get("HOME")
    if not home:
        raise ConfigError(
            "no home directory to install the completion script in (unified completion SHELL"
            " prints it)"
        )
    path, next_step = _script_and_next_step(shell, Path(home), runtime.environ)
    try:
        folders.make_private(path.parent)
    except OSError as error:
        raise StorageError(f"cannot create {path.parent}: {error.strerror}") from None
    size = output_file.write(path, [_script(shell, context)], force=True)
    runtime.stderr.note(f"wrote {counted(size, 'byte')} to {path}")
    runtime.stderr.note(next_step)


def _name_old_script(context: CommandContext) -> None:
    runtime = context.runtime
    if path := old_files.powershell_script(runtime.environ):
        runtime.stderr.note(
            f"{path} is no longer used, because there is no completion for PowerShell: remove it,"
            " and its line from your $PROFILE"
        )


def _script_and_next_step(shell: Shell, home: Path, environ: Mapping[str, str]) -> tuple[Path, str]:
    data = Path(environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    if shell == "bash":
        folder = Path(environ.get("BASH_COMPLETION_USER_DIR") or data / "bash-completion")
        path = folder / "completions" / "unified"
        return (
            path,
            (
                "ready in new shells; if the package bash-completion is missing, add this line to"
                f" ~/.bashrc: source '{path}'"
            ),
        )
    if shell == "zsh":
        folder = data / "zsh" / "site-functions"
        return (
            folder / "_unified",
            f"add to ~/.zshrc, above compinit, if it is missing: fpath=('{folder}' $fpath)",
        )
    return config / "fish" / "completions" / "unified.fish", "ready in new shells"


def _printing(shell: Shell) -> Entry:
    def run(context: CommandContext, _: Options) -> None:
        stdout.write(context.runtime, [_script(shell, context)])

    return Entry(
        f"Print the script for {shell}",
        Command(
            Options,
            run,
            usage="",
            text=(f"Print the completion script for {shell}.",),
            examples=f"unified completion {shell}",
        ),
    )


def _print_comment(context: CommandContext, _: Options) -> None:
    stdout.write(context.runtime, [_FOR_POWERSHELL])


COMPLETION = Group(
    "Complete commands, options and profiles with TAB; a TAB starts no program and uses no"
    " network.",
    "unified completion bash",
    {
        **{shell: _printing(shell) for shell in SHELLS},
        "pwsh": Entry(
            "",
            Command(
                Options,
                _print_comment,
                usage="",
                text=("Print a comment for a $PROFILE that still runs this old command.",),
            ),
        ),
        "install": Entry(
            "Install the script where the shell looks for it",
            Command(
                InstallOptions,
                _install,
                text=(
                    (
                        "{about}, and print the remaining steps. Your shell's startup files are"
                        " never changed."
                    ),
                ),
                examples="unified completion install --shell fish",
            ),
        ),
    },
    "shell",
)
