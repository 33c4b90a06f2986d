"""The addresses of the files that records point at."""

from urllib.parse import quote

FILE_HOST = "files.provider.example"


def file_url(api: str, resource: str, record: str, name: str = "") -> str:
    """The address of a record's file, which the action `download` takes."""
    parts = (api, resource, record, *([name] if name else ()))
    return f"https://{FILE_HOST}/" + "/".join(quote(part, safe="") for part in parts)
