"""Read a file of records once to find its format and check it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from unified_cli.errors import StorageError, UsageError
from unified_cli.json_text import record_label
from unified_cli.storage import input_bounds, regular_file
from unified_cli.storage.unchanged_file import UnchangedFile
from unified_cli.writes import input_formats, input_reading, input_tables
from unified_cli.writes.input_formats import InputLine
from unified_cli.writes.input_reading import Reading, ReadingOptions, RecordShape


@dataclass(frozen=True, slots=True)
class InputFile:
    """A checked file of `count` records.

    `last` is the number of the last record. `labelled` is the number of the first
    record that names its connection, or 0. `sound` is true if all records are valid.
    `heads` are the column names of a table. The file stays open, so it may be renamed.
    """

    file: UnchangedFile
    reading: Reading
    shape: RecordShape
    heads: list[str]
    count: int
    last: int
    labelled: int
    sound: bool

    @property
    def path(self) -> Path:
        """The name of the file."""
        return self.file.path

    def lines(self) -> Iterator[InputLine]:
        """Yield the records. Raises StateError if the file has changed."""
        # The lines were checked, and the file has not changed since.
        name = str(self.path)
        with self.file.reader() as content:
            if self.sound and self.reading.format == "ndjson":
                yield from input_formats.sound_ndjson(content, name)
            else:
                yield from input_reading.lines(content, name, self.reading, self.shape)

    @property
    def columns(self) -> list[str]:
        """The column names, without surrounding spaces if the options say so."""
        return [head.strip() for head in self.heads] if self.reading.trimmed else self.heads

    @property
    def warning(self) -> str:
        """A warning about spaces around column names, or ""."""
        return input_tables.space_warning(self.heads, trimmed=self.reading.trimmed)

    def close(self) -> None:
        """Close the file."""
        self.file.close()


def examine(
    path: Path,
    shape: RecordShape,
    options: ReadingOptions,
    *,
    shown: Path | None = None,
    as_0_2_0: bool = False,
) -> InputFile:
    """Check a file before it is used.

    `shown` is the name of the file in messages, if it differs from `path`. With
    `as_0_2_0`, reads the file as version 0.2.0 did. Raises UsageError if the file is
    empty, too large, of an unsupported kind or damaged, and StorageError if reading
    fails.
    """
    options.check()
    try:
        file = UnchangedFile(path)
        file.path = shown or path
    except regular_file.NotRegularError:
        hint = "to read a pipe, give - as the file"
        raise UsageError(f"{path} is not a regular file", hint=hint) from None
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror}") from None
    try:
        return _examined(file, shape, options, as_0_2_0=as_0_2_0)
    except BaseException:
        file.close()
        raise


def _examined(
    file: UnchangedFile, shape: RecordShape, options: ReadingOptions, *, as_0_2_0: bool
) -> InputFile:
    name = str(file.path)
    find = input_reading.find_as_0_2_0 if as_0_2_0 else input_reading.find
    reading = find(file.reader, file.path, shape, options)
    with file.reader() as content:
        heads = input_reading.heads(content, name, reading, shape)
    with file.reader() as content:
        found = _counted(input_reading.lines(content, name, reading, shape), name)
    return InputFile(file, reading, shape, heads, *found)


def _counted(lines: Iterator[InputLine], name: str) -> tuple[int, int, int, bool]:
    """Return `count`, `last`, `labelled` and `sound` of the lines, as in `InputFile`.

    Raises UsageError if there are no lines, or too many.
    """
    count = last = labelled = 0
    sound = True
    for line in lines:
        count, last, sound = count + 1, line.number, sound and not line.wrong
        if not (labelled or line.wrong or line.bare) and record_label.carries(line.text):
            labelled = line.number
        if last > input_bounds.MOST_RECORDS:
            raise UsageError(
                f"{name} has more than {input_bounds.MOST_RECORDS:,} lines or records",
                hint="split the input",
            )
    if not count:
        raise UsageError(f"{name} holds no records", hint="was it written? ls -l shows its size")
    return count, last, labelled, sound
