"""Open the file to upload, and report the progress."""

from collections.abc import Iterator
from contextlib import contextmanager

from unified_cli.cli.options import SendOptions
from unified_cli.errors import UsageError
from unified_cli.http import request_body, upload
from unified_cli.http.upload import Upload
from unified_cli.json_text.record_label import LABEL
from unified_cli.masking import visible
from unified_cli.output.progress import Progress, Work, progress
from unified_cli.runtime import Runtime, as_typed

_METHODS = ("POST", "PATCH", "PUT")


def open_upload(runtime: Runtime, options: SendOptions, method: str) -> Upload:
    """Open the file to send in a form or as the body.

    Also computes its digest, and shows the progress. Raises UsageError if options
    cannot be combined or the file is not a regular file, and StorageError if it cannot
    be read.
    """
    _check(options, method)
    with progress(runtime, Work("byte read")) as shown:
        tell = _progress_callback(shown)
        if options.content_type is not None:
            return upload.of_bytes((options.data or "")[1:], options.content_type, tell)
        name, equals, path = options.uploads[0].partition("=")
        name = as_typed(name) if equals else ""
        if not name.isprintable():
            raise UsageError(f"--upload {visible(name)!r} is not a field name")
        typed = f"{name}{equals}{path}" if equals else options.uploads[0]
        return upload.of_form(typed, _fields(options), tell)


def _progress_callback(shown: Progress) -> upload.Progress:
    before = 0

    def tell(now: int, size: int) -> None:
        nonlocal before
        if now < before:
            shown.restart()
            before = 0
        shown.expect(size)
        shown.add(now - before)
        before = now

    return tell


def _check(options: SendOptions, method: str) -> None:
    if method not in _METHODS:
        raise UsageError(
            f"a {visible(method)} cannot send a file", hint=f"use {', '.join(_METHODS)}"
        )
    if len(options.uploads) > 1:
        raise UsageError("--upload is given twice, but only one file can be sent")
    if options.content_type is None:
        if options.bodies or options.field:
            raise UsageError(
                "--upload sends a form, which takes no JSON from -d or -F",
                hint="-f NAME=STRING sets a field of the form",
            )
        return
    if options.uploads or not (options.data or "").startswith("@") or options.data == "@-":
        raise UsageError(
            "--content-type is only for -d @FILE, a file that is sent unchanged",
            hint="use -d @FILE --content-type TYPE, without --upload",
        )
    if options.raw_field or options.field:
        raise UsageError(
            "--content-type sends the file of -d unchanged, so -f and -F have no fields to set"
        )


def _fields(options: SendOptions) -> list[tuple[str, str]]:
    result = []
    for text in options.raw_field:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise UsageError(f"-f {visible(text)!r} is not NAME=STRING")
        if name == LABEL:
            raise UsageError(f"the form has a {LABEL}, but a body cannot choose the connection")
        request_body.check_id(f"-f {text}", name, value, hint="leave it out, or give an id")
        result.append((name, value))
    return result


@contextmanager
def with_progress(runtime: Runtime, file: Upload) -> Iterator[None]:
    """Report how much of the file is sent, while the block runs. Each attempt starts at
    0.
    """
    with progress(runtime, Work("byte", file.size)) as shown:
        file.progress = _progress_callback(shown)
        yield
