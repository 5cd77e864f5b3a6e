"""``manage.py token create|list|revoke``: credentials of the API."""

from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from results import clock
from results.models import ApiToken
from results.services.tokens import UnknownTokenError, create_token, revoke_token

_LONGEST = 3650


class Command(BaseCommand):
    help = "Create, list and revoke API tokens. A secret is printed once, when it is made."

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        create = verbs.add_parser("create", help="print a new token, alone, on standard output")
        create.add_argument("--name", required=True, help="who will use it")
        create.add_argument("--scope", required=True, help=", ".join(ApiToken.Scope.values))
        create.add_argument("--expires-days", type=int, help="days until it stops working; default: never")
        verbs.add_parser("list", help="show all tokens, without their secrets")
        revoke = verbs.add_parser("revoke", help="make a token stop working at once")
        revoke.add_argument("prefix", help="the first 13 characters, as `list` shows them")

    def handle(self, *args: Any, verb: str, **options: Any) -> None:
        getattr(self, f"_{verb}")(**options)

    def _create(self, *, name: str, scope: str, expires_days: int | None, **_options: Any) -> None:
        if not 1 <= len(name) <= 64 or not name.isprintable():
            raise CommandError("--name: 1 to 64 printable characters", returncode=2)
        if scope not in ApiToken.Scope.values:
            raise CommandError(f"--scope: one of {', '.join(ApiToken.Scope.values)}", returncode=2)
        if expires_days is not None and not 1 <= expires_days <= _LONGEST:
            raise CommandError(f"--expires-days: 1 to {_LONGEST}", returncode=2)
        expires_at = None if expires_days is None else clock.now() + timedelta(days=expires_days)
        self.stdout.write(create_token(name=name, scope=scope, expires_at=expires_at)[1])

    def _list(self, **_options: Any) -> None:
        self.stdout.write("prefix         scope   state    last used (UTC)       name")
        for token in ApiToken.objects.all():
            used = f"{token.last_used_at:%Y-%m-%d %H:%M:%S}" if token.last_used_at else "-"
            self.stdout.write(f"{token.prefix:14} {token.scope:7} {_state(token):8} {used:21} {token.name}")

    def _revoke(self, *, prefix: str, **_options: Any) -> None:
        try:
            token = revoke_token(prefix=prefix)
        except UnknownTokenError:
            raise CommandError(f"prefix: no token starts with {prefix}", returncode=2) from None
        self.stdout.write(f"{token.prefix} ({token.name}) is revoked")


def _state(token: ApiToken) -> str:
    if token.revoked_at is not None:
        return "revoked"
    expired = token.expires_at is not None and token.expires_at <= clock.now()
    return "expired" if expired else "live"
