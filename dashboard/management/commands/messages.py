"""Bring the Simplified Chinese catalogue up to date, or check that it is complete."""

from typing import Any

import polib
from django.core.management.base import BaseCommand, CommandError, CommandParser

from dashboard.messages import CATALOGUE, merge, stale


class Command(BaseCommand):
    help = "Collect messages into locale/zh_Hans and compile them; --check only reports what is missing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="change nothing; fail when incomplete")

    def handle(self, *_args: Any, **options: Any) -> None:
        catalogue = polib.pofile(str(CATALOGUE), wrapwidth=110)
        if not options["check"]:
            merge(catalogue)
            catalogue.save()
            catalogue.save_as_mofile(str(CATALOGUE.with_suffix(".mo")))
        problems = stale(catalogue)
        for line in problems:
            self.stderr.write(line)
        if problems:
            raise CommandError(f"{len(problems)} messages need a translation in {CATALOGUE.name}")
        self.stdout.write(f"{len(catalogue)} messages, all translated")
