"""A unique secret, and the search for it in whatever a run left behind."""

import base64
import json
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import quote


def canary() -> str:
    """A token that nothing else holds, and that every way of escaping changes."""
    return f'CANARY-{secrets.token_hex(16)}"/+%'


def forms(secret: str) -> Iterator[bytes]:
    """The shapes a secret may be met in."""
    raw = secret.encode()
    yield raw
    yield raw[::-1]
    yield quote(secret, safe="").encode()
    yield quote(secret).encode()
    yield json.dumps(secret)[1:-1].encode()
    for offset in range(3):
        encoded = base64.b64encode(b"\0" * offset + raw)
        yield encoded[4 if offset else 0 : -4]
    # A part that no way of escaping changes, in case it was cut.
    yield raw[:16]
    yield raw[:16].lower()


def hits(secret: str, places: Mapping[str, bytes]) -> list[str]:
    """The places that hold the secret in any shape."""
    shapes = [*forms(secret)]
    return [name for name, content in places.items() if any(shape in content for shape in shapes)]


def tree(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file below a folder: its content and mode."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mode & 0o777)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }
