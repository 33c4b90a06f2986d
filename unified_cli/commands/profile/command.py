"""`unified profile`: manage the user's named connections, stored in one file."""

from unified_cli.cli.command import EXAMPLE, Command, Entry, Group, Later
from unified_cli.commands.profile.options import (
    AddOptions,
    CheckOptions,
    ListProfilesOptions,
    LoginOptions,
    LogoutOptions,
    PathOptions,
    ProfileFileOptions,
    RemoveOptions,
    RenameOptions,
    SetOptions,
    ShowOptions,
    UseOptions,
)
from unified_cli.commands.profile.values import SETTABLE
from unified_cli.hints import OF_SERVICE

_ROOM = "unified_cli.commands.profile"
_SEVERAL = "[GLOB|tag:NAME]… [options]"
_LIST = Command(
    ListProfilesOptions,
    Later(f"{_ROOM}.show:list_all"),
    usage=_SEVERAL,
    examples="unified profile list 'prod-*' tag:eu",
)
_SHOW = Command(
    ShowOptions,
    Later(f"{_ROOM}.show:show_one"),
    usage="[NAME] [options]",
    text=(
        "{about}.",
        (
            "Without a name, it shows the settings that a command would use here without -p. The"
            " token itself is never shown."
        ),
    ),
    examples="unified profile show sandbox --explain",
)
_PATH = Command(
    PathOptions,
    Later(f"{_ROOM}.show:print_path"),
    text=("{about}.", "The file may not exist yet. UNIFIED_CONFIG can name another file."),
    examples="unified profile path",
)
_ADD = Command(
    AddOptions,
    Later(f"{_ROOM}.add:run"),
    usage="NAME [KEY=VALUE…] [options]",
    text=(
        "{about}.",
        (
            "Keys that the profile does not set come from the top of the file. The default profile"
            " does not change."
        ),
        "On a terminal, it prompts for settings that are not given.",
        OF_SERVICE,
    ),
    examples="unified profile add acme -a 62f44730-dd91-461e-bd6a-aedd9e0ad79d --tag prod",
)
_SET_EXAMPLES = """unified profile set acme tags=prod,eu read_only=true timeout=
unified profile set --default base_url=https://api.example.com"""
_SET = Command(
    SetOptions,
    Later(f"{_ROOM}.change:set_keys"),
    usage="NAME|GLOB|tag:NAME|--default KEY=VALUE… [options]",
    text=(
        "{about}.",
        (
            "An empty value unsets the key. With a glob or a tag, all matching profiles are"
            " changed, or none of them."
        ),
        "--default changes the values for profiles that do not set the key themselves.",
        (
            "If login stored the token in a file, a base URL with another origin is refused. Log"
            " out first."
        ),
        "If the token is in your own file or in the keyring, such a base URL causes a warning.",
    ),
    sections=[
        (EXAMPLE, _SET_EXAMPLES),
        ("Keys", [(key.name, key.about) for key in SETTABLE.values()]),
    ],
)
_USE = Command(
    UseOptions,
    Later(f"{_ROOM}.change:use"),
    usage="NAME [options]",
    text=("{about}.", "For one command use -p NAME, and for one shell set UNIFIED_PROFILE."),
    examples="unified profile use acme",
)
_LOGIN = Command(
    LoginOptions,
    Later(f"{_ROOM}.sign_in:log_in"),
    usage="NAME|GLOB|tag:NAME|--shared [options]",
    text=(
        "{about}.",
        (
            "Asks for the token without showing it; --token-stdin reads it from standard input"
            " instead."
        ),
        (
            "The token is stored in the place that the profile declares, or otherwise in the"
            " keyring. --store config means plain text in the config file."
        ),
        (
            "If there is no keyring, the token is stored in a file only you can read. On a"
            " terminal, the command asks first."
        ),
        "With a glob or a tag, all matching profiles get the same token.",
        OF_SERVICE,
    ),
    examples="unified profile login acme",
)
_LOGOUT = Command(
    LogoutOptions,
    Later(f"{_ROOM}.sign_in:log_out"),
    usage="NAME|--shared [options]",
    text=(
        "{about}.",
        "Other profiles that used this token then have no token, too.",
    ),
    examples="unified profile logout acme",
)
_IMPORT = Command(
    ProfileFileOptions,
    Later(f"{_ROOM}.add:import_file"),
    usage="FILE.csv|- [options]",
    text=(
        "{about}.",
        (
            "The first line names the columns: name, account_id, tags, and any other key of a"
            " profile except token."
        ),
        "The columns account_id and tags may also be named account and tag.",
        (
            "A token comes from the column token_file or token_command. A token_command is a JSON"
            ' list, such as ["pass", "show", "acme"].'
        ),
        (
            "Tags are separated by blanks, commas or semicolons. If one line is wrong, nothing is"
            " added."
        ),
        (
            "If a profile in the file already exists, nothing is added either. With --update,"
            " existing profiles are changed."
        ),
    ),
    examples="unified profile import connections.csv",
)
_TEST = Command(
    CheckOptions,
    Later(f"{_ROOM}.show:check"),
    usage=_SEVERAL,
    text=(
        "{about}.",
        "Without a name, it tests the connection that a command would use here without -p.",
        (
            "The result depends on the state of the connection. A connection that is connecting,"
            " paused or lacks scopes passes. With --with, the result depends only on a read of a"
            " list. A connection that does not offer the list fails."
        ),
    ),
    examples="unified profile test sandbox",
)
_REMOVE = Command(
    RemoveOptions,
    Later(f"{_ROOM}.change:remove"),
    usage="NAME [options]",
    examples="unified profile remove acme",
)
_RENAME = Command(
    RenameOptions,
    Later(f"{_ROOM}.rename:run"),
    usage="NAME NEW [options]",
    text=(
        "{about}.",
        "The default profile, aliases, stored tokens and open runs then use the new name.",
    ),
    examples="unified profile rename acme acme-eu",
)

PROFILE = Group(
    "Manage the named connections that you work with, and their tokens.",
    "unified profile list",
    {
        "list": Entry("List the profiles", _LIST),
        "show": Entry("Show the settings of a profile, and the source of each setting", _SHOW),
        "path": Entry("Print the path of the config file", _PATH),
        "add": Entry("Add a profile", _ADD),
        "set": Entry("Change profiles, or the values for all profiles", _SET),
        "use": Entry("Choose the profile that is used without -p", _USE),
        "login": Entry("Store a profile's token safely", _LOGIN),
        "logout": Entry("Remove a profile's token", _LOGOUT),
        "import": Entry("Add many profiles at once, from a CSV file", _IMPORT),
        "test": Entry("Test each connection with one request", _TEST),
        "rename": Entry("Change the name of a profile", _RENAME),
        "remove": Entry("Remove a profile", _REMOVE),
    },
)
