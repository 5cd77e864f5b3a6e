"""``manage.py load_measured``: the measurements that ship with the product, beside those of this site."""

from typing import Any

from django.core.management.base import BaseCommand

from results.services.load_measured import load_measured


class Command(BaseCommand):
    help = "Load the shipped measurements with their comparisons. Running it again changes nothing."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"{load_measured()} comparisons loaded")
