"""Write the answer of one call to stdout or to a file."""

from pathlib import Path
from typing import TYPE_CHECKING

from unified_cli.call import Call
from unified_cli.errors import UsageError
from unified_cli.http.answer.reader import Answer
from unified_cli.http.request import Request
from unified_cli.output import stdout
from unified_cli.plural import counted

if TYPE_CHECKING:
    from unified_cli.output.jq_program import JqProgram

_AS_SERVED = {"json", "raw"}


def write(call: Call, request: Request, answer: Answer, program: "JqProgram | None") -> None:
    """Write the answer: JSON in the chosen format, other content unchanged; to the file of `--out`, if given.

    Raises UsageError for binary content on a terminal, StorageError if nothing can be written.
    """
    runtime, output, options = call.runtime, call.settings.output, call.options
    if options.out:
        if output not in _AS_SERVED or program or options.columns is not None:
            raise UsageError("--out writes one answer as served (with --all it takes -o, --columns and --jq)")
        from unified_cli.storage import output_file  # noqa: PLC0415  only for files

        chunks = answer.chunks if answer.body is None else [answer.body]
        path = Path(options.out)
        size = output_file.write(path, chunks, force=options.force)
        runtime.stderr.note(f"wrote {counted(size, 'byte')} to {path}")
    elif answer.body is None:
        if runtime.stdout_is_terminal and not options.force and not answer.content_type.startswith("text/"):
            raise UsageError(
                f"the answer is {answer.content_type}, not text (write it with --out FILE, or use --force)"
            )
        stdout.write(runtime, answer.chunks)
    elif not answer.body:
        runtime.stderr.note(f"done ({answer.status}, no content)")
    elif output == "raw":
        stdout.write(runtime, [answer.body])
    elif output == "json" and not program and options.columns is None:
        stdout.write_json(runtime, answer.body)
    else:
        from unified_cli.call import record_output  # noqa: PLC0415  not for a document printed as served

        record_output.write(call, request, answer.body, program)
