"""The built-in commands: each with its line on the first page, and the module that declares it."""

from collections.abc import Mapping

from unified_cli.cli.command import Entry, Later


def _entry(about: str, module: str) -> Entry:
    return Entry(about, Later(f"{__name__}.{module}"))


COMMANDS: Mapping[str, Entry] = {
    "request": _entry("Call any path below the base URL", "request:REQUEST"),
    "export": _entry("Write many lists of many connections to files", "export.command:EXPORT"),
    "import": _entry("Send every record of a file once", "import_.command:IMPORT"),
    "diff": _entry("Compare two lists of records", "move.command:DIFF"),
    "plan": _entry("Print the calls that make one list of records like another", "move.command:PLAN"),
    "apply": _entry("Make the calls of plans, each once", "move.command:APPLY"),
    "runs": _entry("List work of many writes, and continue it", "runs.command:RUNS"),
    "schema": _entry("Show which fields the records of a list really have", "schema.command:SCHEMA"),
    "mcp": _entry("Offer the operations to coding agents", "mcp.command:MCP"),
    "operations": _entry("Search the operations", "operations:OPERATIONS"),
    "help": _entry("Show help on exit codes, output, profiles and more", "help:HELP"),
    "completion": _entry("Complete commands with TAB", "completion:COMPLETION"),
    "sandbox": _entry("Manage the local sandbox of the service", "sandbox:SANDBOX"),
    "doctor": _entry("Find problems on this machine and on the way to the service", "doctor.command:DOCTOR"),
    "capabilities": _entry("Show what each connection offers", "capabilities.command:CAPABILITIES"),
    "connections": _entry(
        "List the connections that a token can see, and add profiles", "connections.command:CONNECTIONS"
    ),
    "report": _entry("Write how all connections are to one page", "report.command:REPORT"),
    "profile": _entry("Manage named connections and their tokens", "profile.command:PROFILE"),
}
"""In the order of the first page."""
