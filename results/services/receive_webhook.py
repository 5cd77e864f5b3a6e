"""Webhook deliveries about pull requests, each acted on once."""

import hashlib
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q

from results import clock
from results.documents.refusal import DocumentError, Problem
from results.github.facts import WEBHOOK, PullFacts, read_facts
from results.github.trouble import GitHubError
from results.models import PullRequest, WebhookDelivery
from results.services.github_facts import apply_facts

#: An older body that comes again is stale by its own date.
_KEPT = timedelta(days=30)


def receive_webhook(*, delivery: str, body: bytes, payload: dict[str, Any]) -> str | None:
    """The outcome of a signed ``pull_request`` event; None when it was received before.

    The identifier of a delivery is not signed, so a body that came before counts as received as well.
    Raises DocumentError for a body that is not about a pull request or contradicts what is known.
    """
    try:
        facts = read_facts(payload.get("pull_request"))
        with transaction.atomic():
            row = _claim(delivery, body, payload)
            row.outcome = _apply(facts)
            row.save(update_fields=["outcome"])
    except GitHubError as error:
        message = error.text
        raise DocumentError([Problem(pointer="/pull_request", rule="bad_answer", message=message)]) from None
    except _ReceivedBeforeError:
        return None
    return row.outcome


class _ReceivedBeforeError(Exception):
    pass


def _claim(delivery: str, body: bytes, payload: dict[str, Any]) -> WebhookDelivery:
    """Both columns are unique: of two equal deliveries at once the second waits and is then refused."""
    try:
        with transaction.atomic():
            return WebhookDelivery.objects.create(
                delivery=delivery,
                body_sha256=hashlib.sha256(body).hexdigest(),
                action=str(payload.get("action", ""))[:64],
                outcome=WebhookDelivery.Outcome.UNKNOWN,
                received_at=clock.now(),
            )
    except IntegrityError:
        raise _ReceivedBeforeError from None


def _apply(facts: PullFacts) -> str:
    """``unknown`` for pull requests that the catalogue does not name."""
    name = facts.base.repo.full_name
    by_name = Q(repository__iexact=name) | Q(sync__moved_to__iexact=name)
    pull = PullRequest.objects.filter(by_name, number=facts.number).order_by("id").first()
    if pull is None:
        return WebhookDelivery.Outcome.UNKNOWN
    # Without an ETag: the one of the last answer belongs to facts that may be replaced here.
    return apply_facts(pull_id=pull.id, facts=facts, source=WEBHOOK, now=clock.now())


def forget_old_deliveries(*, now: datetime) -> int:
    """Delete what is older than a month; returns how many."""
    return WebhookDelivery.objects.filter(received_at__lt=now - _KEPT).delete()[0]
