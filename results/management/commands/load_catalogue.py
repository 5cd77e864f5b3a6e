"""``manage.py load_catalogue``: hardware, engines, models, aliases and upstream projects from YAML."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from results.services.load_catalogue import SHIPPED, CatalogueError, load_catalogue
from results.services.load_projects import load_projects


class Command(BaseCommand):
    help = "Load the shipped catalogue; upstream projects too. Running it again changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", nargs="?", type=Path, default=SHIPPED, help="folder of YAML files")

    def handle(self, *args: Any, folder: Path, **options: Any) -> None:
        if not folder.is_dir():
            raise CommandError(f"folder: {folder} is not a folder", returncode=2)
        try:
            counts = load_catalogue(folder=folder) + load_projects(folder=folder / "projects")
        except CatalogueError as error:
            raise CommandError(str(error), returncode=2) from None
        verbs = ("created", "updated", "unchanged")
        self.stdout.write(", ".join(f"{counts[verb]} {verb}" for verb in verbs))
        if counts["kept"]:
            self.stdout.write(f"{counts['kept']} differ from the file, because an operator edited them")
