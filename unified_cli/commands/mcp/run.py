"""`unified mcp serve`: run an MCP server until the agent closes it. `unified mcp
config`: print the configuration with which an agent starts the server.
"""

import json
import shutil
import sys
from collections.abc import Mapping
from importlib.util import find_spec

from unified_cli.cli.command import CommandContext
from unified_cli.commands.mcp.command import PER_MINUTE, ClientConfigOptions, ServeMcpOptions
from unified_cli.config import file, profiles
from unified_cli.errors import ConfigError
from unified_cli.installation import command_to_add
from unified_cli.output import stdout, terminal
from unified_cli.values import JsonObject

_NAME = "unified"
_FILES = {
    "claude-code": ".mcp.json of the project",
    "claude-desktop": "claude_desktop_config.json (Settings, Developer)",
    "codex": "~/.codex/config.toml",
    "cursor": ".cursor/mcp.json of the project, or ~/.cursor/mcp.json",
    "gemini-cli": "~/.gemini/settings.json",
    "vscode": ".vscode/mcp.json of the project",
    "windsurf": "~/.codeium/windsurf/mcp_config.json",
    "zed": "settings.json",
}
_PACKAGE = "mcp>=2.3,<3"


def serve(context: CommandContext, options: ServeMcpOptions) -> None:
    """Serve until the agent closes the connection.

    Raises ConfigError if the package mcp is missing.
    """
    options.check()
    if find_spec("mcp") is None:
        raise ConfigError("mcp serve needs the package mcp", hint=command_to_add(_PACKAGE))
    # Import it late: it needs an optional package and is slow to import.
    from unified_cli.commands.mcp import server  # noqa: PLC0415

    server.run(context, options, PER_MINUTE if options.per_minute is None else options.per_minute)


def config(context: CommandContext, options: ClientConfigOptions) -> None:
    """Print the configuration of a client. Raises UsageError if `serve` would refuse
    the permissions.
    """
    options.check()
    if options.profile:
        profiles.select(file.read(context.runtime), options.profile)
    client = options.client or "claude-code"
    program, *first = _program(context.runtime.environ)
    words = [*first, "mcp", "serve", *(word for name in options.profile for word in ("-p", name))]
    words += ["--allow-writes"] * options.allow_writes + ["--allow-deletes"] * options.allow_deletes
    if options.per_minute is not None:
        words += ["--requests-per-minute", str(options.per_minute)]
    text = (
        _toml(program, words)
        if client == "codex"
        else json.dumps(_block(client, program, words), indent=2)
    )
    stdout.show(context.runtime, [terminal.json_visible(f"{text}\n")])
    context.runtime.stderr.note(f"for {_FILES[client]}")
    if find_spec("mcp") is None:
        context.runtime.stderr.note(
            f"the server needs the package mcp ({command_to_add(_PACKAGE)})"
        )


def _program(environ: Mapping[str, str]) -> list[str]:
    """Return the command that starts this program.

    It has the full path, because an agent's PATH may differ.
    """
    found = shutil.which("unified", path=environ.get("PATH", ""))
    return [found] if found else [sys.executable, "-m", "unified_cli"]


def _block(client: str, program: str, words: list[str]) -> JsonObject:
    server: JsonObject = {"command": program, "args": words}
    if client == "vscode":
        return {"servers": {_NAME: {"type": "stdio", **server}}}
    return {"context_servers" if client == "zed" else "mcpServers": {_NAME: server}}


def _toml(program: str, words: list[str]) -> str:
    # A JSON string is also a valid TOML string.
    return f"[mcp_servers.{_NAME}]\ncommand = {json.dumps(program)}\nargs = {json.dumps(words)}"
