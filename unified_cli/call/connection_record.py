"""A connection as the service describes it, and how its state affects calls.

Private members are left out.
"""

from collections.abc import Mapping
from typing import NamedTuple, Self

from unified_cli import hints
from unified_cli.catalogue import Service
from unified_cli.errors import AccessError, ServiceError, UnifiedError
from unified_cli.json_text.members import Parts, Record, items, parts, text
from unified_cli.values import Json, JsonObject

LACKS_SCOPES = "lacks scopes"
NEEDS_LOGIN = "needs login"


class ForbiddenCall(NamedTuple):
    """The last call of a connection that its provider refused because scopes are
    missing.
    """

    resource: str = ""
    method: str = ""
    missing: tuple[str, ...] = ()
    at: str = ""

    @classmethod
    def from_member(cls, value: bytes | None, service: Service) -> Self:
        """Decode a connection's forbidden call, ignoring invalid parts."""
        members = parts(value or b"") or {}
        missing = members.get(service.connections.missing_scopes, b"")
        scopes = (
            tuple(text(bytes(item)) for item in items(missing)) if missing.startswith(b"[") else ()
        )
        resource, method = (
            text(members.get(name)) for name in (service.connections.resource, "method")
        )
        return cls(resource, method, scopes, text(members.get(service.connections.occurred)))

    @property
    def in_words(self) -> str:
        """The missing scopes, the call, and its time."""
        call = " ".join(filter(None, (self.resource, self.method)))
        return (
            f"{', '.join(self.missing) or 'not named'} ({', '.join(filter(None, (call, self.at)))})"
        )


class AccountState(NamedTuple):
    """The state of a connection: its status, whether it is blocked (None: unknown), and
    why.
    """

    status: str = ""
    blocked: bool | None = None
    sandbox: bool = False
    last_error: str = ""
    forbidden: ForbiddenCall | None = None

    @property
    def lacks_scopes(self) -> bool:
        """Whether to report missing scopes. A block is reported first."""
        return self.forbidden is not None and not self.blocked

    def lacks_scopes_for(self, resource: str, method: str) -> bool:
        """Return whether scopes are missing for this operation."""
        last = self.forbidden
        named = last is not None and (last.resource.rpartition("/")[2], last.method) == (
            resource,
            method,
        )
        return named and self.lacks_scopes

    @property
    def scopes_in_words(self) -> str:
        """The missing scopes, and the call that needs them, or ""."""
        return (
            f"{LACKS_SCOPES}: {self.forbidden.in_words}"
            if self.forbidden and self.lacks_scopes
            else ""
        )

    def in_words(self, service: Service) -> str:
        """Return the status, including a block or missing scopes."""
        words = service.connections
        more = words.shut if self.blocked and self.status not in (words.shut, "") else ""
        less = LACKS_SCOPES if self.lacks_scopes and self.status in (words.healthy, "") else ""
        return ", ".join(
            filter(None, (self.status or (words.shut if self.blocked else ""), more, less))
        )

    def problem_in_a_word(self, service: Service) -> str:
        """Return a word for the problem that makes calls fail, or ""."""
        words = service.connections
        if self.blocked or self.status == words.shut:
            return words.shut
        if self.status in words.needs_login.split():
            return NEEDS_LOGIN
        return "" if self.status in ("", words.healthy) else self.status

    def problem_as_sentence(self, service: Service) -> str:
        """Return the problem as a sentence, quoting the provider."""
        problem, words = self.problem_in_a_word(service), service.connections
        if not problem:
            return ""
        reason = f": {self.last_error}" if self.last_error else ""
        if problem == words.shut:
            return f"the account is blocked{reason}"
        if self.status in words.needs_login.split():
            return f"the connection needs a new login ({self.status}{reason})"
        return f"the connection's status is {self.status}{reason}"

    def remark(self, service: Service) -> str:
        """Return the connection's problem as a sentence, or ""."""
        return self.problem_as_sentence(service) or self.scopes_in_words

    def is_failing(self, service: Service) -> bool:
        """Return whether calls fail in this state.

        Calls may succeed if the status passes, or if this program does not know the
        status.
        """
        words = service.connections
        hopeless = (words.shut, NEEDS_LOGIN, *words.broken.split())
        return self.problem_in_a_word(service) in hopeless

    def error(self, service: Service, profile: str | None) -> UnifiedError | None:
        """Return the error for calls in this state, or None if calls may succeed."""
        if not self.is_failing(service):
            return None
        words, trouble = service.connections, self.problem_as_sentence(service)
        if self.problem_in_a_word(service) == words.shut:
            return AccessError(trouble, hint=hints.unblocked(profile), status=503)
        if self.status in words.needs_login.split():
            return AccessError(
                trouble, hint=hints.needs_login(profile), origin="provider", status=401
            )
        return ServiceError(trouble, hint=hints.may_work(profile), retryable=False)


UNKNOWN_STATE = AccountState()


class ConnectionRecord(NamedTuple):
    """A connection as listed by the service. Unknown members are empty."""

    id: str
    product: str
    category: str
    tenant: str
    created: str
    updated: str
    authentication: str
    region: str
    state: AccountState

    @classmethod
    def from_record(cls, record: Record | bytes, service: Service) -> Self:
        """Decode a record of a connection."""
        words, members = service.connections, parts(record) or {}
        product = parts(members.get(words.product, b"")) or {}
        forbidden = members.get(words.last_forbidden, b"null")

        def cell(name: str, within: Parts = members) -> str:
            return text(within.get(name))

        state = AccountState(
            cell(words.status),
            sandbox=members.get(words.sandbox) == b"true",
            last_error=cell(words.last_error),
            forbidden=ForbiddenCall.from_member(forbidden, service)
            if forbidden.startswith(b"{")
            else None,
        )
        return cls(
            cell("id"),
            cell("name", product),
            cell("category", product),
            cell(words.tenant),
            cell(words.created),
            cell(words.updated),
            cell(words.authentication),
            cell(words.region),
            state,
        )

    @property
    def size(self) -> int:
        """The number of characters in the record."""
        texts = [value for value in self if isinstance(value, str)]
        return len(
            "".join([*texts, self.state.status, self.state.last_error, self.state.scopes_in_words])
        )

    def facts(self, service: Service) -> JsonObject:
        """Return the connection as JSON. Scripts depend on the names."""
        words, state = service.connections, self.state
        forbidden = state.forbidden
        return {
            "id": self.id,
            "product": self.product,
            "category": self.category,
            "tenant": self.tenant,
            "status": state.status,
            "blocked": state.blocked,
            "sandbox": state.sandbox,
            "created": self.created,
            words.updated: self.updated,
            words.authentication: self.authentication,
            words.region: self.region,
            words.last_error: state.last_error,
            words.last_forbidden: _as_json(forbidden, service) if forbidden else None,
        }


def _as_json(call: ForbiddenCall, service: Service) -> Mapping[str, Json]:
    words = service.connections
    return {
        words.resource: call.resource,
        "method": call.method,
        words.missing_scopes: [*call.missing],
        words.occurred: call.at,
    }
