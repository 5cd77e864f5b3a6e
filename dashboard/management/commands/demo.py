"""``manage.py demo``: what ``make demo`` runs after set-up."""

import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from dashboard.demo.options import OptionError, Options
from dashboard.demo.session import JobError, Session
from dashboard.demo.supervision import Collapse, StartError
from dashboard.embedded.errors import EmbeddedError


class Command(BaseCommand):
    help = (
        "Start everything on this machine and measure the demo's recipes. "
        "Environment: PORT (8000), ONCE=1, BLOCKS (1), ENGINE (llamacpp, vllm), NORTHSTAR_VAR."
    )
    # They would ask a database that is not there yet.
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            wanted = Options.read()
            done = Session(settings.VAR, wanted, sys.stdout).run()
        except (OptionError, StartError, EmbeddedError) as error:
            raise CommandError(f"demo: {error}", returncode=2) from None
        except OSError as error:
            raise CommandError(
                f"demo: {error.filename or settings.VAR}: {error.strerror}", returncode=2
            ) from None
        except (Collapse, JobError) as error:
            raise CommandError(str(error), returncode=1) from None
        if wanted.once and not done:
            sys.exit(130)
