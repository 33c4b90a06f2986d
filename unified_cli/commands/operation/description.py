"""Show a connection's description of an operation.

The names of its parameters and fields are cached for skeletons and completion.
"""

from contextlib import closing

from unified_cli.call import Call, Mode, builder, method_description, seen_words, single
from unified_cli.catalogue import Catalogue, Operation
from unified_cli.catalogue.described import DescribedField, MethodDescription
from unified_cli.cli import result_table
from unified_cli.cli.options import OperationOptions
from unified_cli.config import known_methods
from unified_cli.fleet.clients import Clients
from unified_cli.http import request as requests
from unified_cli.http.request import Request
from unified_cli.json_text.json_codec import encoded
from unified_cli.masking import masked, visible
from unified_cli.output import formats, stdout
from unified_cli.output.formats import Format
from unified_cli.runtime import Runtime

_HEADS = ("in", "name", "type", "required", "values", "about")


def run(
    runtime: Runtime,
    catalogue: Catalogue,
    operation: Operation,
    options: OperationOptions,
    mode: Mode,
) -> None:
    """Print the connection's description of the operation, or the request for it.
    Raises the same errors as `method_description.fetch`.
    """
    call = builder.resolve(runtime, catalogue, options, mode, operation)
    name = options.output if options.output != formats.AUTO else call.settings.output.name
    form = formats.of_command(name, formats.DESCRIPTIONS, terminal=runtime.stdout_is_terminal)
    scope = requests.scope_of(call.settings, catalogue.service)

    def ask(call: Call, clients: Clients, _: Request) -> None:
        stdout.check(runtime)
        with closing(clients.open(call.settings)) as client:
            found = method_description.fetch(client, scope, operation)
        known_methods.keep(runtime, call.settings, operation, found)
        seen_words.save_described(call, operation)
        _show(runtime, form, found)

    single.send(call, method_description.request_for(scope, operation), ask)


def _show(runtime: Runtime, form: Format, description: MethodDescription) -> None:
    if form.as_served:
        stdout.write_json(runtime, description.served)
        return
    rows = [_row("query", field) for field in description.query] + [
        _row("body", field) for field in description.body
    ]
    result_table.show(runtime, form.name, _HEADS, rows, None)
    if not description.whole:
        runtime.stderr.note(
            "not all of the description is shown here: -o json prints it completely"
        )
    elif not rows:
        runtime.stderr.note("the description has no parameters and no fields")
    for what, value in (("query", description.default_query), ("body", description.default_body)):
        if value:
            runtime.stderr.note(
                masked(f"the service adds to the {what}: {encoded(value).decode()}")
            )
    if description.documentation:
        runtime.stderr.note(masked(f"more: {description.documentation}"))


def _row(where: str, field: DescribedField) -> tuple[str, ...]:
    """Return the cells of a field, safe for a terminal even when piped."""
    cells = (
        field.name,
        field.type,
        "required" if field.required else "",
        " | ".join(field.values),
        field.text,
    )
    return where, *map(visible, cells)
