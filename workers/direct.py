"""HTTP to servers we measure: never through a proxy of the environment, which would be measured with them."""

import http.client
import urllib.error
import urllib.request

_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))
#: Every way in which a server may fail to answer.
NO_ANSWER = (urllib.error.URLError, OSError, http.client.HTTPException, ValueError)


def get(url: str, timeout: float, most_bytes: int = 16_000_000) -> bytes:
    """Body of a 200 answer, at most ``most_bytes`` of it; raises one of NO_ANSWER."""
    try:
        with _OPENER.open(url, timeout=timeout) as response:
            if response.status == 200:
                body: bytes = response.read(most_bytes)
                return body
            status = response.status
    except urllib.error.HTTPError as error:
        with error:
            status = error.code
    raise ValueError(f"status {status}")
