"""The built-in commands: the line on the first page and the module of each."""

from collections.abc import Mapping

from unified_cli.cli.command import Entry, Later

COMMANDS: Mapping[str, Entry] = {
    name: Entry(about, Later(f"{__name__}.{place}"), brief)
    for name, about, brief, place in (
        (
            "profile",
            "Manage named connections and their tokens",
            "name connections, log in",
            "profile.command:PROFILE",
        ),
        (
            "connections",
            "List the connections that a token can see, and repair them",
            "list what a token sees",
            "connections.command:CONNECTIONS",
        ),
        (
            "capabilities",
            "Show what each connection offers",
            "show what each offers",
            "capabilities.command:CAPABILITIES",
        ),
        (
            "doctor",
            "Find problems on this machine and on the network",
            "find problems",
            "doctor.command:DOCTOR",
        ),
        ("logs", "Show the service's recent calls", "show recent calls", "logs:LOGS"),
        (
            "operations",
            "Search the operations",
            "search the operations",
            "operations.command:OPERATIONS",
        ),
        ("request", "Call any path below the base URL", "call any path", "request:REQUEST"),
        (
            "export",
            "Write many lists of many connections to files",
            "write lists to files",
            "export.command:EXPORT",
        ),
        (
            "import",
            "Send every record of a file once",
            "send a file of records",
            "import_.command:IMPORT",
        ),
        ("sql", "Ask many connections one question in SQL", "query with SQL", "sql.command:SQL"),
        (
            "schema",
            "Show which fields the records of a list really have",
            "show the real fields",
            "schema.command:SCHEMA",
        ),
        ("diff", "Compare two lists of records", "compare two lists", "move.command:DIFF"),
        (
            "plan",
            "Print the calls that make one list of records like another",
            "plan to make lists alike",
            "move.command:PLAN",
        ),
        (
            "apply",
            "Send the calls of plans, each call once",
            "send the calls of plans",
            "move.command:APPLY",
        ),
        (
            "runs",
            "List runs of many writes, and continue them",
            "continue unfinished writes",
            "runs.command:RUNS",
        ),
        (
            "report",
            "Write a page on the state of all connections",
            "write a status page",
            "report.command:REPORT",
        ),
        (
            "sandbox",
            "Manage the local sandbox of the service",
            "try without a service",
            "sandbox:SANDBOX",
        ),
        ("mcp", "Offer the operations to coding agents", "serve coding agents", "mcp.command:MCP"),
        (
            "completion",
            "Complete commands with TAB",
            "complete words with TAB",
            "completion:COMPLETION",
        ),
        (
            "help",
            "Show help on exit codes, output, profiles and more",
            "explain exit codes, output",
            "help:HELP",
        ),
    )
}
"""The built-in commands, in the order of the first help page."""
