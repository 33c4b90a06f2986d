"""What httpx raises, read as how far the attempt got and what to tell people."""

import socket
import ssl
from collections.abc import Iterator
from typing import NamedTuple

import httpx

from unified_cli.config.address import Address
from unified_cli.http.retry import Outcome
from unified_cli.http.transport.network import ConnectionState
from unified_cli.masking import cut

_CLOCK = "certificate is not yet valid"
# A proxy's way of saying that the service is away for the moment.
_PROXY_FAILS = {"502", "503", "504"}
# What h11 says of an answer whose end is missing.
_CUT = ("complete message body", "incomplete", "unexpectedly closed", "disconnected")
_BROKEN_ANSWERS = (httpx.RemoteProtocolError, httpx.DecodingError)


class NetworkFailure(NamedTuple):
    """An attempt that ended without a whole answer; `malformed` when the peer did not speak HTTP properly."""

    outcome: Outcome
    message: str
    malformed: bool = False


def read(
    error: Exception, address: Address, proxy: str | None, exchange: ConnectionState, *, reached: bool, secured: bool
) -> NetworkFailure:
    """The trouble that a transport's exception means.

    `reached` where the way to the service was open: only then it can have seen the request. `secured` where the proxy
    is spoken to in TLS, whose handshake comes first.
    """
    host = address.host
    where = f"proxy {proxy}" if proxy else host
    if isinstance(error, httpx.ProxyError):
        kind = Outcome.NOT_SENT if str(error)[:3] in _PROXY_FAILS else Outcome.HOPELESS
        return NetworkFailure(kind, f"proxy {proxy} does not let us through to {host}: {cut(str(error), 200)}")
    if not isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout)):
        found = _lost(error, host if reached else where, exchange.received)
        return found if reached else found._replace(outcome=Outcome.NOT_SENT)
    peer = where if secured and not exchange.handshakes else host
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            reason = cause.verify_message or "it cannot be verified"
            advice = "check this machine's clock" if _CLOCK in reason else "another authority: --ca-bundle FILE"
            return NetworkFailure(Outcome.HOPELESS, f"the certificate of {peer} is refused: {reason} ({advice})")
        if isinstance(cause, (ssl.SSLEOFError, ssl.SSLZeroReturnError)):
            return NetworkFailure(Outcome.NOT_SENT, f"{peer} closed the connection during the TLS handshake")
        if isinstance(cause, ssl.SSLError):
            return NetworkFailure(Outcome.HOPELESS, f"no TLS connection to {peer}: {cause.reason or 'protocol error'}")
        if isinstance(cause, socket.gaierror):
            return _name_trouble(cause, where)
    where = f"proxy {proxy}" if proxy else address.place
    if isinstance(error, httpx.ConnectTimeout):
        return NetworkFailure(Outcome.NOT_SENT, f"no answer from {where} while connecting")
    refused = any(isinstance(cause, ConnectionRefusedError) for cause in _causes(error))
    return NetworkFailure(
        Outcome.NOT_SENT, f"{where} refused the connection" if refused else f"cannot connect to {where}"
    )


def _name_trouble(error: socket.gaierror, where: str) -> NetworkFailure:
    if error.errno == socket.EAI_AGAIN:
        return NetworkFailure(Outcome.NOT_SENT, f"cannot look up {where}: the name server does not answer")
    return NetworkFailure(Outcome.HOPELESS, f"cannot find {where}: no such name")


def _lost(error: Exception, host: str, received: int) -> NetworkFailure:
    if isinstance(error, httpx.TimeoutException):
        so_far = f"{received} bytes had come" if received else "nothing had come"
        return NetworkFailure(Outcome.LOST, f"{host} did not answer in time; {so_far}")
    if isinstance(error, httpx.LocalProtocolError):
        return NetworkFailure(Outcome.HOPELESS, f"the request to {host} cannot be put into HTTP")
    if isinstance(error, _BROKEN_ANSWERS):
        if not received:
            return NetworkFailure(Outcome.LOST, f"{host} closed the connection without answering")
        if any(words in str(error) for words in _CUT):
            return NetworkFailure(Outcome.LOST, f"{host} closed the connection in the middle of its answer: {error}")
        return NetworkFailure(
            Outcome.LOST, f"{host} gave no proper HTTP answer: {_without_data(error)}", malformed=True
        )
    return NetworkFailure(Outcome.LOST, f"the connection to {host} broke; {received} bytes of an answer had come")


def _without_data(error: Exception) -> str:
    # Behind the colon stands what the peer sent, which may be anything.
    return str(error).partition(":")[0]


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
