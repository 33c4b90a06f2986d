"""Determine the id and the body of the request for each record of an input."""

import base64
import hashlib
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import msgspec
from msgspec.structs import replace

from unified_cli.catalogue import Operation, Service
from unified_cli.http.request import is_key
from unified_cli.json_text import record_label
from unified_cli.json_text.members import join, one_line, parts, string
from unified_cli.json_text.record_label import LABEL
from unified_cli.masking import NO_TEXT, MaskedText, excerpt
from unified_cli.output.jq_program import JqProgram, NotHeldError
from unified_cli.writes.input_formats import InputLine

MARK = "_import"
"""The member that result files add to records. Importing a result file removes this
member.
"""

# Do not split larger records into members, which would take many times the memory of
# the text.
_LARGE = 1024 * 1024

_LONGEST_NAME = 64

NOT_ASKED_FOR = (
    f"has a {LABEL}, which selects a connection only if -p names several (remove it, or use -p with"
    " a glob, a tag or names)"
)
"""Why a record that names a connection is invalid."""

Reshape = Callable[[bytes], list[bytes]]


class LineMark(msgspec.Struct, omit_defaults=True):
    """The mark that a result file adds to a record.

    An import uses the idempotency `key` of the mark again, so that nothing is done
    twice. `request` is the hash of a failed request. A corrected record has another
    hash, and must not use the key. A key without `request` belongs to a request in
    doubt, which was first sent at the time `sent`. `text` is a line of the input that
    was not a record.
    """

    line: int
    id: str = ""
    status: int = 0
    why: MaskedText = NO_TEXT
    key: str = ""
    request: str = ""
    sent: float = 0
    text: str = ""


class InputItem(msgspec.Struct, frozen=True, dict=True):
    """A request to send: its id and body, and its `record`.

    `wrong` says why the request cannot be sent. `empty` means that the option --map
    left the record out. `mark` is the mark of the record, and `profile` its connection,
    if there are several.
    """

    number: int
    record: bytes
    identifier: str | None = None
    body: bytes | None = None
    mark: LineMark | None = None
    wrong: str = ""
    empty: bool = False
    profile: str | None = None

    @property
    def in_doubt(self) -> bool:
        """Whether an earlier import of the record may have carried out this write."""
        return (
            self.mark is not None
            and not self.mark.request
            and bool(self.mark.key or self.mark.sent)
        )

    @property
    def key(self) -> str:
        """The idempotency key in the record's mark.

        It is "" if there is no key, or if the key is for another request.
        """
        return self.mark.key if self.mark and self.mark.request in {"", self.hash} else ""

    @cached_property
    def hash(self) -> str:
        """The hash of the request. The mark of a result file does not change it."""
        return self._hash(_canonical(self.body) if self.body else b"")

    @property
    def hash_in_0_1(self) -> str:
        """The hash that version 0.1 wrote to journals."""
        return self._hash(self.body or b"")

    def _hash(self, body: bytes) -> str:
        digest = hashlib.sha256(b"" if self.profile is None else self.profile.encode() + b"\0")
        # Allow a lone surrogate here. It can be hashed, although it cannot be sent.
        identifier = self.identifier
        digest.update(
            b"" if identifier is None else identifier.encode("utf-8", "surrogatepass") + b"\0"
        )
        digest.update(body)
        return digest.hexdigest()

    def key_for(self, import_id: str) -> str:
        """Return the record's idempotency key in this import.

        The key is the same for every attempt. A record whose body has changed gets a
        new key, because the service may ignore the body if it knows the key.
        """
        digest = hashlib.sha256(f"{import_id}|{self.number}|{self.hash}".encode()).digest()
        return self.key or base64.b32encode(digest[:25]).decode("ascii")


def _canonical(body: bytes) -> bytes:
    try:
        return one_line(join(parts(body) or {}) if len(body) < _LARGE else body)
    except msgspec.DecodeError:
        return body


@dataclass(frozen=True)
class ItemRules:
    """The rules to turn a line into an item: `reshape` changes the record, and
    `profiles` are the profiles that records may name.

    If `profiles` is None, records must not name a profile.
    """

    operation: Operation
    service: Service
    reshape: Reshape | None = None
    profiles: Collection[str] | None = None


def items(lines: Iterator[InputLine], rules: ItemRules) -> Iterator[InputItem]:
    """Yield an item for each line."""
    for line in lines:
        yield _item(line, rules)


def _item(line: InputLine, rules: ItemRules) -> InputItem:
    number, record = line.number, line.text
    if line.wrong:
        return InputItem(number, record, wrong=line.wrong)
    if line.bare:
        return _bare(line, rules)
    try:
        record, mark = split_mark(record)
    except ValueError as error:
        return InputItem(number, record, wrong=f"cannot be used: {error}")
    try:
        record, profile = _split_label(record, rules.profiles)
    except ValueError as error:
        return InputItem(number, record, wrong=str(error))
    item = InputItem(number, record, mark=mark, profile=profile)
    return _with_body(item, rules)


def _bare(line: InputLine, rules: ItemRules) -> InputItem:
    if rules.profiles is not None:
        return InputItem(line.number, line.text, wrong=f"is an id, not a record with a {LABEL}")
    body = b"{}" if rules.operation.name == "update" else None
    return InputItem(line.number, line.text, line.text.decode("utf-8"), body)


def _split_label(record: bytes, profiles: Collection[str] | None) -> tuple[bytes, str | None]:
    """Return the record without the label, and the profile that the label names.

    Raises ValueError with the reason if the label is missing or unknown.
    """
    if profiles is None:
        if record_label.carries(record):
            raise ValueError(NOT_ASKED_FOR)
        return record, None
    if not record.startswith(b"{"):
        raise ValueError("is not a JSON object")
    record, name = record_label.split(record)
    if name not in profiles:
        raise ValueError(
            f'has the {LABEL} "{excerpt(name, _LONGEST_NAME)}", which -p does not select'
        )
    return record, name


def _with_body(item: InputItem, rules: ItemRules) -> InputItem:
    try:
        shaped = rules.reshape(item.record) if rules.reshape else [item.record]
    except ValueError as error:
        return replace(item, wrong=f"cannot be used: {error}")
    if not shaped:
        return replace(item, empty=True)
    if len(shaped) > 1:
        return replace(item, wrong=f"became {len(shaped)} records by --map, but must remain one")
    if wrong := _no_record(shaped[0], rules.service):
        return replace(item, wrong=wrong)
    if rules.reshape and record_label.carries(shaped[0]):
        return replace(item, wrong=f"got a {LABEL} from --map, which cannot choose a connection")
    item = replace(item, body=shaped[0])
    return _with_id(item, shaped[0], rules.operation) if rules.operation.takes_id else item


def split_mark(record: bytes) -> tuple[bytes, LineMark | None]:
    """Return the record without the mark of a result file, and the mark.

    Raises ValueError if the mark says that the line was not a record, or if its key
    cannot be sent.
    """
    if f'"{MARK}"'.encode() not in record:
        return record, None
    members = {**(parts(record) or {})}
    if MARK not in members:
        return record, None
    try:
        mark = msgspec.json.decode(members.pop(MARK), type=LineMark)
    except msgspec.DecodeError:
        return record, None
    if mark.text:
        raise ValueError("the line was not a record in the first place")
    if mark.key and not is_key(mark.key):
        raise ValueError(f"its {MARK} has a key that cannot be sent")
    return join(members), mark


def _no_record(body: bytes, service: Service) -> str:
    if not body.startswith(b"{"):
        return "is not a JSON object"
    # JSON may escape the letters of a key.
    if service.items.encode() in body or b"\\u00" in body:
        members = parts(body) or {}
        if service.items in members and service.cursor in members:
            return "is a page, not a record (list with -o ndjson)"
    return ""


def _with_id(item: InputItem, body: bytes, operation: Operation) -> InputItem:
    members = {**(parts(body) or {})}
    identifier = _text_or_number(members.pop("id", b"null"))
    if identifier is None:
        return replace(item, body=None, wrong="has no id")
    return replace(
        item, identifier=identifier, body=join(members) if operation.name == "update" else None
    )


def _text_or_number(text: bytes) -> str | None:
    if text.startswith(b'"'):
        return string(text) or None
    return text.decode() if text[:1].isdigit() or text[:1] == b"-" else None


class RecordMap:
    """The jq program of `--map`, which changes records. Not thread-safe."""

    def __init__(
        self, program: str, option: str = "--map", *, note: Callable[[str], None] | None = None
    ) -> None:
        """Compile the program. Raises UsageError if it is not valid jq.

        If jq computes a number, `note` is called once with a warning.
        """
        self._note = note
        self._program = JqProgram(program, option)

    def __call__(self, record: bytes) -> list[bytes]:
        """Return the program's results for a record as JSON text.

        Raises ValueError with the reason if the program fails, and NotHeldError if jq
        cannot represent the record.
        """
        try:
            result = self._program.results(record)
        except NotHeldError:
            raise
        except ValueError as error:
            first = str(error).partition("\n")[0] or "it failed"
            raise ValueError(excerpt(first, 200)) from None
        if self._note and (notes := self._program.notes()):
            self._note(notes[0])
            self._note = None
        return result

    def leave_out(self, record: bytes, error: NotHeldError) -> None:
        """Count a record that jq cannot represent."""
        self._program.leave_out(record, error)

    def missing_parts(self) -> Sequence[str]:
        """Return a sentence about the records that jq cannot represent, or nothing."""
        return self._program.missing_parts()
