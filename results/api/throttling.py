"""Rate limits per token, or per address for anonymous readers, shared by all processes."""

from typing import TYPE_CHECKING, cast

from django.conf import settings
from django.http import HttpRequest
from rest_framework.exceptions import Throttled
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from results import clock
from results.models import ApiToken
from results.services.rate_limits import take

if TYPE_CHECKING:  # rest_framework.views loads this module
    from rest_framework.views import APIView


class RateThrottle(BaseThrottle):
    """Reading has one allowance, writing the one that the view names in ``write_throttle``."""

    def __init__(self) -> None:
        self.seconds: float | None = None

    def allow_request(self, request: Request, view: "APIView") -> bool:
        reads = request.method in SAFE_METHODS
        name = "read" if reads else getattr(view, "write_throttle", "submit")
        self.seconds = take_allowance(name, _client(request))
        return self.seconds is None

    def wait(self) -> float | None:
        return self.seconds


class AuthFailureThrottle(BaseThrottle):
    """Bounds guessing: each refused token counts against the address that sent it."""

    def count(self, request: Request) -> None:
        seconds = take_allowance("auth", address_of(request))
        if seconds is not None:
            raise Throttled(wait=seconds)


def _client(request: Request) -> str:
    return f"token:{request.auth.id}" if isinstance(request.auth, ApiToken) else address_of(request)


def address_of(request: HttpRequest | Request) -> str:
    """The client of a request that carries no token."""
    # It looks at the headers alone, which both kinds of request have.
    return f"ip:{BaseThrottle().get_ident(cast(Request, request))}"


def take_allowance(name: str, client: str) -> float | None:
    """Use one request of an allowance that the settings name; None if allowed, else the seconds to wait."""
    rates: dict[str, int] = settings.REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"]
    return take(key=f"{name}:{client}"[:128], per_minute=rates[name], now=clock.now())
