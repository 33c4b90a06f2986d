"""Real shells under a pseudo-terminal: type a line, press TAB, see the candidates."""

import shlex
from collections.abc import Mapping
from pathlib import Path

import pexpect
from front_door import ROOT

COMPLETIONS = ROOT / "completions"
QUOTED = shlex.quote(str(COMPLETIONS))
SHELLS = ("bash", "zsh", "fish")
_COMMANDS = {
    "bash": "bash --norc --noprofile -i",
    "zsh": "zsh -f -i",
    "fish": "fish --no-config -i",
}

# A key that prints what the shell itself would offer, between two marks, instead of
# drawing a menu.
_ZSH = r"""
PS1='<prompt>'
fpath=(%s $fpath)
autoload -Uz compinit && compinit -u -C -d $FOUND
typeset -ga offered
compadd() {
    if (( ${@[(I)-[OAD]]} )); then builtin compadd "$@"; return; fi
    local -a found
    builtin compadd -O found "$@"
    offered+=("${IPREFIX}${^found[@]}")
    builtin compadd "$@"
}
shown() {
    offered=()
    _main_complete
    print -rl -- '' 'BE''GIN' ${(u)offered} 'E''ND' >/dev/tty
    compstate[insert]='' compstate[list]=''
}
zle -C shown complete-word shown
bindkey '^X?' shown
"""
_FISH = r"""
function fish_prompt; echo -n '<prompt>'; end
source %s/unified.fish
function shown
    set -l found (complete -C)
    printf '\n%%s\n' BE''GIN >/dev/tty
    printf '%%s\n' $found >/dev/tty
    printf '%%s\n' E''ND >/dev/tty
end
bind \cx\? shown
"""
_BASH = r"""
PS1='<prompt>'
bind 'set completion-query-items 0'
bind 'set page-completions off'
bind 'set completion-display-width 0'
bind '"\C-x?": possible-completions'
source %s/unified.bash
"""
_PROMPT = "<prompt>"
_LIST = "\x18?"


class Shell:
    """A shell at work in a folder, which has the completion loaded and no program
    `unified` to start.

    `found` is where zsh notes the thousand functions that it finds, for the next shell.
    """

    def __init__(self, name: str, folder: Path, found: Path, environ: Mapping[str, str]) -> None:
        self.name = name
        self._pty = pexpect.spawn(
            _COMMANDS[name],
            env={
                "TERM": "dumb",
                "PATH": "/usr/bin:/bin",
                "HOME": str(folder),
                "LC_ALL": "C.UTF-8",
                "FOUND": str(found),
                **environ,
            },
            cwd=str(folder),
            encoding="utf-8",
            echo=False,
            timeout=60,
            dimensions=(200, 250),
        )
        self._pty.delaybeforesend = None
        self.run({"bash": _BASH, "zsh": _ZSH, "fish": _FISH}[name] % QUOTED)

    def run(self, command: str) -> str:
        """Run a command; what it prints."""
        for line in command.strip().splitlines():
            self._pty.sendline(line)
        self._pty.sendline("echo REA''DY")
        self._pty.expect("READY\r?\n")
        printed = str(self._pty.before)
        self._ready()
        return printed

    def _ready(self) -> None:
        # Until the prompt is there the terminal itself takes control characters, and
        # would erase the typed text.
        self._pty.expect_exact(_PROMPT)

    def offered(self, line: str) -> set[str]:
        """The candidates at the end of the line, which is then thrown away; some shells
        mark folders with a slash.
        """
        if self.name == "bash":
            found = self._listed(line)
            if not found:
                # After a line without any candidate readline does not list the next one
                # that is alone.
                self._listed("unified ticketin")
            return found
        self._pty.send(line)
        self._pty.send(_LIST)
        self._pty.expect("BEGIN\r?\n(.*?)END\r?\n")
        found = {one.split("\t")[0].strip().rstrip("/") for one in self._pty.match[1].splitlines()}
        self._pty.send("\x15")
        return {one for one in found if one}

    def _listed(self, line: str) -> set[str]:
        """The candidates of bash. Readline cannot pass them to a program; it prints one
        candidate a line.
        """
        self._pty.send(f"{line}{_LIST}\x15echo E''ND\r")
        self._pty.expect("END\r?\n")
        listed = str(self._pty.before).splitlines()
        self._ready()
        return {one.strip().rstrip("/") for one in listed if one.strip() and _PROMPT not in one}

    def complete(self, line: str) -> str:
        """Complete the line with TAB, run it, and return its output."""
        self._pty.send(f"{line}\t")
        self._pty.send("\r")
        return self.run("")

    def close(self) -> None:
        """End the shell."""
        self._pty.close(force=True)
