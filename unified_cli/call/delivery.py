"""Decide how to write a result, and refuse conflicting options. Nothing is sent yet."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from unified_cli.call import Call, Delivery, Mode, ModeKind, Place
from unified_cli.catalogue import Operation
from unified_cli.cli.flags import part
from unified_cli.cli.options import CallOptions, DownloadModeOptions, PageOptions, ReadOptions
from unified_cli.config.settings import DEFAULT
from unified_cli.errors import UsageError
from unified_cli.http.request import OWN_CURSOR
from unified_cli.masking import visible
from unified_cli.output import formats, stdout
from unified_cli.output.formats import Format

_TO_SHELL = "> FILE redirects the output"
# The modes that print more than one result.
_PRINTED = {
    ModeKind.LINES: ("--out saves only one answer", "use > FILE for several"),
    ModeKind.CHECKED: ("--out cannot be used with --expect and --until", _TO_SHELL),
    ModeKind.FOLLOWED: ("--out cannot be used with --follow", _TO_SHELL),
}


class Asked(NamedTuple):
    """The options that decide how a result is written."""

    kind: ModeKind
    form: Format
    method: str = "GET"
    lists: bool = False
    """Whether the operation is a list."""
    downloads: bool = False
    """Whether the operation is a download."""
    several: bool = False
    """Whether there may be several connections."""
    place: Place = Place.STDOUT
    out: str = ""
    """The value of `--out`."""
    pages: bool = False
    """Whether `--all` or `--limit` is given."""
    split: bool = False
    """Whether to split the page into records, for `--since` or a cursor."""
    named: bool = False
    """Whether the format comes from `-o`."""
    jq: bool = False
    columns: bool = False
    csv_safe: bool = False
    bom: bool = False
    typed_header: bool = False
    restart: bool = False
    dedupe: bool = False
    many_files: bool = False
    """Whether several files are saved in a folder."""

    @property
    def reshaped(self) -> bool:
        """Whether `--jq` or `--columns` changes the records."""
        return self.jq or self.columns

    @property
    def may_download(self) -> bool:
        """Whether the response may be streamed unchanged to `--out`."""
        if self.downloads:
            return True
        unchanged = self.form.as_served and not self.reshaped
        return unchanged and self.method == "GET" and not (self.lists or self.pages)


def with_delivery(call: Call, operation: Operation | None, method: str = "GET") -> Call:
    """Return the call with its delivery and format.

    `method` is for a request without an operation. Raises UsageError if options cannot
    be combined.
    """
    settings, options = call.settings, call.options
    named = settings.values["output"]
    if call.mode.kind is ModeKind.FOLLOWED and (
        named.source == DEFAULT or named.value == formats.AUTO
    ):
        settings = settings._replace(output=formats.NDJSON)
    if options.out == "-":
        options = replace(options, out=None)
    found = decide(asked_by(options, call.mode, settings.output, operation, method))
    return call._replace(settings=settings, options=options, delivery=found)


def asked_by(
    options: CallOptions,
    mode: Mode,
    form: Format,
    operation: Operation | None,
    method: str = "GET",
) -> Asked:
    """Collect the options that decide the delivery.

    Raises UsageError if `--columns` has no names.
    """
    pages, lists = part(options, PageOptions), operation is not None and operation.lists
    in_page = (pages.cursor or "").startswith(OWN_CURSOR)
    files = part(options, DownloadModeOptions)
    return Asked(
        mode.kind,
        form,
        operation.method if operation else method,
        lists=lists,
        downloads=operation is not None and operation.name == "download",
        several=mode.several,
        place=_place(options.out),
        out=visible(options.out or ""),
        pages=pages.several,
        split=bool(part(options, ReadOptions).since) or (lists and in_page),
        named=options.output is not None,
        jq=bool(options.jq),
        columns=bool(column_names(options.columns)),
        csv_safe=options.csv_safe,
        bom=options.bom,
        typed_header=pages.typed_header,
        restart=pages.restart,
        dedupe=pages.dedupe is not None,
        many_files=not mode.shown and (files.from_ is not None or files.id == "-"),
    )


def _place(out: str | None) -> Place:
    if out is None:
        return Place.STDOUT
    from unified_cli.storage import output_file  # noqa: PLC0415  most results are printed

    try:
        if output_file.is_stream(Path(out)):
            return Place.STREAM
        return Place.FOLDER if out.endswith("/") or Path(out).is_dir() else Place.FILE
    except OSError:
        # Opening the file will report the same error.
        return Place.FILE


def to_file(call: Call) -> AbstractContextManager[Call]:
    """Return a context manager that yields the call.

    If the option `--out` names a file, the call writes its output to this file.
    Raises StorageError if the target cannot be written.
    """
    if not call.options.out:
        stdout.check(call.runtime)
        return nullcontext(call)
    from unified_cli.call import result_file  # noqa: PLC0415  most results are printed

    return result_file.open_result(call)


def decide(asked: Asked) -> Delivery:
    """Return how to write the result. Raises UsageError if options cannot be
    combined.
    """
    check_records(asked.form, several=asked.several)
    check_cells(asked.form, bom=asked.bom, csv_safe=asked.csv_safe, typed_header=asked.typed_header)
    if asked.kind in {ModeKind.DESCRIBED, ModeKind.SKELETON}:
        _check_printed(asked)
        return Delivery.DOCUMENT
    if asked.pages and asked.method != "GET" and not asked.lists:
        # Reading every page would repeat the write.
        raise UsageError(
            f"a {asked.method} has no pages",
            hint="leave out --all and --limit, which only work with GET and POST …/search",
        )
    _check_place(asked)
    _check_format(asked)
    if asked.place in {Place.FILE, Place.FOLDER}:
        if asked.may_download:
            return Delivery.DOWNLOAD
        if asked.pages:
            return Delivery.PAGES
    records = asked.lists and (asked.columns or not asked.form.whole)
    return Delivery.RECORDS if asked.pages or asked.split or records else Delivery.DOCUMENT


def check_records(form: Format, *, several: bool) -> None:
    """Raise UsageError for several connections in a format without fields.

    In such a format, a record cannot have the name of its connection.
    """
    if several and not form.fields:
        raise UsageError(f"-o {form} cannot tell connections apart (-o ndjson or csv can)")


def check_cells(form: Format, *, bom: bool, csv_safe: bool, typed_header: bool = False) -> None:
    """Raise UsageError for CSV options in other formats.

    In other formats, a byte-order mark would become part of the data.
    """
    if bom and form.delimiter != ",":
        raise UsageError(f"--bom is for CSV, not for {form}", hint="-o csv")
    if csv_safe and not form.delimiter:
        raise UsageError(f"--csv-safe is for CSV and TSV, not for {form}", hint="-o csv")
    if typed_header and not form.delimiter:
        raise UsageError(f"--typed-header is for CSV and TSV, not for {form}", hint="-o csv")


def column_names(text: str | None) -> list[str]:
    """Return the columns of `--columns`. Raises UsageError if it has no names."""
    result = [column.strip() for column in text.split(",") if column.strip()] if text else []
    if text is not None and not result:
        raise UsageError("--columns needs names (--columns id,status.name)")
    return result


def _check_printed(asked: Asked) -> None:
    option = "--describe" if asked.kind is ModeKind.DESCRIBED else "--skeleton"
    if asked.reshaped or asked.place is not Place.STDOUT:
        raise UsageError(f"{option} cannot be used with --jq, --columns and --out", hint=_TO_SHELL)


def _check_place(asked: Asked) -> None:
    if (asked.restart or asked.dedupe) and not (asked.pages and asked.place is Place.FILE):
        raise UsageError("--restart and --dedupe need --all and --out FILE")
    if asked.many_files and asked.place not in {Place.FILE, Place.FOLDER}:
        raise UsageError("several files can only be saved in a folder (use --out DIR)")
    if asked.place is Place.STDOUT:
        return
    if asked.several:
        raise UsageError(
            "--out takes the records of one connection (unified export writes a file for each"
            " connection)"
        )
    if asked.kind in _PRINTED:
        message, hint = _PRINTED[asked.kind]
        raise UsageError(message, hint=hint)
    if asked.place is Place.FOLDER and not asked.may_download:
        raise UsageError(f"{asked.out} is a folder; name a file in it")
    if asked.pages and asked.place is Place.FILE and asked.form.document and asked.jq:
        raise UsageError(
            "--jq would need the whole result, but --out writes it page by page (use -o ndjson)"
        )


def _check_format(asked: Asked) -> None:
    form, kind = asked.form, asked.kind
    if asked.downloads and asked.several:
        raise UsageError("a file is downloaded from one connection", hint="-p with one name")
    if asked.downloads:
        if asked.reshaped or asked.csv_safe or asked.bom or (asked.named and not form.as_served):
            raise UsageError("a file is saved unchanged", hint="leave out -o, --jq and --columns")
        return
    if form.binary and kind in {ModeKind.CHECKED, ModeKind.FOLLOWED}:
        raise UsageError(
            f"-o {form} prints the response unchanged, so its records cannot be checked",
            hint="-o ndjson",
        )
    if form.binary and (asked.reshaped or asked.pages or asked.split or kind is ModeKind.LINES):
        raise UsageError(
            f"-o {form} prints one response unchanged, so records cannot be selected from it (use"
            " -o json)"
        )
    if asked.columns and not form.fields:
        raise UsageError(f"-o {form} has no columns", hint="-o tsv --columns id,name")
    if asked.dedupe and (not form.dedupe or asked.reshaped):
        raise UsageError("--dedupe id needs -o ndjson without --jq and --columns")
    if kind is ModeKind.FOLLOWED and not form.lines:
        lines = ", ".join(form.name for form in formats.RESULTS if form.lines)
        raise UsageError(f"--follow prints lines, not {form}", hint=f"-o {lines}")
