"""The fixture for other projects: its records, its ids, and what it says where it
cannot start.
"""

import httpx
import pytest

from unified_cli.sandbox.pytest_plugin import UnifiedSandbox, running


def asked(sandbox: UnifiedSandbox, method: str = "GET", **more: object) -> httpx.Response:
    return httpx.request(
        method,
        f"{sandbox.url}/unified/ticketing/tags",
        params={"integrated_account_id": "full", "limit": 500},
        headers={"Authorization": f"Bearer {sandbox.token}"},
        **more,
    )  # type: ignore[arg-type]


@pytest.mark.unified_sandbox(keep_ids=True, records={"ticketing/tags": 3})
def test_a_marker_says_how_many_records_and_whose_ids(unified_sandbox: UnifiedSandbox) -> None:
    assert len(asked(unified_sandbox).json()["result"]) == 3
    assert asked(unified_sandbox, "POST", json={"id": "mine"}).json()["id"] == "mine"
    assert [one["count"] for one in unified_sandbox.requests()] == [1, 1]
    unified_sandbox.reset()
    assert (unified_sandbox.requests(), len(asked(unified_sandbox).json()["result"])) == ([], 3)
    assert "full" in unified_sandbox.accounts


def test_without_one_ids_are_its_own(unified_sandbox: UnifiedSandbox) -> None:
    assert asked(unified_sandbox, "POST", json={"id": "mine"}).json()["id"] == "tags-new-1"


def test_an_unknown_resource_is_named() -> None:
    with (
        pytest.raises(ValueError, match="'ticketing/tag' is not API/RESOURCE"),
        running(records={"ticketing/tag": 3}),
    ):
        pass


def test_a_sandbox_that_cannot_start_says_why(pytester: pytest.Pytester) -> None:
    pytester.makeconftest('pytest_plugins = ["unified_cli.sandbox.pytest_plugin"]')
    pytester.makepyfile(
        "import pytest\n@pytest.mark.unified_sandbox(records={'a/b': 1})\ndef"
        " test_it(unified_sandbox): pass\n"
    )
    result = pytester.runpytest_subprocess("--strict-markers", "-p", "no:cacheprovider")
    result.stdout.fnmatch_lines(
        ["*the sandbox does not start: records: 'a/b' is not API/RESOURCE*"]
    )
