"""The doctor's checks over the network: host name, connection, clock, and rate
limit.
"""

import socket
from collections.abc import Iterator, Sequence
from dataclasses import replace
from email.utils import parsedate_to_datetime

from unified_cli.call.connection_probe import Probe, ProbeResult
from unified_cli.commands.doctor.local import Finding
from unified_cli.config import resolution
from unified_cli.config.file import Config
from unified_cli.config.keys import Overrides
from unified_cli.errors import NetworkError, UnifiedError
from unified_cli.http.transport.proxy import proxy_for
from unified_cli.masking import masked
from unified_cli.runtime import Runtime

_LARGEST_SKEW = 60


def connections(probe: Probe, names: Sequence[str | None]) -> Iterator[Finding]:
    """Look up the name of each host, then ask the service about each connection."""
    runtime = probe.runtime
    yield from _names(runtime, probe.config, names)
    verdicts = probe.run(names)
    for verdict in verdicts:
        subject = verdict.profile or ""
        if verdict.error:
            yield _failed(verdict, verdict.error)
        else:
            answered = f"answered after {verdict.seconds * 1000:.0f} ms; token accepted"
            remark = f"; {masked(verdict.sentence)}" if verdict.sentence else ""
            remedy = "unified connections list --health" if remark else ""
            yield Finding("connection", subject, answered + remark, remedy, doubtful=bool(remark))
            yield from _rate(verdict)
    yield from _clock(runtime, verdicts)


def _failed(verdict: ProbeResult, error: UnifiedError) -> Finding:
    result = Finding.failed("connection", verdict.profile or "", error)
    if verdict.word != "token refused":
        return result
    # The hint of this error suggests `unified doctor`, which is already running.
    # Suggest another command.
    remedy = (
        f"unified profile login {verdict.profile}"
        if verdict.profile
        else "set another token in UNIFIED_TOKEN"
    )
    return replace(result, remedy=remedy)


def _names(runtime: Runtime, config: Config, names: Sequence[str | None]) -> Iterator[Finding]:
    hosts: dict[tuple[str, int], None] = {}
    for name in names:
        try:
            address = resolution.resolve(Overrides(name), runtime, config).address
            if (
                address is not None
                and not address.is_sandbox
                and not proxy_for(address, runtime.environ)
            ):
                hosts[address.host, address.port] = None
        except UnifiedError:
            # The check of profiles has already reported it.
            continue
    for host, port in hosts:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError:
            error = NetworkError(
                f"cannot find {host}",
                hint="check the base URL, the name server and the proxy settings",
            )
            yield Finding.failed("name", host, error)
        else:
            yield Finding("name", host, ", ".join(sorted({str(entry[4][0]) for entry in found})))


def _rate(verdict: ProbeResult) -> Iterator[Finding]:
    left = verdict.headers.get("ratelimit-remaining")
    if left is None:
        return
    limit = verdict.headers.get("ratelimit-limit", "").partition(";")[0]
    empty = left.strip() == "0"
    suffix = f" of {limit}" if limit else ""
    remedy = "run fewer jobs at once, or set a lower rate" if empty else ""
    yield Finding(
        "rate", verdict.profile or "", f"requests left: {left}{suffix}", remedy, doubtful=empty
    )


def _clock(runtime: Runtime, verdicts: Sequence[ProbeResult]) -> Iterator[Finding]:
    dates = [date for verdict in verdicts if (date := verdict.headers.get("date"))]
    if not dates:
        return
    try:
        skew = runtime.wall() - parsedate_to_datetime(dates[-1]).timestamp()
    except ValueError:
        return
    if abs(skew) > _LARGEST_SKEW:
        word = "ahead of" if skew > 0 else "behind"
        message = f"this machine's clock is {abs(skew):.0f} s {word} the service's clock"
        yield Finding("clock", "", message, "set this machine's clock", doubtful=True)
    else:
        yield Finding("clock", "", "this machine's clock agrees with the service's clock")
