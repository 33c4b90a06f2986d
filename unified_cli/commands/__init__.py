"""The built-in commands: each with its line on the first page, and the module that declares it."""

from collections.abc import Mapping

from unified_cli.cli.command import Entry, Later

COMMANDS: Mapping[str, Entry] = {
    "request": Entry("Call any path below the base URL", Later(f"{__name__}.request:REQUEST")),
    "export": Entry("Write many lists of many connections to files", Later(f"{__name__}.export.command:EXPORT")),
    "import": Entry("Send every record of a file once", Later(f"{__name__}.import_.command:IMPORT")),
    "diff": Entry("Compare two lists of records", Later(f"{__name__}.move.command:DIFF")),
    "plan": Entry("Print the calls that make one list of records like another", Later(f"{__name__}.move.command:PLAN")),
    "apply": Entry("Make the calls of plans, each once", Later(f"{__name__}.move.command:APPLY")),
    "runs": Entry("List work of many writes, and continue it", Later(f"{__name__}.runs.command:RUNS")),
    "schema": Entry("Show which fields the records of a list really have", Later(f"{__name__}.schema.command:SCHEMA")),
    "mcp": Entry("Offer the operations to coding agents", Later(f"{__name__}.mcp.command:MCP")),
    "operations": Entry("Search the operations", Later(f"{__name__}.operations:OPERATIONS")),
    "help": Entry("Show help on exit codes, output, profiles and more", Later(f"{__name__}.help:HELP")),
    "completion": Entry("Complete commands with TAB", Later(f"{__name__}.completion:COMPLETION")),
    "sandbox": Entry("Manage the local sandbox of the service", Later(f"{__name__}.sandbox:SANDBOX")),
    "doctor": Entry(
        "Find problems on this machine and on the way to the service", Later(f"{__name__}.doctor.command:DOCTOR")
    ),
    "capabilities": Entry("Show what each connection offers", Later(f"{__name__}.capabilities.command:CAPABILITIES")),
    "connections": Entry(
        "List the connections that a token can see, and add profiles",
        Later(f"{__name__}.connections.command:CONNECTIONS"),
    ),
    "report": Entry("Write how all connections are to one page", Later(f"{__name__}.report.command:REPORT")),
    "profile": Entry("Manage named connections and their tokens", Later(f"{__name__}.profile.command:PROFILE")),
}
"""In the order of the first page."""
