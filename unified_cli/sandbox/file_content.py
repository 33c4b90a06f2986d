"""Generate the files of seeded records: their addresses, and small valid content."""

import binascii
import struct
import zlib
from urllib.parse import quote

# The host is short, so that an example fits in a line of help.
FILE_HOST = "f.example"
FILE_HOSTS = (FILE_HOST, "files.provider.example")
"""The hosts of file addresses, including the host in addresses that version 0.1
stored.
"""


def file_url(api: str, resource: str, record: str, name: str = "") -> str:
    """Return the address of a record's file, for the action `download`."""
    parts = (api, resource, record, *([name] if name else ()))
    return f"https://{FILE_HOST}/" + "/".join(quote(part, safe="") for part in parts)


def content(kind: str, about: str) -> bytes:
    """Return a file of this content type. It contains the text `about`."""
    make = _MAKERS.get(kind.partition(";")[0])
    return make(about) if make else f"{about}\n".encode() * 8


def _png(about: str) -> bytes:
    # The text determines the colour of a single pixel.
    pixel = b"\0" + zlib.crc32(about.encode()).to_bytes(4, "big")[:3]
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(pixel)),
        (b"IEND", b""),
    )
    framed = (
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", binascii.crc32(name + data))
        for name, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(framed)


def _pdf(about: str) -> bytes:
    safe = "".join(letter for letter in about if letter.isascii() and letter not in "()\\")
    stream = f"BT /F1 12 Tf 72 720 Td ({safe}) Tj ET".encode()
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        (
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1"
            b" 5 0 R>>>>>>"
        ),
        b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    text, places = b"%PDF-1.4\n", []
    for number, item in enumerate(objects, 1):
        places.append(len(text))
        text += b"%d 0 obj%s endobj\n" % (number, item)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(text)
    return (
        text
        + b"xref\n0 6\n0000000000 65535 f \n%strailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF"
        % (
            table,
            start,
        )
    )


def _csv(about: str) -> bytes:
    return f"id,name\r\n1,{about}\r\n2,Zoë\r\n".encode()


def _html(about: str) -> bytes:
    return f"<!doctype html><meta charset=utf-8><title>{about}</title><p>{about}</p>\n".encode()


def _wav(about: str) -> bytes:
    # A quarter of a second of near silence, with eight bits at 8 kHz. The text
    # determines the sample.
    level = 127 + zlib.crc32(about.encode()) % 3
    samples = bytes((level, 128)) * 1000
    form = _long(16) + struct.pack("<HHIIHH", 1, 1, 8000, 8000, 1, 8)
    return (
        b"RIFF"
        + _long(36 + len(samples))
        + b"WAVEfmt "
        + form
        + b"data"
        + _long(len(samples))
        + samples
    )


def _long(number: int) -> bytes:
    return struct.pack("<I", number)


_MAKERS = {
    "image/png": _png,
    "application/pdf": _pdf,
    "text/csv": _csv,
    "text/html": _html,
    "audio/wav": _wav,
}
