"""Ask connections one cheap thing each, side by side, and tell what their answers mean."""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field

from unified_cli.bulk.worker_pool import WorkerPool
from unified_cli.catalogue import Catalogue, Operation
from unified_cli.config import resolution
from unified_cli.config.credentials import token as secrets
from unified_cli.config.credentials.token import TokenSource
from unified_cli.config.file import Config
from unified_cli.config.overrides import Overrides
from unified_cli.config.settings import Settings
from unified_cli.errors import ConfigError, ExitCode, UnifiedError, UsageError
from unified_cli.http import request as requests
from unified_cli.runtime import Runtime

WORKERS = 8
# Whoever the credentials belong to: one small record that most products have.
DEFAULT = "user-directory me"
_RETRIES, _TIMEOUT = 0, 10.0
_SEVEREST = (
    ExitCode.BUG, ExitCode.CONFIG, ExitCode.UNSAFE, ExitCode.ACCESS, ExitCode.NETWORK, ExitCode.SERVICE,
    ExitCode.RATE_LIMIT, ExitCode.REFUSED,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """What one connection answered, and after how many seconds; `error` is None for a success."""

    profile: str | None
    seconds: float
    error: UnifiedError | None
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def word(self) -> str:
        """The verdict in a word or two."""
        error = self.error
        if error is None:
            return "ready"
        if error.status == 401:
            return "token refused" if error.origin == "service" else "needs authorising"
        if error.status == 503 and error.code == ExitCode.ACCESS:
            return "blocked"
        return error.kind.replace("_", " ")


class TokenCache:
    """Each token read once, however many profiles share its source."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._read: dict[str, str | ConfigError] = {}

    def get(self, source: TokenSource | None) -> str:
        """The token; ConfigError where there is none, or where its source fails."""
        if source is None:
            raise ConfigError("no token is declared (unified profile login)")
        key = repr((source.kind, source.detail, source.source, source.origin, source.profile))
        if key not in self._read:
            try:
                self._read[key] = secrets.read(source, self._runtime)
            except ConfigError as error:
                self._read[key] = error
        found = self._read[key]
        if isinstance(found, ConfigError):
            raise found
        return found


def operation(catalogue: Catalogue, words: str) -> Operation:
    """The list operation of the resource that is named as `API RESOURCE`."""
    for one in catalogue:
        if one.name == "list" and f"{one.api} {one.resource}" == " ".join(words.split()):
            return one
    raise UsageError(f'no resource "{words}" that can be listed (it must look like "ticketing tickets")')


def run(
    runtime: Runtime,
    catalogue: Catalogue,
    config: Config,
    names: Sequence[str | None],
    *,
    said: Overrides,
    asked: Operation,
    tokens: TokenCache | None = None,
) -> list[ProbeResult]:
    """The verdicts on the profiles, in their order; None stands for what a call without a profile would use.

    Unless something else is `said`, a probe is not repeated and takes ten seconds at most.
    """
    tokens = tokens or TokenCache(runtime)
    said = said._replace(
        retries=_RETRIES if said.retries is None else said.retries,
        timeout=_TIMEOUT if said.timeout is None else said.timeout,
    )
    work = [_prepared(runtime, catalogue, config, name, said, asked, tokens) for name in names]
    with WorkerPool(WORKERS, _probe) as pool:
        return [*pool.results(work, ordered=True)]


def _probe(work: Callable[[], ProbeResult]) -> Generator[ProbeResult]:
    yield work()


def _prepared(
    runtime: Runtime,
    catalogue: Catalogue,
    config: Config,
    name: str | None,
    said: Overrides,
    asked: Operation,
    tokens: TokenCache,
) -> Callable[[], ProbeResult]:
    """What is to be done for one profile; what is wrong on this machine is found here, one profile after another."""
    try:
        resolved = resolution.resolve(said._replace(profile=name), runtime, config)
        resolved.reachable()
        token = tokens.get(resolved.token)
    except UnifiedError as error:
        verdict = ProbeResult(name, 0.0, error)
        return lambda: verdict
    return lambda: _asked(runtime, catalogue, name, resolved, token, asked)


def _asked(
    runtime: Runtime, catalogue: Catalogue, name: str | None, resolved: Settings, token: str, asked: Operation
) -> ProbeResult:
    from unified_cli.cli import connect  # noqa: PLC0415  httpx is imported when a request is sent

    address, account = resolved.reachable()
    query = [(catalogue.service.page_size, "1")]
    started = runtime.monotonic()
    try:
        request = requests.for_operation(
            asked, None, address=address, account=account, service=catalogue.service, query=query
        )
        client = connect.client(runtime, catalogue, resolved, token)
        try:
            answer = client.send(request)
        finally:
            client.close()
    except UnifiedError as error:
        # It is printed as a result, and a service may quote the token back.
        error.message = runtime.stderr.masked(error.message)
        return ProbeResult(name, runtime.monotonic() - started, error)
    return ProbeResult(name, runtime.monotonic() - started, None, dict(answer.headers))


def worst(errors: Sequence[UnifiedError]) -> UnifiedError:
    """The error that decides the exit code: what is wrong here comes before what is wrong there."""
    return min(errors, key=lambda error: _SEVEREST.index(error.code) if error.code in _SEVEREST else len(_SEVEREST))
