"""Test connections with small requests, concurrently."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace

from unified_cli import signals
from unified_cli.call import introspection
from unified_cli.catalogue import Catalogue, Operation
from unified_cli.config import resolution
from unified_cli.config.file import Config
from unified_cli.config.keys import Overrides
from unified_cli.config.settings import Settings
from unified_cli.errors import AccessError, ConfigError, ExitCode, UnifiedError, UsageError
from unified_cli.fleet.clients import Clients
from unified_cli.fleet.read import FairReaders
from unified_cli.fleet.tokens import Tokens
from unified_cli.http import request as requests
from unified_cli.http.client import Client
from unified_cli.http.rate_limit import Patience
from unified_cli.http.request import Content
from unified_cli.plural import counted
from unified_cli.runtime import Runtime

_RETRIES, _TIMEOUT = 0, 10.0

_STATES_ONLY = (
    "only the state was checked, and a connection passes if it is connecting, paused or lacks"
    " scopes; --with 'ticketing tickets' reads one record from each connection instead"
)


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """The outcome for one connection, and its duration. `error` is None after a
    success.

    For an unhealthy connection, `state` has its state in a few words, and `sentence` in
    a sentence.
    """

    profile: str | None
    seconds: float
    error: UnifiedError | None
    headers: Mapping[str, str] = field(default_factory=dict)
    state: str = ""
    sentence: str = ""

    @property
    def word(self) -> str:
        """The outcome in a word or two."""
        error = self.error
        if self.state and not isinstance(error, AccessError):
            return self.state
        if error is None:
            return "ready"
        if error.status == 401:
            return "token refused" if error.origin == "service" else "needs authorising"
        if error.status == 503 and error.code == ExitCode.ACCESS:
            return "blocked"
        return error.kind.replace("_", " ")


def operation(catalogue: Catalogue, words: str | None) -> Operation | None:
    """Return the list operation of `API RESOURCE`, or None without words."""
    if words is None:
        return None
    for listed in catalogue:
        if listed.name == "list" and f"{listed.api} {listed.resource}" == " ".join(words.split()):
            return listed
    raise UsageError(
        f'no resource "{words}" with a list', hint='it must look like "ticketing tickets"'
    )


@dataclass(frozen=True, slots=True)
class Probe:
    """Checks the state of connections, or reads one record of a list from each.

    By default, a probe is not retried and takes at most ten seconds, not counting waits
    for rate limits.
    """

    runtime: Runtime
    catalogue: Catalogue
    config: Config
    operation: Operation | None
    overrides: Overrides
    tokens: Tokens

    def run(self, names: Sequence[str | None]) -> list[ProbeResult]:
        """Return the results for the profiles, in order.

        None is the connection of a call without a profile.
        """
        # Check all settings before sending.
        work = [self._prepare(name) for name in names]
        probed = [probe for probe in work if isinstance(probe, ProbedConnection)]
        found: dict[ProbedConnection, ProbeResult] = {}
        with signals.with_progress(
            lambda: f"{len(found)} of {counted(len(probed), 'connection')}, nothing printed"
        ):
            found.update(self._send_each(probed) if probed else ())
        return [found[probe] if isinstance(probe, ProbedConnection) else probe for probe in work]

    def _send_each(
        self, work: "Sequence[ProbedConnection]"
    ) -> "Iterator[tuple[ProbedConnection, ProbeResult]]":
        fair = FairReaders(self.runtime, self.catalogue, None, tokens=self.tokens)
        with fair as readers:

            def ask(probed: ProbedConnection) -> Generator[tuple[ProbedConnection, ProbeResult]]:
                yield probed, self._send(probed, readers.clients, several=len(work) > 1)

            yield from readers.read(work, ask)

    def _prepare(self, name: str | None) -> "ProbeResult | ProbedConnection":
        limited = self.overrides._replace(
            profile=name,
            retries=_RETRIES if self.overrides.retries is None else self.overrides.retries,
            timeout=_TIMEOUT if self.overrides.timeout is None else self.overrides.timeout,
        )
        try:
            settings = resolution.resolve(limited, self.runtime, self.config)
            settings.reachable()
        except UnifiedError as error:
            return ProbeResult(name, 0.0, error)
        return ProbedConnection(name, settings)

    def _send(self, probed: "ProbedConnection", clients: Clients, *, several: bool) -> ProbeResult:
        runtime, name = self.runtime, probed.name
        # With several connections, wait for rate limits, like other reads.
        patience = Patience.ENDLESS if several else Patience.TIMEOUT
        prefix = name if several else None
        try:
            token = clients.token(probed.settings)
        except ConfigError as error:
            return ProbeResult(name, 0.0, error)
        started = runtime.monotonic()
        try:
            with closing(
                clients.open(probed.settings, token, name=prefix, patience=patience)
            ) as client:
                found = self._ask(client, probed.settings)
        except UnifiedError as error:
            return ProbeResult(name, runtime.monotonic() - started, error)
        return replace(found, profile=name, seconds=runtime.monotonic() - started)

    def _ask(self, client: Client, settings: Settings) -> ProbeResult:
        service = self.catalogue.service
        if self.operation is not None:
            scope = requests.scope_of(settings, service)
            request = requests.for_operation(
                scope, self.operation, None, Content([(service.page_size, "1")])
            )
            return ProbeResult(None, 0, None, dict(client.send(request).headers))
        health = introspection.ask_health(client, settings, self.catalogue)
        state = health.state
        words = state.in_words(service)
        problem = "" if words in ("", service.connections.healthy) else words
        lacking = (
            f"{service.connections.healthy}, {state.scopes_in_words}"
            if state.scopes_in_words
            else ""
        )
        sentence = state.problem_as_sentence(service) or lacking
        return ProbeResult(
            None,
            0,
            state.error(service, settings.leading_profile),
            health.headers,
            problem,
            sentence,
        )

    def note_states(self) -> None:
        """Note that a healthy connection's lists may fail.

        Prints nothing if lists were read.
        """
        if self.operation is None:
            self.runtime.stderr.note(_STATES_ONLY)


@dataclass(frozen=True, slots=True, eq=False)
class ProbedConnection:
    """A connection to test, and the name of its profile."""

    name: str | None
    settings: Settings
