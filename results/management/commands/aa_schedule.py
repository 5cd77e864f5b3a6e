"""``manage.py aa_schedule``: the operator's schedules of A/A comparisons."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser

from results.documents.refusal import DocumentError
from results.models import AaSchedule
from results.services.aa_schedules import (
    UnknownScheduleError,
    add_schedule,
    change_schedule,
    remove_schedule,
)

ACTOR = "operator"
METRICS = ["output_throughput_per_gpu", "ttft_p50", "interactivity_p50"]
VERBS: dict[str, Callable[[str], None]] = {
    "pause": lambda name: change_schedule(name=name, actor=ACTOR, enabled=False),
    "resume": lambda name: change_schedule(name=name, actor=ACTOR, enabled=True),
    "remove": lambda name: remove_schedule(name=name, actor=ACTOR),
}


class Command(BaseCommand):
    help = "Measure a recipe against itself on a host every so many days, and see how often that errs."

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        verbs.add_parser("list", help="name, host, rhythm, next start, how many so far, last problem")
        add = verbs.add_parser("add", help="a new schedule; the sweep starts its first comparison")
        add.add_argument("name")
        add.add_argument("--run", required=True, type=UUID, metavar="ID", help="measures what this run did")
        add.add_argument("--host", required=True, metavar="NAME")
        add.add_argument("--every-days", type=int, default=7, metavar="N")
        add.add_argument("--blocks", type=int, default=5, metavar="N", help="as in the comparisons to judge")
        add.add_argument("--metrics", nargs="+", default=METRICS, metavar="KEY", help="at most three")
        for verb, text in (("pause", "no more"), ("resume", "go on"), ("remove", "comparisons stay")):
            verbs.add_parser(verb, help=text).add_argument("name")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self._do(options)
        except DocumentError as error:
            first = error.problems[0]
            field = "--" + first["pointer"].lstrip("/").partition("/")[0].replace("_", "-")
            raise CommandError(f"{field}: {first['message']}", returncode=2) from None
        except UnknownScheduleError as error:
            raise CommandError(f"name: no schedule is called {error}", returncode=2) from None

    def _do(self, options: dict[str, Any]) -> None:
        if options["verb"] == "add":
            wanted = {key: options[key] for key in ("name", "run", "host", "every_days", "blocks", "metrics")}
            add_schedule(**wanted, actor=ACTOR)
        elif options["verb"] != "list":
            VERBS[options["verb"]](options["name"])
        for schedule in AaSchedule.objects.select_related("host"):
            self.stdout.write(line(schedule))


def line(schedule: AaSchedule) -> str:
    """One tab-separated line; times in UTC."""
    columns = [
        schedule.name,
        schedule.host.name,
        f"every {schedule.every_days} d",
        f"next {schedule.due_at:%Y-%m-%dT%H:%M:%SZ}" if schedule.enabled else "paused",
        f"{schedule.comparisons.count()} so far",
        schedule.problem or "-",
    ]
    return "\t".join(columns)
