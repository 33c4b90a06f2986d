"""Write a ZIP file for a bug report: findings, versions, settings without secrets, the
last runs, and a recording.
"""

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from unified_cli import masking
from unified_cli.catalogue import Service
from unified_cli.commands.doctor import versions
from unified_cli.config import resolution, token
from unified_cli.config.file import Config
from unified_cli.config.keys import Overrides
from unified_cli.errors import StateError, StorageError, UnifiedError, UnsafeError
from unified_cli.http import evidence, har_reader
from unified_cli.http.har_reader import HarBody, HarContent, HarPair
from unified_cli.http.har_redaction import Redaction, holding
from unified_cli.json_text.json_stream import TooLongError
from unified_cli.masking import excerpt
from unified_cli.runtime import Runtime
from unified_cli.storage import input_bounds, output_file
from unified_cli.values import JsonObject
from unified_cli.writes import listed_runs

_MOST_RUNS = 20
_MOST_PROFILES = 200
_READ_AT_ONCE = {"environment", "token", "token_file"}
_RECORDING = "session.har"
_ABOUT = """\
Made by `unified doctor --bundle`, to be sent with a report.

findings.json  what the doctor found
versions.json  the versions of the program, Python, the system and the packages it uses
settings.json  the settings of each profile and their sources, without tokens
runs.json      the last runs: their commands, and how far each run is
session.har    requests and answers, if a recording was added; it has records of customers

Before this file was written, it was searched for the tokens of the configuration, of token
files and of the environment.
"""


def check(path: Path, har: str | None, service: Service) -> bytes | None:
    """Check the recording to add, and return it. Call it before any work.

    Raises StorageError if a file cannot be used, StateError if the file to add is not a
    recording, and UnsafeError if it holds credentials.
    """
    output_file.check(path, force=False, instead=output_file.ANOTHER)
    if har is None:
        return None
    try:
        with input_bounds.reader(har) as file:
            content = input_bounds.whole(file, har, hint="send it beside the report")
    except OSError as error:
        raise StorageError(f"cannot read {har}: {error.strerror}") from None
    _check_recording(content, har, service)
    return content


def write(
    path: Path,
    runtime: Runtime,
    findings: Sequence[JsonObject],
    config: Config | None,
    har: bytes | None,
    service: Service,
) -> int:
    """Write the private file, and return its size.

    Raises UnsafeError, and writes nothing, if the content contains a secret. Raises
    StorageError if writing fails.
    """
    if config is not None:
        _know_tokens(runtime, config)
    texts: JsonObject = {
        "findings.json": findings,
        "versions.json": versions.versions(),
        "settings.json": _all_settings(runtime, config),
        "runs.json": [run.row() for run in listed_runs.list_runs(runtime)[:_MOST_RUNS]],
    }
    files = {
        name: masking.masked(json.dumps(value, indent=2)).encode() for name, value in texts.items()
    }
    files = {
        "README.txt": _ABOUT.encode(),
        **files,
        **({_RECORDING: har} if har is not None else {}),
    }
    content = _zipped(files)
    _check(content, service)
    return output_file.write(path, [content], force=False, instead=output_file.ANOTHER)


def _know_tokens(runtime: Runtime, config: Config) -> None:
    """Mask the tokens of all profiles, even of profiles that were not checked.

    Does not run the programs that print tokens, so these tokens stay unknown.
    """
    for name in (None, *config.profiles):
        with suppress(UnifiedError):
            source = resolution.resolve(Overrides(name), runtime, config).token
            if source and source.kind in _READ_AT_ONCE:
                token.read(source, runtime)


def _all_settings(runtime: Runtime, config: Config | None) -> list[JsonObject]:
    if config is None:
        return []
    result: list[JsonObject] = []
    for name in (None, *[*config.profiles][:_MOST_PROFILES]):
        try:
            resolved = resolution.resolve(Overrides(name), runtime, config)
        except UnifiedError as error:
            result.append({"profile": name, "error": error.message})
        else:
            result.append({"profile": name, "values": [*resolved.explain()]})
    return result


def _zipped(files: Mapping[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


def _check(content: bytes, service: Service) -> None:
    """Read the archive again. Raises UnsafeError if a file contains a known secret."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in archive.namelist():
            if name == _RECORDING:
                # Check the recording again, because more secrets are known now.
                _check_recording(archive.read(name), name, service)
            elif masking.masked(text := archive.read(name).decode()) != text:
                raise UnsafeError(f"{name} would hold a secret, so nothing was written")


class _Message(msgspec.Struct):
    headers: list[HarPair]
    url: str = ""
    status: int = 0
    body: HarBody | None = msgspec.field(default=None, name="postData")
    content: HarContent = msgspec.field(default_factory=HarContent)


class _Exchange(msgspec.Struct):
    request: _Message
    response: _Message


def _check_recording(content: bytes, name: str, service: Service) -> None:
    """Raise StateError if the file is not a HAR file.

    Raises UnsafeError if it holds credentials, or if another program made it.

    A browser's recording may have cookies and forms in places that this program does
    not check.
    """
    number = 0
    try:
        for number, text in enumerate(har_reader.entries(io.BytesIO(content)), 1):
            har_reader.entry(text)
            if _holds_credentials(text, service):
                raise _unsafe(f"entry {number} of {name} holds credentials")
    except (ValueError, RecursionError) as error:
        raise StateError(
            f"{name} is not a HAR file, or damaged after entry {number}: {excerpt(str(error), 200)}"
        ) from None
    except TooLongError:
        raise StateError(f"{name} has an entry that is too long after entry {number}") from None
    if not evidence.is_own(content):
        raise _unsafe(f"{name} was not made by --record")
    whole = content.decode("utf-8", "surrogatepass")
    if Redaction().text(whole) != whole:
        raise _unsafe(f"{name} holds credentials outside its entries")


def _unsafe(found: str) -> UnsafeError:
    return UnsafeError(
        f"{found}, so it is not passed on", hint="--record makes a file without them"
    )


def _holds_credentials(text: bytes, service: Service) -> bool:
    found = msgspec.json.decode(text, type=_Exchange)
    sent, came = found.request, found.response
    path, redaction = urlsplit(sent.url).path, Redaction()
    redaction.query(sent.url)
    bodies = ((sent.body.text if sent.body else "", 0), (_text(came.content), came.status))
    # Read both bodies first, because a secret in one may also be in the other.
    cleaned = [redaction.body(body, holding(path, status, service)) for body, status in bodies]
    if any(
        new is None or redaction.text(new) != old
        for new, (old, _) in zip(cleaned, bodies, strict=True)
    ):
        return True
    headers = [(header.name, header.value) for header in (*sent.headers, *came.headers)]
    if redaction.headers(headers) != headers or redaction.url(sent.url) != sent.url:
        return True
    body = came.content.decoded() if came.content.encoding else b""
    return redaction.binary(body) != body


def _text(content: HarContent) -> str:
    return "" if content.encoding else content.text
