import base64
from typing import Any

import httpx
import pytest


def run(client: httpx.Client, command: str, **more: Any) -> Any:
    api, resource, action = command.split()
    answer = client.post(f"/unified/{api}/{resource}/{action}", **more)
    assert answer.status_code == 200, answer.text
    return answer.json()["result"]


def get(client: httpx.Client, api: str, resource: str, identity: str) -> Any:
    return client.get(f"/unified/{api}/{resource}/{identity}").json()


@pytest.mark.parametrize(
    ("action", "status"),
    [("suspend", "suspended"), ("deactivate", "inactive")],
    ids=["suspend", "deactivate"],
)
def test_access_is_taken_away(client: httpx.Client, action: str, status: str) -> None:
    assert get(client, "user-directory", "users", "users-1")["status"] == "active"
    user = run(client, f"user-directory users {action}", json={"user_id": "users-1"})
    assert user["status"] == status
    assert get(client, "user-directory", "users", "users-1") == user
    assert client.get("/unified/user-directory/me").json()["result"] == [user]


def test_a_downgraded_user_has_the_smaller_licence(client: httpx.Client) -> None:
    user = run(
        client,
        "user-directory users downgrade",
        params={"user_id": "users-2", "license_id": "licenses-3"},
    )
    assert user["licenses"] == [{"id": "licenses-3", "name": "Viewer"}]


@pytest.mark.parametrize("dash", ["-", "_"])
def test_roles_come_and_go_in_both_spellings(client: httpx.Client, dash: str) -> None:
    asked = {"user_id": "users-5", "roles": [{"id": "roles-4"}]}
    given = run(client, f"user-directory users assign{dash}role", json=asked)
    assert [role["name"] for role in given["roles"]].count("Guest") == 1
    again = run(client, f"user-directory users assign{dash}role", json=asked)
    assert again["roles"] == given["roles"]
    taken = run(
        client,
        f"user-directory users unassign{dash}role",
        params={"id": "users-5", "roles[]": "roles-4"},
    )
    assert "Guest" not in [role["name"] for role in taken["roles"]]


@pytest.mark.parametrize(("add", "remove"), [("add-user", "remove-user"), ("add", "remove")])
def test_users_join_and_leave_groups(client: httpx.Client, add: str, remove: str) -> None:
    pair = {"group_id": "groups-3", "user_id": "users-9"}
    name = get(client, "user-directory", "users", "users-9")["name"]
    assert run(client, f"user-directory groups {add}", json=pair)["users"] == [
        {"id": "users-9", "name": name}
    ]
    assert run(client, f"user-directory groups {remove}", json=pair)["users"] == []


def test_an_application_moves_and_is_rejected(client: httpx.Client) -> None:
    stage = get(client, "ats", "job_interview_stages", "job_interview_stages-4")
    asked = {"application_id": "applications-7", "stage_id": "job_interview_stages-4"}
    moved = run(client, "ats applications move-stage", json=asked)
    assert moved["current_stage"] == {"id": "job_interview_stages-4", "name": stage["name"]}
    asked = {"application_id": "applications-7", "reject_reason_id": "reject_reasons-2"}
    rejected = run(client, "ats applications reject", json=asked)
    assert (rejected["reject_reason"], rejected["rejected_at"]) == (
        "reject_reasons-2",
        rejected["updated_at"],
    )
    assert get(client, "ats", "applications", "applications-7") == rejected


def test_a_sent_message_is_in_the_sent_folder(client: httpx.Client) -> None:
    message = {
        "to": [{"email": "ada@example.com"}],
        "subject": "Hi",
        "content": {"type": "html", "value": "<p>x"},
    }
    sent = run(client, "emails emails send", json=message)
    assert sent.items() >= message.items()
    listed = client.get(
        "/unified/emails/emails", params={"folder_id": "folders-2", "limit": "500"}
    ).json()["result"]
    assert sent in listed


def test_a_draft_is_sent_once(client: httpx.Client) -> None:
    drafts = client.get("/unified/emails/emails", params={"is_draft": "true"}).json()["result"]
    sent = run(client, "emails emails send-draft", params={"id": drafts[0]["id"]})
    assert (sent["is_draft"], sent["folder"]["name"]) == (False, "Sent")
    again = client.post("/unified/emails/emails/send-draft", params={"id": drafts[0]["id"]})
    assert again.status_code == 422
    assert again.json()["truto_is_remote_error"] is True


def test_answers_go_to_whom_they_should(client: httpx.Client) -> None:
    original = get(client, "emails", "emails", "emails-2")
    answer = run(client, "emails emails reply", json={"id": "emails-2", "content": {"value": "ok"}})
    assert (answer["to"], answer["subject"]) == (
        [{"email": original["from"]}],
        f"Re: {original['subject']}",
    )
    to_all = run(
        client, "emails emails reply-all", json={"id": "emails-2", "content": {"value": "ok"}}
    )
    assert {one["email"] for one in to_all["to"]} == {
        original["from"],
        *(one["email"] for one in original["cc"]),
    }
    on = run(
        client, "emails emails forward", json={"id": "emails-2", "to": [{"email": "b@example.com"}]}
    )
    assert (on["subject"], on["content"]) == (f"Fwd: {original['subject']}", original["content"])
    moved = run(
        client, "emails emails move", json={"id": "emails-2", "folder": {"id": "folders-6"}}
    )
    assert moved["folder"] == {"id": "folders-6", "name": "Trash"}


def test_content_is_appended_to_a_page_and_exported_with_it(client: httpx.Client) -> None:
    before = run(client, "knowledge-base page-content export", params={"page[id]": "pages-2"})[
        "body"
    ]["content"]
    piece = {"page": {"id": "pages-2"}, "body": {"format": "markdown", "content": "the end"}}
    assert run(client, "knowledge-base page-content append", json=piece)["sequence"] == 3
    after = run(client, "knowledge-base page-content export", json={"page_id": "pages-2"})["body"][
        "content"
    ]
    assert after == f"{before}\n\nthe end"


def test_an_export_becomes_ready_while_it_is_watched(client: httpx.Client) -> None:
    made = client.post(
        "/unified/knowledge-base/page-exports",
        params={"page[id]": "pages-1"},
        json={"format": "markdown"},
    )
    seen = [get(client, "knowledge-base", "page-exports", made.json()["id"]) for _ in range(4)]
    assert [one["status"] for one in seen] == ["queued", "running", "completed", "completed"]
    assert [len(one["urls"]) for one in seen] == [0, 0, 1, 1]
    file = client.post(
        "/unified/knowledge-base/page-exports/download",
        params={"file_url": seen[-1]["urls"][0]["url"]},
    )
    assert file.headers["content-type"] == "text/markdown"


@pytest.mark.parametrize(
    "upload",
    [
        {
            "json": {
                "file_name": "ä.bin",
                "content_type": "image/x",
                "data": base64.b64encode(b"\0\r\n\xff").decode(),
            }
        },
        {
            "files": {"file": ("ä.bin", b"\0\r\n\xff", "image/x")},
            "data": {"ticket_id": "tickets-1"},
        },
        {
            "content": b"\0\r\n\xff",
            "headers": {"content-type": "image/x"},
            "params": {"truto_body_passthrough": "true"},
        },
    ],
    ids=["base64", "multipart", "as it is"],
)
def test_an_uploaded_file_can_be_downloaded(client: httpx.Client, upload: dict[str, Any]) -> None:
    made = client.post("/unified/ticketing/attachments", **upload)
    assert made.status_code == 201
    assert made.json()["size"] == 4
    got = client.post(
        "/unified/ticketing/attachments/download",
        params={"file_url": made.json()["file_url"]},
        json={},
    )
    assert (got.content, got.headers["content-type"]) == (b"\0\r\n\xff", "image/x")


@pytest.mark.parametrize("path", ["/unified/emails/emails", "/unified/emails/emails/send"])
def test_files_sent_with_a_message_can_be_downloaded(client: httpx.Client, path: str) -> None:
    file = {
        "file_name": "a.txt",
        "content_type": "text/plain",
        "content_bytes": base64.b64encode(b"hello").decode(),
    }
    message = {
        "to": ["a@b.example"],
        "subject": "x",
        "content": {},
        "attachments": [file, {"id": "attachments-1"}],
    }
    made = client.post(path, json=message).json()
    pointers = made.get("result", made)["attachments"]
    assert [one["name"] for one in pointers[:1]] == ["a.txt"]
    assert pointers[1:] == [{"id": "attachments-1"}]
    record = get(client, "emails", "attachments", pointers[0]["id"])
    assert (record["email"], record["size"]) == ({"id": made.get("result", made)["id"]}, 5)
    got = client.post(
        "/unified/emails/attachments/download", params={"file_url": record["file_url"]}
    )
    assert (got.content, got.headers["content-type"]) == (b"hello", "text/plain")


def test_a_changed_file_is_downloaded_as_it_is_now(client: httpx.Client) -> None:
    changed = client.patch(
        "/unified/ticketing/attachments/attachments-1",
        json={"data": base64.b64encode(b"new").decode()},
    )
    assert changed.json()["size"] == 3
    got = client.post("/unified/ticketing/attachments/download", params={"id": "attachments-1"})
    assert got.content == b"new"


@pytest.mark.parametrize("data", ["%", "YQ", "Y=Q=", "ä"])
def test_invalid_base64_is_refused(client: httpx.Client, data: str) -> None:
    answer = client.post("/unified/ticketing/attachments", json={"data": data})
    assert (answer.status_code, answer.json()["raw_response"]) == (422, {"field": "data"})


def test_a_download_comes_in_parts_while_the_file_stays_the_same(client: httpx.Client) -> None:
    def ask(**headers: str) -> httpx.Response:
        url = get(client, "ticketing", "attachments", "attachments-1")["file_url"]
        return client.post(
            "/unified/ticketing/attachments/download", params={"file_url": url}, headers=headers
        )

    whole = ask()
    size, tag = len(whole.content), whole.headers["etag"]
    assert whole.headers["content-length"] == str(size)
    assert whole.headers["content-disposition"].startswith("attachment; filename=")
    part = ask(range="bytes=3-5")
    assert (part.status_code, part.content) == (206, whole.content[3:6])
    assert part.headers["content-range"] == f"bytes 3-5/{size}"
    assert ask(range="bytes=-4").content == whole.content[-4:]
    assert ask(range="bytes=4-", **{"if-range": tag}).content == whole.content[4:]
    assert ask(range="bytes=4-", **{"if-range": '"other"'}).status_code == 200
    assert ask(range=f"bytes={size}-").status_code == 416


def test_a_download_is_the_record_where_the_unified_format_is_asked_for(
    client: httpx.Client,
) -> None:
    record = get(client, "emails", "attachments", "attachments-3")
    asked = {"file_url": record["file_url"], "truto_response_format": "unified"}
    assert run(client, "emails attachments download", params=asked) == record


def test_every_seeded_file_is_as_long_as_its_record_says(client: httpx.Client) -> None:
    records = client.get("/unified/emails/attachments").json()["result"]
    assert records
    for record in records:
        got = client.post(
            "/unified/emails/attachments/download", params={"file_url": record["file_url"]}
        )
        assert (len(got.content), got.headers["content-type"]) == (
            record["size"],
            record["content_type"],
        )


@pytest.mark.parametrize(
    ("command", "body", "insight"),
    [
        ("user-directory users suspend", {}, {"missing_required_body_fields": ["user_id"]}),
        (
            "user-directory groups add-user",
            {"group_id": "groups-1"},
            {"missing_required_body_fields": ["user_id"]},
        ),
        (
            "emails emails send",
            {"to": []},
            {"missing_required_body_fields": ["subject", "content"]},
        ),
        ("ticketing attachments download", {}, {"missing_required_query_parameters": ["file_url"]}),
        ("voice recordings download", {}, {"missing_required_body_fields": ["url"]}),
    ],
)
def test_missing_parameters_are_named(
    client: httpx.Client, command: str, body: Any, insight: dict[str, Any]
) -> None:
    api, resource, action = command.split()
    answer = client.post(f"/unified/{api}/{resource}/{action}", json=body)
    assert answer.status_code == 400
    found = answer.json()["truto_error_insight"]
    assert {name: item["value"] for name, item in found.items()} == insight


@pytest.mark.parametrize(
    ("command", "body", "status"),
    [
        ("user-directory users suspend", {"user_id": "nobody"}, 404),
        ("user-directory groups add-user", {"group_id": "groups-1", "user_id": "nobody"}, 422),
        ("ats applications move-stage", {"application_id": "applications-1", "stage_id": "x"}, 422),
        ("emails emails send", {"to": ["nobody"], "subject": "", "content": {}}, 422),
        ("emails emails move", {"id": "emails-1", "folder": {"id": "x"}}, 422),
    ],
)
def test_an_impossible_action_is_refused(
    client: httpx.Client, command: str, body: Any, status: int
) -> None:
    api, resource, action = command.split()
    answer = client.post(f"/unified/{api}/{resource}/{action}", json=body)
    assert (answer.status_code, answer.json()["statusCode"]) == (status, status)
