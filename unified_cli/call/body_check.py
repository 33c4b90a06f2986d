"""Find misspelt field names in a body, or columns of an import. Providers ignore them
silently.
"""

from collections.abc import Iterable, Sequence

from unified_cli.call import builder
from unified_cli.catalogue import Operation
from unified_cli.catalogue.known_filters import doubtful_fields, texts_for_objects
from unified_cli.cli.options import OperationOptions
from unified_cli.json_text.members import parts
from unified_cli.runtime import Runtime


def check(
    runtime: Runtime, options: OperationOptions, operation: Operation, body: bytes | None
) -> None:
    """Warn about fields of a body that may be misspelt, and about texts for objects.

    Raises UsageError for them with `--strict`.
    """
    if not (body and body.lstrip().startswith(b"{")):
        return
    description = builder.described(runtime, options, operation)
    described = [field.name for field in description.body] if description else []
    members = parts(body) or {}
    check_names(runtime, operation, members, described, strict=options.strict)
    texts = [name for name, value in members.items() if value.startswith(b'"')]
    for field in texts_for_objects(operation, texts):
        builder.warn_of_parameter(runtime, field, strict=options.strict)


def check_names(
    runtime: Runtime,
    operation: Operation,
    names: Iterable[str],
    described: Sequence[str] = (),
    *,
    strict: bool,
) -> None:
    """Warn about names that may be misspelt, like `check`. `described` has further
    known names.
    """
    for field in doubtful_fields(operation, names, described):
        builder.warn_of_parameter(runtime, field, strict=strict)
