"""A client of our own API, as anyone would write one."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]


class ApiError(Exception):
    """The server refused, or did not answer; one line."""


class ApiClient:
    """``base`` ends with a slash; ``token`` is needed to submit only."""

    def __init__(self, base: str, token: str = "") -> None:
        self._base = base
        self._token = token
        # A proxy of the environment is for the outside world.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def is_up(self) -> bool:
        try:
            self._send(f"{self._base}healthz")
        except ApiError:
            return False
        return True

    def get(self, path: str) -> Json:
        return self._json(self._send(f"{self._base}api/v1/{path}"))

    def submit(self, document: Json, key: str) -> Json:
        """The new run; the same key and document give the same run."""
        body = json.dumps(document, allow_nan=False).encode()
        return self._json(self._send(f"{self._base}api/v1/runs/", body, {"Idempotency-Key": key}))

    def pages(self, path: str) -> Iterator[Json]:
        """All results of a paged list."""
        address: str | None = f"{self._base}api/v1/{path}"
        while address:
            page = self._json(self._send(address))
            yield from page["results"]
            address = page["next"]

    def _send(self, address: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> bytes:
        request = urllib.request.Request(address, data=body, headers=headers or {})  # noqa: S310
        if body is not None:
            request.add_header("Content-Type", "application/json")
            request.add_header("Authorization", f"Bearer {self._token}")
        try:
            with self._opener.open(request, timeout=30) as response:
                answer: bytes = response.read()
                return answer
        except urllib.error.HTTPError as error:
            with error:
                text = error.read(2000).decode("utf-8", "replace")
            raise ApiError(f"{error.code} from {address}: {' '.join(text.split())}") from None
        except OSError as error:
            raise ApiError(f"{address}: {error}") from None

    @staticmethod
    def _json(answer: bytes) -> Json:
        parsed: Json = json.loads(answer)
        return parsed
