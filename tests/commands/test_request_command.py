"""`unified request`: the path is typed as in a URL."""

import pytest
from front_door import Unified


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("/unified/a%2Fb/c", "/unified/a%2Fb/c"),
        ("/unified/a%2fb", "/unified/a%2Fb"),
        ("/unified/x;y=1:2@3", "/unified/x%3By%3D1%3A2%403"),
        ("'/unified/a b/ü'", "/unified/a%20b/%C3%BC"),
        ("/unified/100%25", "/unified/100%25"),
    ],
)
def test_the_server_decodes_the_parts_that_were_typed(
    typed: str, sent: str, unified: Unified
) -> None:
    url = unified(f"-p sandbox -a full request GET {typed} --dry-run").json["url"]
    assert url.partition("?")[0] == f"http://sandbox{sent}"


@pytest.mark.parametrize("path", ["/unified/%zz", "/unified/100%", "/unified/%2"])
def test_a_percent_sign_that_begins_no_escape_is_refused(path: str, unified: Unified) -> None:
    result = unified(f"-p sandbox request GET {path}")
    assert (result.code, result.stdout) == (2, "")
    assert result.stderr == (
        f"error: the path {path} holds a % without two hexadecimal digits (%25 stands for it)\n"
    )
