"""What the shapes of a command are compared with: a JSON Schema, a connection, or the known fields."""

import json
import os
from pathlib import Path

from unified_cli.catalogue import Operation
from unified_cli.catalogue.known import KnownField
from unified_cli.cli.command_context import CommandContext
from unified_cli.commands.schema import observed, schema_document
from unified_cli.commands.schema.observed_shape import ShapeNode
from unified_cli.commands.schema.options import SchemaOptions
from unified_cli.config import file, profiles
from unified_cli.errors import StorageError, UnifiedError, UsageError
from unified_cli.storage import input_bounds, regular_file

_KNOWN = "known"
_PROFILE = "profile:"


def baseline(context: CommandContext, operation: Operation, options: SchemaOptions) -> ShapeNode:
    """The shape that `--against` names.

    Raises UsageError for what is nothing, or two things, and StorageError; and what reading a connection raises.
    """
    text = options.against or ""
    if text == _KNOWN:
        if not operation.facts.fields:
            raise UsageError(f"no fields of {operation.api}/{operation.resource} are known")
        everywhere = [KnownField(name) for name in context.catalogue.service.times.split()]
        return schema_document.known_shape([*operation.facts.fields, *everywhere])
    name, path = text.removeprefix(_PROFILE), Path(text)
    is_profile = name in file.read(context.runtime).profiles or name == file.RESERVED
    if is_profile and path.exists() and not text.startswith(_PROFILE):
        raise UsageError(
            f"--against {text} is a profile and a file here", hint=f"{_PROFILE}{text} is the profile, ./{text} the file"
        )
    if is_profile:
        return _of_connection(context, operation, options, name)
    if profiles.is_several([text]) and not path.exists():
        raise UsageError("--against takes one connection")
    return _of_file(path)


def _of_connection(context: CommandContext, operation: Operation, options: SchemaOptions, name: str) -> ShapeNode:
    selected = observed.select(context, operation, options.replaced(account_id=None), [name])
    ((_, found),) = observed.observe(selected)
    if isinstance(found, UnifiedError):
        raise found
    if not found.root.seen:
        raise UsageError(f"--against {name}: the list is empty, so there is nothing to compare with")
    return found.settled()


def _of_file(path: Path) -> ShapeNode:
    try:
        with os.fdopen(regular_file.descriptor(path, follow=True), "rb") as content:
            text = input_bounds.whole(content, str(path))
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror}", hint="a FILE, a PROFILE, or known") from None
    try:
        found = schema_document.shape_of(json.loads(text))
    except (ValueError, RecursionError):
        raise UsageError(f"{path} is not JSON") from None
    if not found.members:
        raise UsageError(f"{path} names no members of records, so there is nothing to compare with")
    return found
