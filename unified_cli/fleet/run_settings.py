"""The settings of a command as a whole, as opposed to those of one connection, and what they say of messages."""

from unified_cli.config import keys, resolution
from unified_cli.config.file import Config
from unified_cli.config.keys import Overrides
from unified_cli.config.settings import Settings
from unified_cli.errors import ConfigError
from unified_cli.output import FORMATS
from unified_cli.runtime import Runtime


def shared(runtime: Runtime, config: Config, flags: Overrides) -> Settings:
    """The settings that several connections share: from flags, the environment and the top of the file.

    What they say of messages applies from now on. Raises as `apply_to_messages` does.
    """
    top = {name: value for name, value in config.top.items() if name != "profile"}
    environ = {name: value for name, value in runtime.environ.items() if name != keys.KEYS["profile"].variable}
    found = resolution.resolve(flags, runtime._replace(environ=environ), Config(config.path, top))
    apply_to_messages(runtime, found)
    return found


def apply_to_messages(runtime: Runtime, settings: Settings) -> None:
    """Apply the settings for messages. Raises ConfigError for an unknown output format."""
    output = settings.values["output"]
    if output.value not in FORMATS:
        from unified_cli.cli.other_tools import meant_value  # noqa: PLC0415  only for an error

        meant = meant_value(str(output.value), FORMATS)
        hint = f'did you mean "{meant}"?' if meant else f"there are {', '.join(FORMATS)}"
        raise ConfigError(f"{output.source}: no output format {output.value!r}", hint=hint)
    runtime.stderr.quiet = settings.quiet
    # The profile may ask for JSON too, not only the command line, which main has checked.
    if settings.output in {"json", "ndjson"} and output.source != "default" and not runtime.stderr_is_terminal:
        runtime.stderr.machine = True
