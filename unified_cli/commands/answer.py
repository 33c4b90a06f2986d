"""The answer of one call on stdout, or in a file."""

from unified_cli.errors import UsageError
from unified_cli.output import document, stream, target
from unified_cli.runtime import Runtime
from unified_cli.wire.answer import Answer


def write(runtime: Runtime, answer: Answer, *, out: str | None, force: bool, output: str) -> None:
    """Write what came: JSON as a document, bytes as they are; to the file `out` where one is named.

    Raises UsageError for bytes on a terminal, StorageError where nothing can be written.
    """
    if out is not None:
        chunks = answer.chunks if answer.body is None else [answer.body]
        target.write(out, chunks, force=force, talk=runtime.talk)
    elif answer.body is None:
        if runtime.stdout_is_terminal and not force and not answer.content_type.startswith("text/"):
            raise UsageError(f"the answer is {answer.content_type}, not text: write it with --out FILE (or --force)")
        stream.write(runtime, answer.chunks)
    elif not answer.body:
        runtime.talk.note(f"done ({answer.status}, without content)")
    elif output == "raw":
        stream.write(runtime, [answer.body])
    else:
        document.write(runtime, answer.body)
