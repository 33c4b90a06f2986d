"""The URL of a place in an object store."""

from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit
from urllib.request import url2pathname

from unified_cli.errors import UnsafeError, UsageError

_FILE = "file"
_SCHEMES = ("s3", "gs", "az", _FILE)


class StoreUrl(NamedTuple):
    """A `bucket`, or container, and the `prefix` in it; of a shared folder only the prefix, its path."""

    scheme: str
    bucket: str
    prefix: str

    def __str__(self) -> str:
        return f"{self.scheme}://{self.bucket}{'/' if self.bucket and self.prefix else ''}{self.prefix}"

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder that machines share."""
        return self.scheme == _FILE


def parse(text: str) -> StoreUrl | None:
    """The URL as which the text is read; None for the path of a local folder.

    Raises UsageError for another scheme, or a URL that names no place; UnsafeError for one with credentials.
    """
    if "://" not in text:
        return None
    try:
        url = urlsplit(text)
        username = url.username
    except ValueError:
        raise UsageError("the URL to export to is malformed") from None
    if username is not None:
        # Not shown: it is the secret.
        raise UnsafeError("the URL to export to holds credentials", hint="put them into the environment")
    if url.scheme not in _SCHEMES:
        raise UsageError(f"cannot export to {url.scheme}:// (choose from {', '.join(f'{s}://' for s in _SCHEMES)})")
    if url.query or url.fragment or {".", ".."} & {*url.path.split("/")}:
        raise UsageError(f"{url.scheme}://{url.netloc} takes a plain path after it, without ?, #, . and ..")
    return _folder(url) if url.scheme == _FILE else _place(url)


def _folder(url: SplitResult) -> StoreUrl:
    if url.netloc not in {"", "localhost"} or not url.path.strip("/"):
        raise UsageError("file:// needs the whole path of a folder (file:///mnt/shared/dump)")
    return StoreUrl(url.scheme, "", url2pathname(url.path.rstrip("/")))


def _place(url: SplitResult) -> StoreUrl:
    if not url.netloc or ":" in url.netloc:
        raise UsageError(f"{url.scheme}:// needs the name of a bucket ({url.scheme}://bucket/dir)")
    return StoreUrl(url.scheme, url.netloc, "/".join(part for part in url.path.split("/") if part))
