"""`unified completion`: print the completion script of a shell, or install it."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from unified_cli.catalogue import load
from unified_cli.cli import help_page, tree
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.command_stub import CommandStub
from unified_cli.cli.flags import OUTPUT, Flag, Options
from unified_cli.cli.help_page import EXAMPLE, HelpPage
from unified_cli.cli.shared_options import NoOptions
from unified_cli.errors import ConfigError, StorageError, UsageError
from unified_cli.output import stdout
from unified_cli.plural import counted
from unified_cli.storage import folders, output_file

Shell = Literal["bash", "zsh", "fish", "pwsh"]
SHELLS: tuple[Shell, ...] = get_args(Shell)
_ABOUT = "Complete commands, options and profiles with TAB; a TAB starts no program and uses no network."
_INSTALL = "Install the script where the shell looks for it"


def command(context: CommandContext) -> Any:
    """The command."""
    entries: dict[str, CommandStub] = {
        shell: CommandStub(f"Print the script for {shell}", _printing(context, shell)) for shell in SHELLS
    }
    entries["install"] = CommandStub(_INSTALL, lambda: _installing(context))
    return tree.group(
        "completion", "shell", entries, lambda: help_page.for_group(_ABOUT, "unified completion bash", entries)
    )


class InstallOptions(Options):
    """Which shell's script to install."""

    shell: Annotated[Shell | None, Flag(("--shell",), OUTPUT, "for this shell, not that of $SHELL", "SHELL")] = None


def _printing(context: CommandContext, shell: Shell) -> Callable[[], Any]:
    page = HelpPage("", [f"Print the completion script for {shell}."], [(EXAMPLE, f"unified completion {shell}")])

    def run(_: NoOptions) -> None:
        stdout.write(context.runtime, [_script(shell, context)])

    return lambda: tree.leaf(tree.CommandSpec(shell, NoOptions, run, lambda: page))


def _installing(context: CommandContext) -> Any:
    return tree.leaf(
        tree.CommandSpec(
            "install",
            InstallOptions,
            lambda options: _install(context, options.shell),
            lambda: HelpPage(
                "[options]",
                [f"{_INSTALL}, and print the remaining steps. Your shell's startup files are never changed."],
                [(EXAMPLE, "unified completion install --shell fish")],
            ),
        )
    )


def _script(shell: Shell, context: CommandContext) -> bytes:
    from unified_cli.docs.command_index import command_entries  # noqa: PLC0415  as below
    from unified_cli.docs.completion import scripts  # noqa: PLC0415  builds every command

    # The script holds the built-in catalogue; the user's own catalogue files are read by the script itself.
    catalogue = load()
    return scripts.script(shell, catalogue, command_entries(context.program(catalogue))).encode("utf-8")


def _install(context: CommandContext, chosen: Shell | None) -> None:
    runtime = context.runtime
    own = Path(runtime.environ.get("SHELL", "")).name
    shell = chosen or next((one for one in SHELLS if one == own), None)
    if shell is None:
        raise UsageError(f"no completion for {own or 'an unknown shell'} (--shell takes {', '.join(SHELLS)})")
    home = runtime.environ.get("HOME")
    if not home:
        raise ConfigError("no home directory to install the completion script in (unified completion SHELL prints it)")
    path, next_step = _target(shell, Path(home), runtime.environ)
    try:
        folders.make_private(path.parent)
    except OSError as error:
        raise StorageError(f"cannot create {path.parent}: {error.strerror}") from None
    size = output_file.write(path, [_script(shell, context)], force=True)
    runtime.stderr.note(f"wrote {counted(size, 'byte')} to {path}")
    runtime.stderr.note(next_step)


def _target(shell: str, home: Path, environ: Mapping[str, str]) -> tuple[Path, str]:
    """The script's path, and what the user still has to do."""
    data = Path(environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    if shell == "bash":
        folder = Path(environ.get("BASH_COMPLETION_USER_DIR") or data / "bash-completion")
        path = folder / "completions" / "unified"
        return path, f"ready in new shells; without the package bash-completion, add to ~/.bashrc: source '{path}'"
    if shell == "zsh":
        folder = data / "zsh" / "site-functions"
        return folder / "_unified", f"add to ~/.zshrc, above compinit, unless it is there: fpath=('{folder}' $fpath)"
    if shell == "fish":
        return config / "fish" / "completions" / "unified.fish", "ready in new shells"
    path = config / "powershell" / "unified.ps1"
    return path, f"add to your $PROFILE, unless it is there: . '{path}'"
