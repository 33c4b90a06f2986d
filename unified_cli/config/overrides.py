"""The settings that the command line overrides."""

from typing import NamedTuple


class Overrides(NamedTuple):
    """The settings from the command line, parsed as their keys require; None for those not given."""

    profile: str | None = None
    base_url: str | None = None
    account_id: str | None = None
    token_file: str | None = None
    token_stdin: bool | None = None
    output: str | None = None
    timeout: float | None = None
    retries: int | None = None
    rate: float | None = None
    token_rate: float | None = None
    ca_bundle: str | None = None
    page_size: int | None = None
    no_input: bool | None = None
    quiet: bool | None = None
    dry_run: bool | None = None
    """No setting, as the next: the requests are only shown, so that nothing may be asked of the service."""
    as_: str | None = None

    def of(self, name: str) -> object:
        """The value for the key of that name."""
        return getattr(self, name, None)
