"""``manage.py load_catalogue``: hardware, engines, models and aliases from YAML."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from results.services.load_catalogue import SHIPPED, CatalogueError, load_catalogue


class Command(BaseCommand):
    help = "Load the catalogue (hardware, engines, models, aliases). Running it again changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", nargs="?", type=Path, default=SHIPPED, help="folder of YAML files")

    def handle(self, *args: Any, folder: Path, **options: Any) -> None:
        if not folder.is_dir():
            raise CommandError(f"folder: {folder} is not a folder", returncode=2)
        try:
            counts = load_catalogue(folder=folder)
        except CatalogueError as error:
            raise CommandError(str(error), returncode=2) from None
        self.stdout.write(", ".join(f"{number} {verb}" for verb, number in counts.items()))
