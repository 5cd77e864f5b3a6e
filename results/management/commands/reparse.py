"""``manage.py reparse``: derive rows again from stored files."""

import re
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from results.models import ResultFile
from results.services.reparse import reparse


class Command(BaseCommand):
    help = "Read stored result files again, after a new alias or with a newer parser."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--sha256", help="only the file with this content")

    def handle(self, *args: Any, sha256: str | None, **options: Any) -> None:
        if sha256 is not None and not re.fullmatch(r"[0-9a-f]{64}", sha256):
            raise CommandError("--sha256: must be 64 lower-case hexadecimal digits", returncode=2)
        if sha256 is not None and not ResultFile.objects.filter(artifact=sha256).exists():
            raise CommandError(f"--sha256: no result file has the content {sha256}", returncode=2)
        totals = {"created": 0, "unchanged": 0, "superseded": 0, "quarantined": 0}
        for report in reparse(sha256=sha256):
            counts = report.to_json()
            for name in totals:
                value = counts[name]
                totals[name] += len(value) if isinstance(value, list) else value
            self.stdout.write(_line(report.path, counts))
        self.stdout.write(_line("total", totals))
        if totals["quarantined"]:
            raise CommandError("some rows are still in quarantine", returncode=3)


def _line(path: str, counts: dict[str, Any]) -> str:
    refused = counts["quarantined"]
    waiting = len(refused) if isinstance(refused, list) else refused
    return (
        f"{path}: {counts['created']} created, {counts['unchanged']} unchanged,"
        f" {counts['superseded']} superseded, {waiting} in quarantine"
    )
