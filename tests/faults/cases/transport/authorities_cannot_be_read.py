"""A file of authorities that is missing or empty is named, with the setting that names
it.
"""

from faults.case import LIST, Case

ADDRESS = {"UNIFIED_BASE_URL": "https://127.0.0.1:@PORT@"}

CASES = {
    "SSL_CERT_FILE missing": Case(
        LIST,
        environ={**ADDRESS, "SSL_CERT_FILE": "@HOME@/none.pem"},
        exit=3,
        stderr=["SSL_CERT_FILE @HOME@/none.pem cannot be used: No such file"],
    ),
    "SSL_CERT_FILE without a certificate": Case(
        LIST,
        environ={**ADDRESS, "SSL_CERT_FILE": "@HOME@/text.pem"},
        files={"text.pem": (b"hello", 0o644)},
        exit=3,
        stderr=["SSL_CERT_FILE .* holds no certificate"],
    ),
    "SSL_CERT_DIR missing": Case(
        LIST,
        environ={**ADDRESS, "SSL_CERT_DIR": "@HOME@/none"},
        exit=3,
        stderr=["SSL_CERT_DIR @HOME@/none"],
    ),
    "--ca-bundle missing": Case(
        f"{LIST} --ca-bundle @HOME@/none.pem",
        environ=ADDRESS,
        exit=3,
        stderr=["@HOME@/none.pem cannot be used"],
    ),
    "--ca-bundle is a folder": Case(
        f"{LIST} --ca-bundle @HOME@",
        environ=ADDRESS,
        exit=3,
        stderr=["@HOME@ cannot be used: Is a directory"],
    ),
}
