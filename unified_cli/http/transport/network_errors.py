"""Describe an error of a transport, and find out whether the service may have received
the request.
"""

import socket
import ssl
from http import HTTPStatus

import httpx

from unified_cli import hints, os_limits
from unified_cli.config.address import is_loopback
from unified_cli.http.attempt import Doubt, NetworkFailure, Outcome
from unified_cli.http.transport.proxy import NetworkRoute
from unified_cli.http.transport.sockets import ConnectionState
from unified_cli.masking import excerpt
from unified_cli.plural import counted

# OpenSSL's number for a certificate that is not yet valid.
_NOT_YET_VALID = 9
# OpenSSL's error codes for a certificate of another host, by name and by address.
_OTHER_HOST = {62, 64}
# OpenSSL's name for a response that is not TLS, for example plain HTTP.
_NO_TLS = "WRONG_VERSION_NUMBER"
# The status codes of a proxy that cannot reach the service at the moment.
_PROXY_FAILS = {502, 503, 504}


def failure_of(
    error: httpx.TransportError, route: NetworkRoute, state: ConnectionState
) -> NetworkFailure:
    """Return how the attempt failed, from the error and the state of the connection.

    Raises StorageError if this process has too many open files.
    """
    host = route.address.host
    if isinstance(error, httpx.ProxyError) and route.proxy:
        outcome = Outcome.NOT_SENT if state.status in _PROXY_FAILS else Outcome.PERMANENT
        reason = f"{route.first_place} refuses to connect to {host}: {excerpt(str(error), 200)}"
        wants_login = state.status == HTTPStatus.PROXY_AUTHENTICATION_REQUIRED
        hint = (
            hints.proxy_login(route.proxy.variable, known=bool(route.proxy.url.userinfo))
            if wants_login
            else None
        )
        return NetworkFailure(outcome, reason, hint)
    if isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout)):
        return _not_connected(error, route, state)
    if state.tunnelling:
        # The service cannot have received the request.
        return _lost(error, route.first_peer, state)._replace(outcome=Outcome.NOT_SENT)
    lost = _lost(error, host, state)
    late = isinstance(error, httpx.TimeoutException)
    ended = not (state.received or state.speaks_http or late)
    if ended and lost.outcome is Outcome.LOST and route.address.scheme == "http":
        # A server that expects TLS closes the connection without a response.
        return lost._replace(hint=hints.https_instead(route.address.netloc))
    return lost


def _not_connected(
    error: httpx.TransportError, route: NetworkRoute, state: ConnectionState
) -> NetworkFailure:
    cause = error.__cause__
    # The first TLS handshake is with the proxy, if the proxy uses TLS.
    first = route.proxy is not None and route.proxy.url.scheme == "https" and not state.handshakes
    peer = route if first else route._replace(proxy=None)
    if isinstance(cause, ssl.SSLError):
        return _no_tls(cause, peer)
    hint = hints.check_address(route.proxy.variable if route.proxy else route.source)
    if isinstance(cause, socket.gaierror):
        if cause.errno == socket.EAI_AGAIN:
            reason = f"cannot look up {route.first_peer}: the name server does not answer"
            return NetworkFailure(Outcome.NOT_SENT, reason)
        return NetworkFailure(
            Outcome.PERMANENT, f"cannot find {route.first_peer}: no such name", hint
        )
    if cause and os_limits.is_no_descriptor(cause):
        raise os_limits.no_descriptor() from None
    where = route.first_place
    if isinstance(error, httpx.ConnectTimeout) and (seconds := state.handshake_seconds):
        reason = (
            f"{peer.first_place} accepted the connection, but no TLS handshake came within"
            f" {seconds:.1f} s"
        )
        if state.speaks_tls:
            # The peer was reached, but is slow.
            return NetworkFailure(Outcome.NOT_SENT, reason)
        return NetworkFailure(
            Outcome.PERMANENT, reason, f"it may not speak TLS; {_without_tls(peer)}"
        )
    if isinstance(error, httpx.ConnectTimeout):
        reason = f"no answer from {where} while connecting"
    elif isinstance(cause, ConnectionRefusedError):
        reason = f"{where} refused the connection"
    else:
        reason = f"cannot connect to {where}"
    return NetworkFailure(Outcome.NOT_SENT, reason, hint)


def _without_tls(peer: NetworkRoute) -> str:
    if peer.proxy:
        return hints.no_tls_proxy(peer.proxy.variable)
    # Do not suggest http for another machine.
    return (
        hints.http_instead(peer.first_place) if is_loopback(peer.address.host) else hints.TLS_PORT
    )


def _no_tls(error: ssl.SSLError, peer: NetworkRoute) -> NetworkFailure:
    if isinstance(error, ssl.SSLCertVerificationError):
        reason = error.verify_message or "it cannot be verified"
        hint = hints.OTHER_AUTHORITY
        if error.verify_code == _NOT_YET_VALID:
            hint = hints.WRONG_CLOCK
        elif error.verify_code in _OTHER_HOST:
            hint = hints.check_address(peer.proxy.variable if peer.proxy else peer.source)
        return NetworkFailure(
            Outcome.PERMANENT, f"the certificate of {peer.first_peer} is refused: {reason}", hint
        )
    if isinstance(error, (ssl.SSLEOFError, ssl.SSLZeroReturnError)):
        return NetworkFailure(
            Outcome.NOT_SENT, f"{peer.first_peer} closed the connection during the TLS handshake"
        )
    if error.reason == _NO_TLS:
        return NetworkFailure(
            Outcome.PERMANENT, f"{peer.first_place} does not speak TLS", _without_tls(peer)
        )
    reason = f"no TLS connection to {peer.first_peer}: {error.reason or 'protocol error'}"
    return NetworkFailure(Outcome.PERMANENT, reason)


def _lost(error: httpx.TransportError, host: str, state: ConnectionState) -> NetworkFailure:
    came = counted(state.received, "byte")
    if isinstance(error, httpx.TimeoutException):
        so_far = f"{came} received" if state.received else "nothing was received"
        return NetworkFailure(
            Outcome.LOST, f"{host} did not answer in time; {so_far}", doubt=Doubt.LATE
        )
    if isinstance(error, httpx.LocalProtocolError):
        return NetworkFailure(Outcome.PERMANENT, f"the request to {host} is not valid HTTP")
    doubt = Doubt.BROKEN if state.received else Doubt.UNSEEN
    if not isinstance(error, httpx.RemoteProtocolError):
        reason = f"the connection to {host} was lost; {came} of the answer received"
        return NetworkFailure(Outcome.LOST, reason, doubt=doubt)
    if not state.received:
        return NetworkFailure(Outcome.LOST, f"{host} closed the connection without answering")
    if state.closed:
        reason = f"{host} closed the connection in the middle of its answer: {error}"
        return NetworkFailure(Outcome.LOST, reason, doubt=doubt)
    reason = f"{host} sent an invalid HTTP answer: {error}"
    return NetworkFailure(Outcome.LOST, reason, malformed=True, doubt=doubt)
