"""API tokens: a secret shown once, kept as a prefix to look it up by and an HMAC to check it with."""

import hashlib
import hmac
import re
import secrets
import string
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction

from results import clock
from results.models import ApiToken, AuditEvent

Scope = ApiToken.Scope
#: Secret scanners can match ``ns_[rswa]_[0-9A-Za-z]{48}``.
KINDS = {Scope.READ: "ns_r_", Scope.SUBMIT: "ns_s_", Scope.WORKER: "ns_w_", Scope.ADMIN: "ns_a_"}
_LETTERS = string.digits + string.ascii_letters
_PREFIX, _SECRET = 8, 40
_SHAPE = re.compile(rf"ns_[rswa]_[0-9A-Za-z]{{{_PREFIX + _SECRET}}}")
#: ``last_used_at`` is written at most this often.
RESOLUTION = timedelta(minutes=1)


class UnknownTokenError(LookupError):
    """No token has this prefix."""


@transaction.atomic
def create_token(*, name: str, scope: str, expires_at: datetime | None = None) -> tuple[ApiToken, str]:
    """A new token and its secret, 238 random bits, which nothing can show again."""
    prefix = KINDS[Scope(scope)] + _random(_PREFIX)
    secret = prefix + _random(_SECRET)
    token = ApiToken.objects.create(
        name=name,
        scope=scope,
        prefix=prefix,
        digest=_digest(secret),
        created_at=clock.now(),
        expires_at=expires_at,
    )
    _audit(token, "create", {"name": name, "scope": scope})
    return token, secret


@transaction.atomic
def revoke_token(*, prefix: str) -> ApiToken:
    """The token stops working at once; revoking it again changes nothing."""
    token = ApiToken.objects.select_for_update().filter(prefix=prefix).first()
    if token is None:
        raise UnknownTokenError(prefix)
    if token.revoked_at is None:
        token.revoked_at = clock.now()
        token.save(update_fields=["revoked_at"])
        _audit(token, "revoke", {})
    return token


def authenticate(*, secret: str) -> ApiToken | None:
    """The live token of ``secret``; None alike for unknown, wrong, expired and revoked ones."""
    if not _SHAPE.fullmatch(secret):
        return None
    token = ApiToken.objects.filter(prefix=secret[:-_SECRET]).first()
    known = token.digest if token is not None else "0" * 64
    # The HMAC is computed for unknown prefixes too, so that time does not tell which ones exist.
    if not hmac.compare_digest(_digest(secret), known) or token is None or not _is_live(token):
        return None
    _touch(token)
    return token


def _is_live(token: ApiToken) -> bool:
    expired = token.expires_at is not None and token.expires_at <= clock.now()
    return token.revoked_at is None and not expired


def _touch(token: ApiToken) -> None:
    now = clock.now()
    if token.last_used_at is None or now - token.last_used_at >= RESOLUTION:
        ApiToken.objects.filter(id=token.id).update(last_used_at=now)


def _random(length: int) -> str:
    return "".join(secrets.choice(_LETTERS) for _letter in range(length))


def _digest(secret: str) -> str:
    return hmac.new(settings.SECRET_KEY.encode(), secret.encode(), hashlib.sha256).hexdigest()


def _audit(token: ApiToken, verb: str, details: dict[str, str]) -> None:
    AuditEvent.objects.create(
        at=clock.now(),
        actor="operator",
        verb=verb,
        object_type="token",
        object_id=token.prefix,
        details=details,
    )
