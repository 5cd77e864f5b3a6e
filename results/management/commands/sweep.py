"""``manage.py sweep``: what the house does by itself, every 30 s; a thread of its own asks GitHub."""

import logging
import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import InterfaceError, OperationalError, close_old_connections, connections

from results import clock
from results.models import Duty
from results.services.aa_schedules import start_due
from results.services.conclude_comparison import conclude_ready
from results.services.duties import end_duty
from results.services.github_rounds import github_round
from results.services.idempotency import forget_expired_answers
from results.services.rate_limits import forget_full_buckets
from results.services.reaper import reap
from results.services.settle_pull_runs import settle_pull_runs
from results.services.sweep import sweep

logger = logging.getLogger(__name__)


class Command(BaseCommand):
    help = (
        "Repeat hints, end attempts whose host is lost, conclude comparisons, start A/A comparisons that are "
        "due, find baselines of pull requests' runs, ask GitHub; runs until SIGTERM."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="one round, then exit")
        parser.add_argument("--interval", type=float, default=30.0, metavar="SECONDS")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["once"]:
            self.stdout.write(one_round(reaping=True))
            return
        if not 0 < options["interval"] <= 3600:
            raise CommandError("--interval: must be over 0 and at most 3600 seconds", returncode=2)
        stop = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        asking = threading.Thread(target=ask_github_until, args=(stop, options["interval"]), name="github")
        asking.daemon = True
        asking.start()
        run_until(stop, options["interval"])


def ask_github_until(stop: threading.Event, interval: float) -> None:
    """A slow or silent GitHub holds up nothing else, and no failure of its round ends the next."""
    while not stop.is_set():
        try:
            close_old_connections()
            logger.debug(github_round())
        except (OperationalError, InterfaceError) as error:
            logger.warning("database: %s", str(error).strip())
            connections.close_all()
        except Exception:
            logger.exception("github")
        stop.wait(interval)


def run_until(stop: threading.Event, interval: float) -> None:
    """Rounds every ``interval`` seconds, whatever happens to database and broker.

    After a start and after an outage one round passes without reaping: hosts whose heartbeats found no
    database get the time to renew their leases.
    """
    reaping = False
    while not stop.is_set():
        try:
            close_old_connections()
            logger.debug(one_round(reaping=reaping))
            reaping = True
        except (OperationalError, InterfaceError) as error:
            logger.warning("database: %s", str(error).strip())
            connections.close_all()
            reaping = False
        stop.wait(interval)


def one_round(*, reaping: bool) -> str:
    """Reap first, so that what it queues again is hinted at once; one line that says what was done."""
    began = clock.now()
    reaped = reap(now=began) if reaping else []
    concluded = conclude_ready()
    settled = settle_pull_runs(now=clock.now())
    started = start_due(now=clock.now())
    hinted = sweep(now=clock.now())
    forget_expired_answers(now=clock.now())
    forget_full_buckets(now=clock.now())
    counts = f"reaped {len(reaped)}, concluded {len(concluded)}"
    counts += f", settled {len(settled)}, started {len(started)}"
    outcome = f"{counts}, hinted {', '.join(hinted) or 'nobody'}"
    end_duty(name=Duty.Name.SWEEP, began_at=began, outcome=outcome)
    return outcome
