"""``manage.py prepare``: schema, catalogue and static files, before a new version serves."""

from typing import Any

from django.core.management.base import BaseCommand

from dashboard.prepare import prepare


class Command(BaseCommand):
    help = "Migrate the database, load the catalogue, collect static files. Running it again changes nothing."

    def handle(self, *args: Any, **options: Any) -> None:
        prepare()
