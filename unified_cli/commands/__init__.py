"""The built-in commands: each with its line on the first page, and its module."""

from collections.abc import Mapping

from unified_cli.cli.command import Entry, Later

COMMANDS: Mapping[str, Entry] = {
    name: Entry(about, Later(f"{__name__}.{place}"))
    for name, about, place in (
        ("request", "Call any path below the base URL", "request:REQUEST"),
        ("export", "Write many lists of many connections to files", "export.command:EXPORT"),
        ("import", "Send every record of a file once", "import_.command:IMPORT"),
        ("sql", "Ask many connections one question in SQL", "sql.command:SQL"),
        ("diff", "Compare two lists of records", "move.command:DIFF"),
        ("plan", "Print the calls that make one list of records like another", "move.command:PLAN"),
        ("apply", "Make the calls of plans, each once", "move.command:APPLY"),
        ("runs", "List work of many writes, and continue it", "runs.command:RUNS"),
        ("schema", "Show which fields the records of a list really have", "schema.command:SCHEMA"),
        ("mcp", "Offer the operations to coding agents", "mcp.command:MCP"),
        ("operations", "Search the operations", "operations.command:OPERATIONS"),
        ("help", "Show help on exit codes, output, profiles and more", "help:HELP"),
        ("completion", "Complete commands with TAB", "completion:COMPLETION"),
        ("sandbox", "Manage the local sandbox of the service", "sandbox:SANDBOX"),
        (
            "doctor",
            "Find problems on this machine and on the way to the service",
            "doctor.command:DOCTOR",
        ),
        ("capabilities", "Show what each connection offers", "capabilities.command:CAPABILITIES"),
        (
            "connections",
            "List the connections that a token can see, and mend them",
            "connections.command:CONNECTIONS",
        ),
        ("logs", "Show what the service did lately", "logs:LOGS"),
        ("report", "Write how all connections are to one page", "report.command:REPORT"),
        ("profile", "Manage named connections and their tokens", "profile.command:PROFILE"),
    )
}
"""In the order of the first page."""
