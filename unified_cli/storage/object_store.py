"""Write, create, list and remove objects in S3, Google Cloud Storage, Azure or a shared
folder.

Errors of the library obstore are converted to errors of this program.
"""

import os
import re
import threading
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar
from urllib.parse import SplitResult, urlsplit
from urllib.request import url2pathname

from unified_cli import os_limits
from unified_cli.errors import ConfigError, ExitCode, StorageError, UnsafeError, UsageError
from unified_cli.installation import command_to_add

if TYPE_CHECKING:
    from obstore import ObjectMeta, PutResult
    from obstore.store import ObjectStore

_TIMEOUT = timedelta(seconds=60)
_RETRY_TIMEOUT = timedelta(seconds=90)
_RETRIES = 6
# The names that the stores' own tools use.
_CLEAR_TEXT = ("AWS_ALLOW_HTTP", "AZURE_ALLOW_HTTP", "GOOGLE_ALLOW_HTTP")
_ENDPOINTS = ("AWS_ENDPOINT_URL", "AWS_ENDPOINT", "AZURE_STORAGE_ENDPOINT")
_OTHERS = 0o077
Result = TypeVar("Result")
_CREDENTIALS = {
    "s3": (
        "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION in the environment, or from the"
        " role of the machine; AWS_PROFILE and ~/.aws are not read, but eval"
        ' "$(aws configure export-credentials --format env)" copies the keys from there'
    ),
    "gs": "GOOGLE_APPLICATION_CREDENTIALS in the environment, or from the account of the machine",
    "az": (
        "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY in the environment, or from"
        " the identity of the machine"
    ),
}
# The library raises the same exception for all unknown problems. Its text has the
# status of a response or the number of an OSError. deltalake uses other words.
_STATUS = re.compile(r"(?:\bstatus: |\bstatus code\s+\S+ )(\d{3})\b")
_NUMBER = re.compile(r"\b(?:code: |os error )(\d+)\b")
# The library's error for an address without TLS.
_REFUSED = re.compile(r"\bsource: BadScheme\b|\bURL scheme is not allowed\b")
_VARIABLES = {"s3": "AWS", "gs": "GOOGLE", "az": "AZURE"}
# Finds metadata addresses, which only exist on cloud machines.
_METADATA = re.compile(r"\b169\.254\.(?:169\.254|170\.2)\b|\bmetadata\.google\.internal\b")
_AGAIN = "the same command continues where it stopped"
_FILE = "file"
_SCHEMES = ("s3", "gs", "az", _FILE)
# Characters of a path that mean something else in a URL, or that a URL loses.
_NOT_PLAIN = re.compile(r"[%?#\x00-\x20\x7f]")


def _exceptions() -> Any:
    from obstore import exceptions  # noqa: PLC0415  an extra

    return exceptions


class StoreUrl(NamedTuple):
    """A `bucket` or container, and a `prefix` in it. A shared folder has only a prefix,
    its path. `str` returns a URL that `parse_url` reads as the same address.
    """

    scheme: str
    bucket: str
    prefix: str

    def __str__(self) -> str:
        slash = "/" if self.bucket and self.prefix else ""
        path = _NOT_PLAIN.sub(_escape, self.prefix) if self.is_folder else self.prefix
        return f"{self.scheme}://{self.bucket}{slash}{path}"

    @property
    def is_folder(self) -> bool:
        """Whether this is the address of a shared folder."""
        return self.scheme == _FILE


def parse_url(text: str) -> StoreUrl | None:
    """Parse a URL, or return None for the path of a local folder.

    Raises UsageError if the scheme is unsupported or the URL is incomplete, and
    UnsafeError if it contains credentials.
    """
    scheme, _, place = text.partition(":")
    if "://" not in text:
        if place and scheme in _VARIABLES:
            raise UsageError(
                f"{text!r} is not a URL (did you mean {scheme}://{place.lstrip('/')}?)"
            )
        return None
    try:
        url = urlsplit(text)
        username = url.username
    except ValueError:
        raise UsageError("the URL to export to is malformed") from None
    if username is not None:
        # Do not print the URL, because it contains the secret.
        raise UnsafeError(
            "the URL to export to holds credentials", hint="put them into the environment"
        )
    if url.scheme not in _SCHEMES:
        choices = ", ".join(f"{scheme}://" for scheme in _SCHEMES)
        raise UsageError(f"cannot export to {url.scheme}:// (choose from {choices})")
    if url.query or url.fragment or {".", ".."} & {*url.path.split("/")}:
        raise UsageError(
            f"{url.scheme}://{url.netloc} must be followed by a plain path, without ?, #, . and .."
        )
    return _folder(url) if url.scheme == _FILE else _place(url)


def _escape(match: re.Match[str]) -> str:
    return f"%{ord(match[0]):02X}"


def _folder(url: SplitResult) -> StoreUrl:
    if url.netloc not in {"", "localhost"} or not url.path.strip("/"):
        raise UsageError("file:// needs the whole path of a folder (file:///mnt/shared/dump)")
    return StoreUrl(url.scheme, "", url2pathname(url.path.rstrip("/")))


def _place(url: SplitResult) -> StoreUrl:
    if not url.netloc or ":" in url.netloc:
        raise UsageError(f"{url.scheme}:// needs the name of a bucket ({url.scheme}://bucket/dir)")
    return StoreUrl(url.scheme, url.netloc, "/".join(part for part in url.path.split("/") if part))


def check(environ: Mapping[str, str]) -> None:
    """Raise ConfigError if the package is missing or an address is without TLS."""
    if find_spec("obstore") is None:
        raise ConfigError("object stores need the package obstore", hint=command_to_add("obstore"))
    if (name := _clear_text_variable(environ)) is not None:
        raise ConfigError(
            f"{name} is an address without TLS", hint=_allowing(name.partition("_")[0])
        )


class Stored(NamedTuple):
    """An object without its content. `modified` is the time of the last write by the
    clock of the store, and `tag` changes with each write.
    """

    size: int
    modified: datetime
    tag: str


class StoredObjects:
    """The objects below a URL. Their paths are relative to the URL.

    Credentials come from the environment, as for the store's own tools. For `file://`,
    all new files of this process become private. All methods raise StorageError, with
    the exit code NETWORK if the store does not respond, and CONFIG if it refuses.
    """

    def __init__(self, url: StoreUrl, store: "ObjectStore") -> None:
        self.url = url
        self._store = store

    @classmethod
    def at(cls, url: StoreUrl, environ: Mapping[str, str], *, make: bool) -> Self:
        """Return the objects below the URL, without a request.

        With `make`, create a missing shared folder. Raises ConfigError if the library
        is missing, and StorageError if the folder cannot be created.
        """
        check(environ)
        exceptions = _exceptions()
        if url.is_folder:
            # The library's files get their permissions from the umask, which all
            # threads share.
            os.umask(_OTHERS)
        try:
            return cls(url, _opened(url, environ, make=make))
        except (exceptions.BaseError, ValueError, OSError) as error:
            raise error_of(url, "open", error) if url.is_folder else unusable(url) from None

    def get(self, path: str) -> bytes | None:
        """Return the bytes of an object, or None."""

        def get() -> bytes | None:
            try:
                content: bytes = self._store.get(path).bytes().to_bytes()
            except FileNotFoundError:
                return None
            return content

        return self._do("read", get)

    def put(self, path: str, data: bytes) -> None:
        """Write or replace an object."""
        self._do("write to", lambda: self._store.put(path, data, use_multipart=False))

    def create(self, path: str, data: bytes) -> bool:
        """Create an object unless it exists. Return whether it now has these bytes.

        The bytes must be unique to this writer. If a response is lost, a retry then
        recognises the object of the first attempt.
        """
        return self.created(path, data) is not None

    def created(self, path: str, data: bytes) -> str | None:
        """Create an object, and return its tag, or None if another exists."""
        exceptions = _exceptions()

        def create() -> str | None:
            try:
                return _tag(self._store.put(path, data, mode="create", use_multipart=False))
            except exceptions.AlreadyExistsError:
                return None

        tag = self._do("write to", create)
        if tag is None and self.get(path) == data:
            stored = self.stored(path)
            tag = stored and stored.tag
        return tag

    def stored(self, path: str) -> Stored | None:
        """Return an object without its content, or None. It may not be listed yet."""

        def head() -> Stored | None:
            try:
                return _stored(self._store.head(path))
            except FileNotFoundError:
                return None

        return self._do("read", head)

    def listed(self, folder: str) -> dict[str, Stored]:
        """Return the objects below the folder, ordered by path."""
        found = self._do(
            "list", lambda: [meta for batch in self._store.list(folder) for meta in batch]
        )
        named = {meta["path"].removeprefix(f"{folder}/"): _stored(meta) for meta in found}
        return dict(sorted(named.items()))

    def names(self) -> list[str]:
        """Return the names of the objects that are not in a folder."""
        return self._do(
            "list",
            lambda: sorted(meta["path"] for meta in self._store.list_with_delimiter()["objects"]),
        )

    def remove(self, paths: Collection[str]) -> None:
        """Remove the objects at these paths. Ignores missing objects."""

        def remove() -> None:
            for path in paths:
                with suppress(FileNotFoundError):
                    self._store.delete(path)

        self._do("remove from", remove)

    def _do(self, what: str, work: Callable[[], Result]) -> Result:
        """Call `work`, and turn errors of the library into StorageError.

        The library cannot be interrupted, so run it in another thread, and receive
        Ctrl-C in the main thread.
        """
        exceptions = _exceptions()
        is_main = threading.current_thread() is threading.main_thread()
        try:
            return os_limits.run_with_timeout(work) if is_main else work()
        except (exceptions.BaseError, ValueError, OSError) as error:
            raise error_of(self.url, what, error) from None


def _stored(meta: "ObjectMeta") -> Stored:
    return Stored(meta["size"], meta["last_modified"], _tag(meta))


def _tag(answer: "ObjectMeta | PutResult") -> str:
    # One store quotes the tag in some responses.
    return (answer["e_tag"] or "").strip('"')


def _allows_clear_text(environ: Mapping[str, str]) -> bool:
    return any(environ.get(name, "").lower() in {"1", "true"} for name in _CLEAR_TEXT)


def _allowing(store: str) -> str:
    return f"{store}_ALLOW_HTTP=true allows that"


def _clear_text_variable(environ: Mapping[str, str]) -> str | None:
    found = (name for name in _ENDPOINTS if environ.get(name, "").startswith("http://"))
    return None if _allows_clear_text(environ) else next(found, None)


def _opened(url: StoreUrl, environ: Mapping[str, str], *, make: bool) -> "ObjectStore":
    from obstore import store  # noqa: PLC0415  as above

    if url.is_folder:
        return store.LocalStore(url.prefix, mkdir=make)
    return _client(url, _allows_clear_text(environ), tuple(sorted(environ.items())))


# Share the client: each client reads the system's authorities and opens connections,
# and a worker runs many tasks for the same store.
@lru_cache(maxsize=1)
def _client(
    url: StoreUrl, clear_text: bool, _environ: tuple[tuple[str, str], ...]
) -> "ObjectStore":
    # The library reads all other settings from the environment.
    from obstore import store  # noqa: PLC0415  as above

    makers: dict[str, Callable[..., ObjectStore]]
    makers = {"s3": store.S3Store, "gs": store.GCSStore, "az": store.AzureStore}
    return makers[url.scheme](
        url.bucket,
        prefix=url.prefix or None,
        client_options={"timeout": _TIMEOUT, "allow_http": clear_text},
        retry_config={"max_retries": _RETRIES, "retry_timeout": _RETRY_TIMEOUT},
    )


def table_settings(url: StoreUrl, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the settings with which deltalake reaches the same store."""
    if url.is_folder:
        return {}
    own = {
        name: value
        for name, value in environ.items()
        if name.startswith(f"{_VARIABLES[url.scheme]}_")
    }
    limits = {
        "timeout": f"{_TIMEOUT.seconds}s",
        "allow_http": str(_allows_clear_text(environ)).lower(),
    }
    # A commit is an object that is created only if it does not exist.
    return {**own, **limits, **({"aws_conditional_put": "etag"} if url.scheme == "s3" else {})}


class UnreachableStoreError(StorageError):
    """The store does not respond, or its response is invalid."""

    code, kind, origin, retryable = ExitCode.NETWORK, "network", "network", True


class DeniedStoreError(StorageError):
    """The store refuses the credentials, or they are missing."""

    code, kind = ExitCode.CONFIG, "config"


def error_of(url: StoreUrl, what: str, error: Exception) -> StorageError:
    """Return the error for an exception of the library while doing `what`.

    It omits the library's text, which may have signatures of requests and responses.
    """
    exceptions = _exceptions()
    failed = f"cannot {what} {url}"
    if url.is_folder:
        number = _NUMBER.search(str(error))
        return StorageError(
            f"{failed}: {os.strerror(int(number[1])) if number else 'the folder refuses the file'}"
        )
    found = _STATUS.search(str(error))
    status = int(found[1]) if found else None
    denied = isinstance(error, exceptions.PermissionDeniedError | exceptions.UnauthenticatedError)
    if _METADATA.search(str(error)):
        return DeniedStoreError(
            f"{failed}: there are no credentials",
            hint=f"credentials come from {_CREDENTIALS[url.scheme]}",
        )
    if _REFUSED.search(str(error)):
        # `check` cannot find this address, because it is in a credentials file.
        return DeniedStoreError(
            f"{failed}: its address is without TLS, so nothing was sent",
            hint=_allowing(_VARIABLES[url.scheme]),
        )
    if denied or status in {401, 403}:
        return DeniedStoreError(
            f"{failed}: access is denied", hint=f"credentials come from {_CREDENTIALS[url.scheme]}"
        )
    if isinstance(error, FileNotFoundError) or status == 404:
        return StorageError(f"{failed}: {url.bucket} does not exist")
    message = f"the store answered with {status}" if status else "the store does not answer"
    return UnreachableStoreError(f"{failed}: {message}", hint=_AGAIN)


def unusable(url: StoreUrl) -> DeniedStoreError:
    """Return the error for a store with incomplete settings."""
    return DeniedStoreError(
        f"cannot use {url}: its settings are not complete",
        hint=f"credentials come from {_CREDENTIALS[url.scheme]}",
    )
