"""Commands as gh, aws, gcloud, kubectl and httpie name them, and what to type instead.

Used only if a command line could not be parsed.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile

from unified_cli import hints
from unified_cli.hints import quoted

_DOTS = re.compile(r" …([A-Z=]*)")
_NAMING = ("-p", "--profile", "--name")
# The first words of another tool's line, and our line. The name, or the other words of
# the typed line, replace the dots.
_LINES: Mapping[str, str] = {
    "version": "unified --version",
    "login signin sign-in authenticate auth/login": "unified profile login …NAME",
    "logout signout sign-out auth/logout": "unified profile logout …NAME",
    "whoami me current config/list sts/get-caller-identity": "unified profile show …",
    "config/get config/show": "unified profile show",
    "auth/status": "unified profile test …",
    "config/set": "unified profile set --default …KEY=VALUE",
    "configure/list": "unified profile list",
    "configure init setup": "unified profile add …NAME",
    "ops": "unified operations …",
    "crm hris accounting lms payments marketing": (
        "unified -p NAME operations add {} makes commands of it, if the connection offers it"
    ),
    "alias aliases": (
        "a line under [alias] in the file that unified profile path names: NAME = 'API RESOURCE'"
    ),
    "use switch use-context use-profile config/use-context": "unified profile use …NAME",
    "profiles contexts context": "unified profile list",
    "search find grep services resources apis api-resources api-versions catalog catalogue": (
        "unified operations …"
    ),
    "explain man docs manual usage tutorial topics commands": "unified help …",
    "upgrade self-update selfupdate self-upgrade": (
        "as it was installed: pipx upgrade unified-api-cli, or in a "
        "checkout git pull and pip install ."
    ),
    "uninstall": (
        "as it was installed: pipx uninstall unified-api-cli, or pip uninstall unified-api-cli"
    ),
    "mirror backup dump pull extract replicate download": ("unified export API/RESOURCE --to DIR"),
    "sync": (
        "unified export API/RESOURCE --to DIR; to another connection unified plan API/RESOURCE"
        " --from PROFILE --to PROFILE"
    ),
    "push load restore upload bulk": "unified import API/RESOURCE FILE",
    "migrate move copy cp mv clone transfer": (
        "unified plan API/RESOURCE --from PROFILE --to PROFILE; unified help move says how"
    ),
    "compare": "unified diff …",
    "kb wiki": "unified knowledge-base …",
    "directory": "unified user-directory …",
    "check status ping health diagnose diagnostics debug verify test": "unified doctor --network",
    "log": "unified logs …",
    "ps history journal journals": "unified runs list",
    "continue": "unified runs resume …",
    "resume retry rerun": "unified runs {} …",
    "serve mock server simulator": "unified sandbox serve",
    "demo try play playground": "unified -p sandbox ticketing tickets list",
    "integrations integration tenants customers instances linked-accounts": (
        "unified connections list"
    ),
    "permissions features supports can": "unified capabilities …",
    "env environment-variables": "unified help environment",
    "completions autocomplete": "unified completion install",
    "options flags": "unified help options",
    "examples": "unified help",
}

# The first words of SQL statements, and programs that run them.
_SQL = {"select": ("select",), **dict.fromkeys(("query", "psql", "duckdb"), ())}

_COMMANDS: Mapping[str, tuple[str, ...]] = {
    "ls all index query search find count dir watch tail follow": ("list",),
    "show view read describe fetch info retrieve current print cat whoami status log logs watch": (
        "get",
        "show",
    ),
    "get": ("show",),
    "disable block lock offboard terminate": ("suspend", "deactivate"),
    "rm del destroy remove delete drop unset clean prune purge clear gc": ("delete", "remove"),
    "new add post insert create sync upload attach": ("create", "add"),
    "edit set patch put modify change configure close reopen resolve assign": ("update", "set"),
    "config auth login whoami": ("profile",),
    "signin sign-in authenticate refresh token": ("login",),
    "signout sign-out revoke": ("logout",),
    "reactivate enable unblock unlock unsuspend restore": ("update",),
    "switch default activate select use-context": ("use", "update"),
    "check ping verify": ("test",),
    "mv move": ("rename",),
    "install setup init": ("config",),
    "continue restart": ("resume",),
    "rerun repeat": ("retry",),
    "start run up": ("serve",),
    "api http curl call": ("request",),
    "zsh-completion bash-completion setup-completion": ("install",),
}

# Commands of other tools that have no equal here, and what to use instead.
_NONE: Mapping[tuple[str, str], str] = {
    ("unified runs", "cancel stop kill abort interrupt pause"): (
        "Ctrl-C stops a run where it is sent; unified runs show lists the rest"
    ),
    ("unified runs", "log logs output"): "unified runs show lists the calls of a run",
    ("unified runs", "prune clean clear purge"): "unified runs remove RUN removes its journal",
    ("unified profile", "unset clear delete-key remove-key"): (
        "unified profile set NAME KEY= removes a key"
    ),
    ("unified profile", "tag label tags"): "unified profile set NAME tags=TAG",
    ("unified profile", "copy cp clone duplicate"): (
        "unified profile add NAME, with the settings that unified profile show prints"
    ),
    ("unified profile", "export backup dump save"): (
        "unified profile list -o json prints all; unified profile path names their file"
    ),
    ("unified sandbox", "stop down kill quit"): "Ctrl-C ends unified sandbox serve",
    ("unified sandbox", "list ls show info ps"): "unified sandbox status",
    ("unified completion", "uninstall remove delete"): (
        "remove the file that unified completion install named"
    ),
    ("unified connections", "show get view describe inspect"): (
        "unified connections list shows all; unified -p NAME capabilities, what one offers"
    ),
    ("unified connections", "import discover pull fetch"): "unified connections add",
    ("unified connections", "reconnect relink reauth reauthorize reauthorise login renew"): (
        "unified connections refresh; if that does not help, unified connections link"
    ),
    ("unified connections", "test health check status ping verify"): (
        "unified connections list --health"
    ),
    ("unified connections", "delete remove rm disconnect unlink revoke"): (
        "a connection is removed in the service; unified profile remove NAME"
    ),
    ("unified mcp", "add register claude cursor vscode"): "unified mcp config prints what to add",
}


def own_commands(name: str) -> Sequence[str]:
    """Return our commands for a command of another tool."""
    return next((own for names, own in _COMMANDS.items() if name in names.split()), ())


def no_command(path: str, name: str) -> str | None:
    """Return the replacement for a command that the group `path` does not have, or
    None.
    """
    return next(
        (own for (group, names), own in _NONE.items() if group == path and name in names.split()),
        None,
    )


def _is_no_option(word: str) -> bool:
    return not word.startswith("-")


def own_line(word: str, rest: Sequence[str]) -> str | None:
    """Return our command line for another tool's, or None if this word does not begin
    one.
    """
    if word.lower() in _SQL and " " in (text := " ".join((*_SQL[word.lower()], *rest))):
        return f"unified sql {quoted(text)}"
    both = f"{word}/{rest[0]}" if rest else word
    found, line = next(
        (
            (text, line)
            for text in (both, word)
            for words, line in _LINES.items()
            if text in words.split()
        ),
        (word, None),
    )
    if line is None:
        return None
    left = (
        [text for text in rest if text not in _NAMING]
        if line.startswith("unified profile")
        else rest
    )
    left = left[1:] if found != word else left
    if found == "config/set" and len(left) == 2 and "=" not in left[0]:
        # Join two words, because gh and aws separate the key and its value.
        left = ["=".join(left)]
    if found == "config/set" and left and left[0].startswith(("profile=", "default=")):
        return f"unified profile use {quoted(left[0].partition('=')[2])}"
    if found == "login" and left and "://" in left[0]:
        return hints.add_profile(left[0])
    if found in {"login", "auth/login"} and line.endswith("NAME"):
        left = [*takewhile(_is_no_option, left)] or ["NAME"]
        left += ["--token-stdin"] if "--with-token" in rest else []
    elif left and not _is_no_option(left[0]) and line.endswith("…NAME"):
        left = ["NAME", *left]
    named = "".join(f" {quoted(one)}" for one in left)
    return _DOTS.sub(lambda place: named or (place[1] and f" {place[1]}"), line.replace("{}", word))
