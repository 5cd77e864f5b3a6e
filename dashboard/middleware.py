"""One identifier per request: in the answer's header, in error pages and in the log."""

import re
import uuid
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

_SAFE = re.compile(r"[A-Za-z0-9-]{8,64}")


def request_id(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Keep the identifier a proxy sent if it is harmless, else make one."""

    def middleware(request: HttpRequest) -> HttpResponse:
        sent = request.headers.get("X-Request-ID", "")
        identifier = sent if _SAFE.fullmatch(sent) else uuid.uuid4().hex
        request.META["REQUEST_ID"] = identifier
        response = get_response(request)
        response.headers["X-Request-ID"] = identifier
        return response

    return middleware
