"""Bearer tokens. A request without one is anonymous and may read."""

from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, NotAuthenticated
from rest_framework.request import Request

from results.api.throttling import AuthFailureThrottle
from results.models import ApiToken
from results.services.tokens import authenticate


def token_of(request: Request) -> ApiToken:
    """The token that a request came with; NotAuthenticated without one."""
    if not isinstance(request.auth, ApiToken):
        raise NotAuthenticated
    return request.auth


class TokenAuthentication(BaseAuthentication):
    """``Authorization: Bearer ns_s_...``; whatever is wrong with a token, the answer is the same."""

    def authenticate(self, request: Request) -> tuple[ApiToken, ApiToken] | None:
        scheme, _space, secret = get_authorization_header(request).decode("latin-1").partition(" ")
        if scheme.lower() != "bearer":
            return None
        token = authenticate(secret=secret.strip())
        if token is None:
            AuthFailureThrottle().count(request)
            raise AuthenticationFailed
        return token, token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="northstar"'
