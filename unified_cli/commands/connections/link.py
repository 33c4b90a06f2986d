"""`unified connections link`: create a token for a customer to sign in again."""

import uuid
from contextlib import closing
from pathlib import Path

from unified_cli.call import dry_run, introspection
from unified_cli.catalogue import Catalogue, Service
from unified_cli.cli import prompt
from unified_cli.cli.command import CommandContext
from unified_cli.cli.options import overrides
from unified_cli.commands.connections import owner
from unified_cli.commands.connections.command import LinkOptions
from unified_cli.config import file, profiles
from unified_cli.config.settings import Settings
from unified_cli.errors import ServiceError, UnsafeError
from unified_cli.fleet import own_account
from unified_cli.fleet.clients import Clients
from unified_cli.http import request as requests
from unified_cli.http.client import Client
from unified_cli.http.request import Content, Request
from unified_cli.json_text import members
from unified_cli.json_text.json_codec import dump
from unified_cli.masking import hide
from unified_cli.output import stdout
from unified_cli.runtime import Runtime
from unified_cli.storage import output_file

_MEMBER = "link_token"
_USE = (
    "your application's sign-in page takes the token, once and within 7 days; the connection keeps"
    " its id and its data"
)


def run(context: CommandContext, options: LinkOptions) -> None:
    """Create a token, and write it only to stdout or to a file.

    Raises UsageError if no profile is given, UnsafeError if the command is forbidden or
    the connection is healthy, and the errors of the requests.
    """
    runtime, catalogue = context.runtime, context.catalogue
    name = profiles.single_name(options.profile)
    owner.check(runtime, options)
    settings = own_account.resolved(overrides(options, name), runtime, file.read(runtime))
    own_account.apply_to_messages(runtime, settings)
    settings.reachable()
    request = _request(settings, catalogue.service)
    if settings.read_only:
        raise UnsafeError(
            f'profile "{name}" is read-only; {request.line} was not sent',
            hint=f"unified profile set {name} read_only=false allows writes",
        )
    if options.dry_run:
        dry_run.print_line(runtime, request)
        return
    out = Path(options.out) if options.out else None
    if out is not None:
        output_file.check(out, force=False, instead=output_file.ANOTHER)
    with Clients(runtime, catalogue) as clients, closing(clients.open(settings)) as client:
        if not options.force:
            _check_needed(name or "", client, settings, catalogue)
        what, names = "make a token for a new sign-in", [name or ""]
        prompt.confirm_several(runtime, settings, what, names, yes=options.yes)
        stdout.check(runtime)
        stdout.bypass_pager(runtime)
        token = _create_token(client, request)
    _write(runtime, token, out)
    runtime.stderr.note(_USE)


def _check_needed(name: str, client: Client, settings: Settings, catalogue: Catalogue) -> None:
    """Raise UnsafeError for a connection that works.

    A new sign-in would replace its credentials.
    """
    service = catalogue.service
    state = introspection.ask_record(client, settings, catalogue).state
    if not state.problem_in_a_word(service):
        # Only a request for what the connection offers shows whether it is blocked.
        state = introspection.with_blocked(state, client, settings, catalogue)
    if not state.problem_in_a_word(service):
        raise UnsafeError(
            f"{name} is {state.status or service.connections.healthy}, and needs no new sign-in",
            hint="--force makes a token anyway",
        )


def _request(settings: Settings, service: Service) -> Request:
    """Return the request for a token.

    It does not change the connection's data.
    """
    scope = requests.scope_of(settings, service)
    body = {service.connection: scope.account, "persist_previous_context": True}
    content = Content(body=dump(body).encode(), key=str(uuid.uuid4()))
    return requests.for_path(scope, "POST", service.connections.link, content)


def _create_token(client: Client, request: Request) -> str:
    """Return the token that was created. Raises ServiceError if it is missing."""
    response = client.send(request)
    token = members.text((members.parts((response.body or b"").strip()) or {}).get(_MEMBER))
    if not token:
        raise ServiceError(f"the answer holds no {_MEMBER} ({request.line})", retryable=False)
    # Mask the token in all later messages.
    hide(token)
    return token


def _write(runtime: Runtime, token: str, out: Path | None) -> None:
    text = f"{token}\n".encode("utf-8", "surrogateescape")
    if out is None:
        stdout.write(runtime, [text])
        return
    output_file.write(out, [text], force=False, instead=output_file.ANOTHER)
    runtime.stderr.note(f"wrote the token to {out}, which only you can read")
