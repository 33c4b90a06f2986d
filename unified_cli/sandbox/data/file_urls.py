"""The addresses of the files that records point at."""

from urllib.parse import quote

# Short, so that an example fits a line of help.
FILE_HOST = "f.example"
FILE_HOSTS = (FILE_HOST, "files.provider.example")
"""Also the one in what version 0.1 stored."""


def file_url(api: str, resource: str, record: str, name: str = "") -> str:
    """The address of a record's file, which the action `download` takes."""
    parts = (api, resource, record, *([name] if name else ()))
    return f"https://{FILE_HOST}/" + "/".join(quote(part, safe="") for part in parts)
