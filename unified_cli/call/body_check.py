"""Find misspelt field names in a body, or columns of an import. Providers ignore them
silently.
"""

from collections.abc import Iterable, Sequence

from unified_cli.call import builder
from unified_cli.catalogue import Operation
from unified_cli.catalogue.known_filters import doubtful_fields
from unified_cli.cli.options import OperationOptions
from unified_cli.json_text.members import parts
from unified_cli.runtime import Runtime


def check(
    runtime: Runtime, options: OperationOptions, operation: Operation, body: bytes | None
) -> None:
    """Warn about fields of a body that may be misspelt.

    Raises UsageError for them with `--strict`.
    """
    if not (body and body.lstrip().startswith(b"{")):
        return
    description = builder.described(runtime, options, operation)
    described = [field.name for field in description.body] if description else []
    check_names(runtime, operation, parts(body) or (), described, strict=options.strict)


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
