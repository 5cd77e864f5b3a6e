"""``manage.py hosts list|clean|retire``: the operator's view of the hosts."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from results.models import HELD, Host
from results.services.hosts import UnknownHostError, clean_host, retire_host

VERBS = {"clean": clean_host, "retire": retire_host}
ACTOR = "operator"


class Command(BaseCommand):
    help = "List hosts, let a dirty or retired one claim again, or keep one from claiming."

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        verbs.add_parser("list", help="name, state, last sign of life, engines, what it holds")
        verbs.add_parser("clean", help="let a dirty or retired host claim again").add_argument("name")
        verbs.add_parser("retire", help="keep a host from claiming").add_argument("name")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["verb"] == "list":
            for host in Host.objects.all():
                self.stdout.write(line(host))
            return
        try:
            VERBS[options["verb"]](name=options["name"], actor=ACTOR)
        except UnknownHostError as error:
            raise CommandError(f"name: no host is called {error}", returncode=2) from error


def line(host: Host) -> str:
    """One tab-separated line; times in UTC."""
    held = host.attempts.filter(state__in=HELD).first()
    columns = [
        host.name,
        host.state,
        f"seen {host.last_seen_at:%Y-%m-%dT%H:%M:%SZ}",
        ",".join(host.hardware_slugs),
        ",".join(host.engines),
        f"{held.state} {held.run_id}" if held else "free",
    ]
    return "\t".join(columns)
