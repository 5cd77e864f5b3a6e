"""``manage.py hosts list|clean|retire|probe``: the operator's view of the hosts."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from results.models import HELD, Host
from results.services.host_probes import read_probe, record_probe
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
        probe = verbs.add_parser("probe", help="keep what python -m workers probe --json said of a host")
        probe.add_argument("name")
        probe.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        if options["verb"] == "list":
            for host in Host.objects.all():
                self.stdout.write(line(host))
            return
        if options["verb"] == "probe":
            self.stdout.write(keep(options["name"], options["file"]))
            return
        try:
            VERBS[options["verb"]](name=options["name"], actor=ACTOR)
        except UnknownHostError as error:
            raise CommandError(f"name: no host is called {error}", returncode=2) from error


def keep(name: str, file: Path) -> str:
    """Store the probe in a file; CommandError for an unknown host, and for what is no probe."""
    host = Host.objects.filter(name=name).first()
    if host is None:
        raise CommandError(f"name: no host is called {name}", returncode=2)
    try:
        probe = read_probe(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise CommandError(f"file: {' '.join(str(error).split())}", returncode=2) from None
    new = record_probe(host=host, probe=probe)
    return f"{name}: probe of {probe.at:%Y-%m-%dT%H:%M:%SZ} {'kept' if new else 'was here already'}"


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
