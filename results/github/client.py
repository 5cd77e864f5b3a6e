"""GitHub's REST API: conditional requests, redirects of renamed repositories, rate limits.

Requests go one after another, as GitHub asks. A pause that a limit demands is kept by the caller.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import urljoin, urlsplit

from results import clock
from results.documents.canonical import canonical_json
from results.documents.refusal import DocumentError
from results.documents.strict_json import MalformedJsonError, loads
from results.github.exchange import Answer, Limits, exchange
from results.github.rate_limit import refused_until, spent_until
from results.github.server import Server
from results.github.trouble import GitHubError, Trouble

_VERSION = "2022-11-28"
_HOPS = 3
#: A write is repeated elsewhere only where the server says that nothing was done yet.
_MOVED = {"GET": (301, 302, 307, 308), "POST": (307, 308), "PATCH": (307, 308)}
_TROUBLES = {
    401: (Trouble.UNAUTHORIZED, "the token is missing or not accepted"),
    403: (Trouble.FORBIDDEN, "the token does not allow this"),
    404: (Trouble.NOT_FOUND, "there is no such object, or the token cannot see it"),
    410: (Trouble.NOT_FOUND, "the object was deleted"),
}


@dataclass(frozen=True, slots=True)
class Reply:
    """``value`` is the JSON; None when nothing changed since ``etag``. ``moved``: after a redirect.

    ``spent_until`` is set when this request was the last of the allowance.
    """

    value: Any
    etag: str
    moved: bool
    spent_until: datetime | None

    @property
    def unchanged(self) -> bool:
        return self.value is None


@dataclass(frozen=True, slots=True)
class GitHub:
    server: Server
    limits: Limits = field(default_factory=Limits)

    def get(self, path: str, etag: str = "") -> Reply:
        """``path`` below the API with its query, already quoted; GitHubError for all but 200 and 304."""
        return self._call("GET", path, None, {"If-None-Match": etag} if etag else {})

    def write(self, method: str, path: str, value: Mapping[str, Any]) -> Reply:
        """POST or PATCH JSON; GitHubError for all but 200 and 201."""
        return self._call(method, path, canonical_json(value), {"Content-Type": "application/json"})

    def _call(self, method: str, path: str, body: bytes | None, extra: Mapping[str, str]) -> Reply:
        headers = self._headers() | dict(extra)
        target, moved = self.server.prefix + path, False
        for _hop in range(_HOPS + 1):
            answer = exchange(self.server, method, target, headers, body, self.limits)
            if answer.status not in _MOVED[method]:
                return _reply(answer, moved=moved, conditional="If-None-Match" in extra)
            target, moved = self._elsewhere(target, answer), True
        raise GitHubError(Trouble.REDIRECT, f"more than {_HOPS} redirects")

    def _headers(self) -> dict[str, str]:
        headers = {
            "Accept": "application/vnd.github+json",
            "User-Agent": "northstar",
            "X-GitHub-Api-Version": _VERSION,
        }
        return headers | ({"Authorization": f"Bearer {self.server.token}"} if self.server.token else {})

    def _elsewhere(self, target: str, answer: Answer) -> str:
        """Path and query of a redirect; only on the same server, so that no token leaves it."""
        server = self.server
        host = f"[{server.host}]" if ":" in server.host else server.host
        try:
            base = f"{server.scheme}://{host}:{server.port}{target}"
            address = urlsplit(urljoin(base, answer.headers.get("location", "")))
            stays = server.serves(address) and address.username is None and "/../" not in address.path
        except ValueError:
            stays = False
        if not stays or not answer.headers.get("location"):
            raise GitHubError(Trouble.REDIRECT, "the redirect leads away from the configured server")
        return f"{address.path}?{address.query}" if address.query else address.path


def _reply(answer: Answer, *, moved: bool, conditional: bool) -> Reply:
    now = clock.now()
    until = refused_until(answer, now)
    if until is not None:
        raise GitHubError(Trouble.RATE_LIMITED, "GitHub wants no more requests for now", until)
    if answer.status not in (200, 201, 304) or (answer.status == 304 and not conditional):
        raise _failure(answer.status)
    etag = answer.headers.get("etag", "")
    value = None if answer.status == 304 else _json(answer)
    return Reply(value, etag if len(etag) <= 256 else "", moved, spent_until(answer.headers, now))


def _failure(status: int) -> GitHubError:
    if status in _TROUBLES:
        return GitHubError(*_TROUBLES[status])
    if status >= 500:
        return GitHubError(Trouble.SERVER, f"GitHub answers {status}")
    if 400 <= status < 500:
        return GitHubError(Trouble.REFUSED, f"GitHub refuses the request with {status}")
    return GitHubError(Trouble.BAD_ANSWER, f"status {status} answers another question")


def _json(answer: Answer) -> Any:
    try:
        value = loads(answer.body)
    except (MalformedJsonError, DocumentError):
        raise GitHubError(Trouble.BAD_ANSWER, "the answer is not JSON") from None
    if not isinstance(value, dict | list):
        raise GitHubError(Trouble.BAD_ANSWER, "the answer is neither an object nor a list")
    return value
