"""A file that is sent: found in the typed options, told while it goes out, closed when its request is over."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import unquote

from unified_cli.call import Call
from unified_cli.cli import prompt
from unified_cli.cli.flags import part
from unified_cli.cli.options import ConfirmOptions, SendOptions
from unified_cli.errors import UsageError
from unified_cli.http.request import Request
from unified_cli.masking import visible
from unified_cli.runtime import Runtime, as_typed

if TYPE_CHECKING:
    from unified_cli.http.upload import Upload

_METHODS = ("POST", "PATCH", "PUT")


def opened(options: SendOptions, method: str) -> "Upload | None":
    """The file that the options send, opened: in a form, or as it is; None where they send none.

    Raises UsageError for options that contradict each other and for what is no regular file, StorageError for a file
    that cannot be read.
    """
    if not options.sends_file:
        return None
    _check(options, method)
    # Most calls send no file.
    from unified_cli.http import upload  # noqa: PLC0415

    if options.content_type is not None:
        return upload.of_bytes((options.data or "")[1:], options.content_type)
    name, equals, path = options.uploads[0].partition("=")
    name = as_typed(name) if equals else ""
    if not name.isprintable():
        raise UsageError(f"--upload {visible(name)!r} is no name of a field")
    return upload.of_form(f"{name}{equals}{path}" if equals else options.uploads[0], _fields(options))


def _check(options: SendOptions, method: str) -> None:
    """Raise UsageError for what cannot be sent beside a file."""
    if method not in _METHODS:
        raise UsageError(f"a {visible(method)} sends no file", hint=f"one of {', '.join(_METHODS)} does")
    if len(options.uploads) > 1:
        raise UsageError("--upload is given twice, and one file is sent")
    if options.content_type is None:
        if options.bodies or options.field:
            raise UsageError("-d and -F make JSON, and --upload a form", hint="-f NAME=STRING sets a field of the form")
        return
    if options.uploads or not (options.data or "").startswith("@") or options.data == "@-":
        raise UsageError(
            "--content-type is for a file that is sent as it is", hint="-d @FILE --content-type TYPE, no --upload"
        )
    if options.raw_field or options.field:
        raise UsageError("-f and -F set fields, and with --content-type the file of -d is sent as it is")


def _fields(options: SendOptions) -> list[tuple[str, str]]:
    """The fields of the form, from `-f`."""
    found = []
    for text in options.raw_field:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise UsageError(f"-f {visible(text)!r} is not NAME=STRING")
        found.append((name, value))
    return found


@contextmanager
def closed_after(request: Request) -> Iterator[Request]:
    """The request; at the end of the block its file is closed, if it has one."""
    try:
        yield request
    finally:
        if request.upload is not None:
            request.upload.close()


def check_path(call: Call, request: Request) -> None:
    """Raise UsageError for a file where the service takes several requests, and unless a public one is confirmed."""
    if request.upload is not None and request.batch:
        raise UsageError("a batch is JSON, and no file")
    files = call.catalogue.service.connections.files.strip("/")
    path = unquote(request.path.removeprefix(request.address.path))
    first = path.strip("/").partition("/")[0].partition(";")[0]
    if request.method == "GET" or first.casefold() != files or call.mode.shown:
        return
    public = "anyone who has its address can read it, and nothing deletes it"
    if part(call.options, ConfirmOptions).yes:
        call.runtime.stderr.note(f"the file will be public: {public}")
        return
    what = f"make the file public ({public})"
    prompt.confirm(call.runtime, what, "nothing was sent", yes=False, no_input=call.settings.no_input)


@contextmanager
def told(runtime: Runtime, request: Request) -> Iterator[None]:
    """Tell how much of the request's file has been sent, until the block ends; each attempt begins with nothing."""
    upload = request.upload
    if upload is None:
        yield
        return
    from unified_cli.output.progress import Work, progress  # noqa: PLC0415  as above

    with progress(runtime, Work("byte", upload.size)) as shown:
        before = 0

        def tell(sent: int, _size: int) -> None:
            nonlocal before
            shown.add(sent - before)
            before = sent

        upload.progress = tell
        yield
