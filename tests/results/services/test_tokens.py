"""Tokens: what is stored, who is let in, and the command that makes them."""

import io
import re
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command

from results.models import ApiToken, AuditEvent
from results.services.tokens import authenticate, create_token, revoke_token
from tests.conftest import Clock

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("scope", "kind"), [("read", "r"), ("submit", "s"), ("worker", "w"), ("admin", "a")])
def test_a_secret_is_long_named_and_not_stored(scope: str, kind: str) -> None:
    token, secret = create_token(name="ci", scope=scope)
    assert re.fullmatch(rf"ns_{kind}_[0-9A-Za-z]{{48}}", secret)
    assert token.prefix == secret[:13]
    columns = [str(value) for value in ApiToken.objects.values().get().values()]
    assert not any(secret[13:] in value for value in columns)
    assert authenticate(secret=secret) == token


def test_a_digest_depends_on_the_secret_key(settings: object) -> None:
    secret = create_token(name="ci", scope="read")[1]
    settings.SECRET_KEY = "another"  # type: ignore[attr-defined]
    assert authenticate(secret=secret) is None


def test_wrong_unknown_and_foreign_secrets_are_refused() -> None:
    secret = create_token(name="ci", scope="read")[1]
    other = create_token(name="ci", scope="read")[1]
    changed = secret[:-1] + ("a" if secret[-1] != "a" else "b")
    for wrong in (changed, secret[:13] + other[13:], secret + "a", secret[:-1], "", "ns_r_", secret.upper()):
        assert authenticate(secret=wrong) is None


def test_a_token_expires_on_time(clock: Clock) -> None:
    secret = create_token(name="ci", scope="read", expires_at=clock.now() + timedelta(days=1))[1]
    clock.advance(86_399)
    assert authenticate(secret=secret)
    clock.advance(1)
    assert authenticate(secret=secret) is None


def test_a_revoked_token_stops_at_once(clock: Clock) -> None:
    token, secret = create_token(name="ci", scope="read")
    revoke_token(prefix=token.prefix)
    assert authenticate(secret=secret) is None
    revoked_at = ApiToken.objects.get().revoked_at
    clock.advance(5)
    revoke_token(prefix=token.prefix)
    assert ApiToken.objects.get().revoked_at == revoked_at
    verbs = AuditEvent.objects.filter(object_id=token.prefix).order_by("id").values_list("verb", flat=True)
    assert list(verbs) == ["create", "revoke"]


def test_last_use_is_written_once_a_minute(clock: Clock) -> None:
    secret = create_token(name="ci", scope="read")[1]
    first = clock.now()
    seen = []
    for seconds in (0, 30, 29, 1, 59):
        clock.advance(seconds)
        authenticate(secret=secret)
        used = ApiToken.objects.get().last_used_at
        assert used is not None
        seen.append((used - first).total_seconds())
    assert seen == [0, 0, 0, 60, 60]


def run(*argv: str) -> str:
    out = io.StringIO()
    call_command("token", *argv, stdout=out)
    return out.getvalue()


def test_create_prints_the_secret_alone(clock: Clock) -> None:
    printed = run("create", "--name", "CI of vLLM", "--scope", "submit", "--expires-days", "7")
    token = authenticate(secret=printed.removesuffix("\n"))
    assert token is not None
    assert (token.name, token.scope) == ("CI of vLLM", "submit")
    assert token.expires_at == clock.now() + timedelta(days=7)


def test_list_shows_state_and_no_secret(clock: Clock) -> None:
    live, gone, old = (run("create", "--name", name, "--scope", "read").strip() for name in "abc")
    run("revoke", gone[:13])
    ApiToken.objects.filter(name="c").update(expires_at=clock.now())
    lines = {line.split()[0]: line.split()[2] for line in run("list").splitlines()[1:]}
    assert lines == {live[:13]: "live", gone[:13]: "revoked", old[:13]: "expired"}


@pytest.mark.parametrize(
    ("argv", "field"),
    [
        (["create", "--name", "", "--scope", "read"], "--name"),
        (["create", "--name", "a\nb", "--scope", "read"], "--name"),
        (["create", "--name", "a", "--scope", "root"], "--scope"),
        (["create", "--name", "a", "--scope", "read", "--expires-days", "0"], "--expires-days"),
        (["revoke", "ns_r_00000000"], "prefix"),
    ],
)
def test_bad_arguments_are_named_in_one_line(argv: list[str], field: str) -> None:
    with pytest.raises(CommandError) as caught:
        run(*argv)
    assert caught.value.returncode == 2
    assert str(caught.value).startswith(f"{field}: ")
    assert "\n" not in str(caught.value)
