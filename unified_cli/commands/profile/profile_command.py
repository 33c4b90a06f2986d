"""`unified profile`: manage the user's named connections, stored in one file."""

from unified_cli.commands.subcommands import SubcommandGroup

_GROUP = SubcommandGroup(
    "profile",
    "Manage the named connections that you work with, and their tokens.",
    "unified profile list",
    {
        "list": ("list_profiles", "List the profiles"),
        "show": ("show_profile", "Show the settings of a profile, and where each comes from"),
        "path": ("list_profiles", "Print the path of the config file"),
        "add": ("change", "Add a profile"),
        "set": ("set_values", "Change profiles, or what holds for all"),
        "use": ("change", "Choose the profile that is used when none is named"),
        "login": ("sign_in", "Store a profile's token safely"),
        "logout": ("sign_in", "Remove a profile's token"),
        "import": ("import_profiles", "Add many profiles at once, from a CSV file"),
        "test": ("check_profile", "Test each connection with one request"),
        "remove": ("change", "Remove a profile"),
    },
)
command = _GROUP.command
