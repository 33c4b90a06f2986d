"""The texts and ids of the seeded records, and how many records there are."""

from collections.abc import Mapping
from functools import lru_cache

from unified_cli.catalogue.known import known

_DEFAULT = 60

# How many records a resource has, where not sixty.
_COUNTS: Mapping[str, int] = {
    "ticketing/tickets": 120, "ticketing/comments": 240, "ticketing/attachments": 120, "ticketing/contacts": 180,
    "ticketing/task_lists": 120, "ticketing/tasks": 240, "ticketing/ticket_types": 5, "ticketing/ticket_status": 6,
    "ticketing/ticket_priorities": 4, "ticketing/teams": 8, "ticketing/workspaces": 3, "ticketing/organizations": 2,
    "ticketing/tags": 12, "ticketing/fields": 14,
    "user-directory/roles": 5, "user-directory/organizations": 2, "user-directory/groups": 12,
    "user-directory/billing": 24, "user-directory/utilization": 5, "user-directory/licenses": 4,
    "user-directory/workspaces": 3, "user-directory/activities": 120, "user-directory/me": 1,
    "ats/departments": 8, "ats/offices": 6, "ats/jobs": 20, "ats/job_interview_stages": 100, "ats/organizations": 2,
    "ats/reject_reasons": 7, "ats/tags": 12, "ats/applications": 90, "ats/candidates": 90, "ats/attachments": 90,
    "ats/eeocs": 90,
    "knowledge-base/spaces": 6, "knowledge-base/collections": 18, "knowledge-base/tags": 12,
    "knowledge-base/page-content": 120,
    "ci-cd/workflow": 9, "ci-cd/workspaces": 3, "ci-cd/organizations": 2, "ci-cd/repos": 24, "ci-cd/branches": 72,
    "ci-cd/jobs": 120,
    "emails/emails": 120, "emails/attachments": 60, "emails/folders": 7,
    "calendar/calendars": 8, "calendar/event_types": 6, "calendar/events": 90,
    "conferencing/attendees": 180, "conferencing/transcript_entries": 300,
    "usage-metering/products": 8, "usage-metering/organizations": 2, "usage-metering/workspaces": 3,
}  # fmt: skip

_TAGS = "urgent, billing, vip, naïve-setup, follow-up, churn-risk, beta, security, docs, 日本, bug, mobile"
_ORGANIZATIONS = "Northwind Europe, Northwind América"
_WORKSPACES = "Main, Sandbox, Archive"

# The titles of records in turn, between commas; where they begin again, a number is added.
_NAMES: Mapping[str, str] = {
    "ticketing/collections": "Website, Mobile app, Billing, Onboarding, Q3 launch, Localisation, Año Nuevo",
    "ticketing/tags": _TAGS,
    "ticketing/teams": "Frontline, Tier 2, Billing desk, Platform, Field service, Partners, Night shift, Café crew",
    "ticketing/ticket_types": "Question, Incident, Problem, Task, Feature request",
    "ticketing/ticket_status": "Open, In progress, Waiting on customer, On hold, Solved, Closed",
    "ticketing/ticket_priorities": "Low, Normal, High, Urgent",
    "ticketing/workspaces": _WORKSPACES,
    "ticketing/organizations": _ORGANIZATIONS,
    "ticketing/fields": "Subject, Severity, Region, Plan, Browser, Due date, Root cause",
    "ticketing/task_lists": "Before release, Handover, Checks, Rückfragen",
    "ticketing/tasks": "Call the customer, Collect logs, Write a test, Update the docs, Ask legal, Ship the fix",
    "user-directory/roles": "Owner, Admin, Member, Guest, Billing",
    "user-directory/organizations": _ORGANIZATIONS,
    "user-directory/groups": (
        "Engineering, Support, People, Finance, Sales, Marketing, Legal, Vertrieb, Design, Data, Security, Facilities"
    ),
    "user-directory/licenses": "Full seat, Light seat, Viewer, Add-on",
    "user-directory/workspaces": _WORKSPACES,
    "user-directory/utilization": "Actions, Licenses, Packages, Shared storage, User activity",
    "ats/departments": "Engineering, Support, People, Finance, Sales, Marketing, Legal, Design",
    "ats/offices": "Berlin, São Paulo, Nairobi, Osaka, Kraków, Remote",
    "ats/jobs": (
        "Support Engineer, Backend Developer, Data Analyst, Recruiter, Übersetzer:in, Account Executive, Designer"
    ),
    "ats/job_interview_stages": "Application review, Phone screen, Technical interview, On-site, Offer",
    "ats/job_form_fields": "resume, notice_period, work_permit",
    "ats/organizations": _ORGANIZATIONS,
    "ats/reject_reasons": "Not enough experience, Withdrew, Position filled, No permit, Salary, Duplicate, Other",
    "ats/tags": _TAGS,
    "knowledge-base/collections": "Getting started, How-to, Reference, Policies, Recettes, Runbooks",
    "knowledge-base/spaces": "Product, Engineering, People, Support, Ventes, Archive",
    "knowledge-base/tags": _TAGS,
    "knowledge-base/pages": "Welcome, How we work, Expenses, On-call, Café etiquette, Release checklist, Glossary",
    "ci-cd/repos": "web, api, mobile, infra, docs, billing, search, emails",
    "ci-cd/branches": "main, develop, fix/ünïcode",
    "ci-cd/builds": "build, nightly, release",
    "ci-cd/jobs": "lint, test, package, deploy",
    "ci-cd/artifacts": "coverage.xml, wheel.zip, site.tar.gz",
    "ci-cd/workflow": "CI, Nightly, Release",
    "ci-cd/workspaces": _WORKSPACES,
    "ci-cd/organizations": _ORGANIZATIONS,
    "ci-cd/branch-protection-rules": "Guard main, Guard releases",
    "emails/folders": "Inbox, Sent, Drafts, Archive, Spam, Trash, Reisen",
    "calendar/calendars": "Work, Holidays, Team, Rooms, Releases, Birthdays, Interviews, Ferien",
    "calendar/event_types": "Intro call, Demo, Office hours, Interview, Check-in, Workshop",
    "calendar/attachments": "agenda.pdf, notes.txt, slides.pdf",
    "usage-metering/products": "Storage, Compute, Seats, Messages, API calls, Bandwidth, Search, Backups",
    "usage-metering/organizations": _ORGANIZATIONS,
    "usage-metering/workspaces": _WORKSPACES,
}

PROBLEMS = (
    "Cannot sign in to", "Export is empty from", "Slow page in", "Wrong total on", "Umlauts (äöü) broken in",
    "Feature request for", "Invoice missing from", "Crash after update of", "¿Cómo configuro", "Webhook lost by",
)  # fmt: skip
PRODUCTS = (
    "the portal", "the mobile app", "reports", "the API", "single sign-on", "the billing page", "search", "日本語 UI",
)  # fmt: skip
MEETINGS = ("Weekly sync", "Planning", "Retrospective", "Customer call", "1:1", "Café chat", "Incident review", "Demo")
SENTENCES = (
    "It worked until yesterday and nothing was changed on our side.",
    "Steps to reproduce are in the attached file.",
    "Thanks for the quick answer, that solved it.",
    "Could you have a look before the end of the week?",
    "Wir melden uns, sobald wir mehr wissen.",
    "The customer confirmed the fix 🎉.",
    "See the runbook for the usual suspects.",
    "Happens on every third attempt or so.",
)
FILES = (
    ("screenshot.png", "image/png"), ("log.txt", "text/plain"), ("invoice.pdf", "application/pdf"),
    ("résumé.pdf", "application/pdf"), ("export.csv", "text/csv"),
)  # fmt: skip


def count(api: str, resource: str) -> int:
    """How many records of a resource there are at the start."""
    return _COUNTS.get(f"{api}/{resource}", _DEFAULT)


def names(api: str, resource: str) -> tuple[str, ...]:
    """The titles that a resource's records have in turn; none for a resource that has no list of names."""
    text = _NAMES.get(f"{api}/{resource}")
    return tuple(text.split(", ")) if text else ()


def in_turn(words: tuple[str, ...], number: int) -> str:
    """The word of record 1, 2, …; where the words begin again, a number is added."""
    turn, place = divmod(number - 1, len(words))
    return f"{words[place]} {turn + 1}" if turn else words[place]


@lru_cache
def singular(resource: str) -> str:
    """The name of one record as fields spell it: `ticket` for `tickets`, `page_export` for `page-exports`."""
    word = resource.replace("-", "_")
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us")) else word


def fields_of(api: str, resource: str) -> frozenset[str]:
    """The names of the fields that seeded records of a resource have."""
    return frozenset(field.name for field in known(api, resource).fields) | {"id", "name", "created_at", "updated_at"}


# A resource that shows records of another one: `me` is the first of the users.
SHOWN_AS = {"me": "users"}


def record_id(resource: str, number: int) -> str:
    """The id of seeded record 1, 2, … of a resource."""
    return f"{id_prefix(resource)}{number}"


def id_prefix(resource: str) -> str:
    """What the ids of a resource's seeded records begin with; their number follows."""
    return f"{SHOWN_AS.get(resource, resource)}-"


def first_id(_api: str, resource: str) -> str:
    """The id of the first seeded record: what examples may name."""
    return record_id(resource, 1)


def number_of(resource: str, text: str) -> int | None:
    """The number of the seeded record with this id; None for what is not such an id."""
    name, _, number = text.rpartition("-")
    # `isdigit` alone would let other scripts' digits and leading zeros name the same record twice.
    plain = number.isascii() and number.isdigit() and len(number) < 16 and not number.startswith("0")
    return int(number) if plain and name == SHOWN_AS.get(resource, resource) else None
