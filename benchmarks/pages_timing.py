"""What an address costs the server: seconds, SQL statements and bytes, asked one request at a time."""

import gzip
import http.client
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Cost:
    """Milliseconds of server time over all requests; ``queries`` are the same for each of them.

    ``processor`` is the median of what the server's thread used; other work on the machine disturbs it less.
    """

    fastest: float
    median: float
    p95: float
    processor: float
    queries: int
    bytes: int
    gzip: int

    def plain(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Answer:
    milliseconds: float
    processor: float
    queries: int
    body: bytes


def ask(connection: http.client.HTTPConnection, address: str) -> Answer:
    """Without compression, as a proxy on the same host would; AssertionError unless the answer is 200."""
    connection.request("GET", address, headers={"Host": "localhost"})
    response = connection.getresponse()
    body = response.read()
    assert response.status == 200, (address, response.status, body[:300])
    seconds, used = (float(response.headers[name]) for name in ("X-Seconds", "X-Processor"))
    return Answer(seconds * 1000, used * 1000, int(response.headers["X-Queries"]), body)


def costs(port: int, addresses: Mapping[str, str], repeats: int) -> dict[str, Cost]:
    """By name. The addresses take turns, so that a busy moment of the machine hits all alike."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    answers: dict[str, list[Answer]] = {name: [] for name in addresses}
    for _warm_up in range(2):
        for address in addresses.values():
            ask(connection, address)
    for _turn in range(repeats):
        for name, address in addresses.items():
            answers[name].append(ask(connection, address))
    connection.close()
    return {name: _cost(found) for name, found in answers.items()}


def _cost(answers: Sequence[Answer]) -> Cost:
    times = sorted(answer.milliseconds for answer in answers)
    queries = {answer.queries for answer in answers}
    assert len(queries) == 1, queries
    body = answers[-1].body
    place = min(len(times) - 1, int(0.95 * len(times)))
    return Cost(
        fastest=times[0],
        median=statistics.median(times),
        p95=times[place],
        processor=statistics.median(answer.processor for answer in answers),
        queries=queries.pop(),
        bytes=len(body),
        gzip=len(gzip.compress(body, 6)),
    )
