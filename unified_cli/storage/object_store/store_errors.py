"""What an object store refuses, as errors of this program."""

import os
import re

from unified_cli.errors import ExitCode, StorageError
from unified_cli.storage.object_store.store_url import StoreUrl

_CREDENTIALS = {
    "s3": "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION in the environment, or the role of the machine",
    "gs": "GOOGLE_APPLICATION_CREDENTIALS in the environment, or the account of the machine",
    "az": "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY in the environment, or the identity of the machine",
}
# The library has one exception for whatever it knows no better; its dump names an answer's status and an error of the
# operating system by their numbers.
_STATUS = re.compile(r"\bstatus: (\d{3}),")
_NUMBER = re.compile(r"\b(?:code: |os error )(\d+)\b")
# Where a machine of a cloud is asked for its role; on other machines nobody answers there.
_METADATA = re.compile(r"\b169\.254\.(?:169\.254|170\.2)\b|\bmetadata\.google\.internal\b")
_AGAIN = "the same command goes on where it stopped"


class UnreachableStoreError(StorageError):
    """The store gives no usable answer."""

    code, kind, origin, retryable = ExitCode.NETWORK, "network", "network", True


class DeniedStoreError(StorageError):
    """The store accepts no credentials of this machine, or they do not suffice."""

    code, kind = ExitCode.CONFIG, "config"


def error_of(url: StoreUrl, what: str, error: Exception) -> StorageError:
    """The error for what the library raised when it was to do this.

    The library's own text stays out: it holds what was sent and answered, signatures too.
    """
    from obstore import exceptions  # noqa: PLC0415  an extra

    failed = f"cannot {what} {url}"
    if url.is_folder:
        number = _NUMBER.search(str(error))
        return StorageError(f"{failed}: {os.strerror(int(number[1])) if number else 'the folder does not take it'}")
    found = _STATUS.search(str(error))
    status = int(found[1]) if found else None
    denied = isinstance(error, exceptions.PermissionDeniedError | exceptions.UnauthenticatedError)
    if _METADATA.search(str(error)):
        return DeniedStoreError(f"{failed}: there are no credentials", hint=f"it takes {_CREDENTIALS[url.scheme]}")
    if denied or status in {401, 403}:
        return DeniedStoreError(f"{failed}: access is denied", hint=f"it takes {_CREDENTIALS[url.scheme]}")
    if isinstance(error, FileNotFoundError) or status == 404:
        return StorageError(f"{failed}: {url.bucket} does not exist")
    said = f"its answer is {status}" if status else "it does not answer"
    return UnreachableStoreError(f"{failed}: {said}", hint=_AGAIN)


def unusable(url: StoreUrl) -> DeniedStoreError:
    """The error for a store that the library cannot even address."""
    return DeniedStoreError(
        f"cannot use {url}: its settings are not complete", hint=f"it takes {_CREDENTIALS[url.scheme]}"
    )
