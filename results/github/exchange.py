"""One HTTP exchange with bounds on time and size that the other side cannot stretch."""

import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection

from results.github.server import Server
from results.github.trouble import GitHubError, Trouble

_CHUNK = 64 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """``seconds`` from the connected socket to the last byte; ``size`` of the body in bytes."""

    seconds: float = 15.0
    size: int = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Answer:
    """Header names are lower case; of a repeated header the last value."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def exchange(
    server: Server, method: str, target: str, headers: Mapping[str, str], body: bytes | None, limits: Limits
) -> Answer:
    """Send one request to ``target`` (path and query) and read the answer to its end.

    A timeout of the socket alone would let a server drip a byte at a time for ever, so a timer cuts the
    connection. Raises GitHubError: unreachable, timeout, or bad_answer for a truncated or too large body.
    """
    connection, late = _connection(server, limits), threading.Event()
    try:
        connection.connect()
        with _cut_after(limits.seconds, connection.sock, late):
            connection.request(method, target, body=body, headers=dict(headers))
            with connection.getresponse() as response:
                answer = _read(response, limits.size)
    except (OSError, HTTPException, ValueError) as error:
        raise _trouble(error, late.is_set(), limits) from None
    except GitHubError as error:
        raise (_too_slow(limits) if late.is_set() else error) from None
    finally:
        connection.close()
    if late.is_set():
        raise _too_slow(limits)
    return answer


def _connection(server: Server, limits: Limits) -> HTTPConnection:
    if server.scheme == "http":
        return HTTPConnection(server.host, server.port, timeout=limits.seconds)
    context = ssl.create_default_context()
    return HTTPSConnection(server.host, server.port, timeout=limits.seconds, context=context)


@contextmanager
def _cut_after(seconds: float, sock: socket.socket, late: threading.Event) -> Iterator[None]:
    """Cut the connection when time is over, by its socket: the library lets go of that before the end."""

    def cut() -> None:
        late.set()
        # Not the method of a TLS socket, which would pull its state from under the reader.
        with suppress(OSError):
            socket.socket.shutdown(sock, socket.SHUT_RDWR)

    timer = threading.Timer(seconds, cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


def _read(response: HTTPResponse, limit: int) -> Answer:
    parts, size = [], 0
    while part := response.read(_CHUNK):
        parts.append(part)
        size += len(part)
        if size > limit:
            raise GitHubError(Trouble.BAD_ANSWER, f"the answer is larger than {limit} bytes")
    if response.length:
        raise GitHubError(Trouble.BAD_ANSWER, "the answer ends before its declared length")
    headers = {name.lower(): value for name, value in response.getheaders()}
    if headers.get("content-encoding", "identity") != "identity":
        raise GitHubError(Trouble.BAD_ANSWER, "the answer is compressed, which was not asked for")
    return Answer(response.status, headers, b"".join(parts))


def _trouble(error: Exception, late: bool, limits: Limits) -> GitHubError:
    if late or isinstance(error, TimeoutError):
        return _too_slow(limits)
    if isinstance(error, HTTPException | ValueError) and not isinstance(error, OSError):
        return GitHubError(Trouble.BAD_ANSWER, f"the answer breaks HTTP ({type(error).__name__})")
    return GitHubError(Trouble.UNREACHABLE, f"no connection ({type(error).__name__})")


def _too_slow(limits: Limits) -> GitHubError:
    return GitHubError(Trouble.TIMEOUT, f"no complete answer within {limits.seconds:g} s")
