"""Pages have no login: a form that changes something carries an API token, used once and not kept."""

from typing import cast

from django.http import HttpRequest
from django.utils.translation import gettext as _
from rest_framework.exceptions import Throttled
from rest_framework.request import Request

from results.api.throttling import AuthFailureThrottle, take_allowance
from results.models import ApiToken
from results.services.tokens import authenticate


class TokenRefusedError(Exception):
    """``status`` is that of the answer, the text is for the person who sent the form."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


def form_token(request: HttpRequest, secret: str, scope: str) -> ApiToken:
    """The token behind a secret, under the limits of the API; TokenRefusedError without one."""
    token = authenticate(secret=secret.strip())
    if token is None:
        _count_failure(request)
        raise TokenRefusedError(401, _("No token has this secret, or it is revoked or has expired."))
    if token.scope != scope:
        raise TokenRefusedError(
            403, _("This token's scope does not allow it; %(scope)s is needed.") % {"scope": scope}
        )
    if take_allowance("upload", f"token:{token.id}") is not None:
        raise TokenRefusedError(429, _("Too many requests with this token; wait a minute."))
    return token


def _count_failure(request: HttpRequest) -> None:
    try:
        # It looks at the address alone, which both kinds of request have.
        AuthFailureThrottle().count(cast(Request, request))
    except Throttled:
        raise TokenRefusedError(429, _("Too many wrong tokens from this address; wait a minute.")) from None
