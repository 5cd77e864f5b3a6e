"""``manage.py ingest_bundle OUT/``: bring a bundle from a host without database into this one."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from results.ingest.bundle import ingest_bundle
from results.ingest.manifest import BundleError
from results.storage import ArtifactError


class Command(BaseCommand):
    help = "Store a bundle's files and read its points. Running it again changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("bundle", type=Path, help="folder with MANIFEST.json")

    def handle(self, *args: Any, bundle: Path, **options: Any) -> None:
        try:
            done = ingest_bundle(bundle)
        except (BundleError, ArtifactError) as error:
            raise CommandError(" ".join(str(error).split()), returncode=2) from None
        self.stdout.write(
            f"run {done.run} attempt {done.number}: {done.new_files} new files, {len(done.points)} points, "
            f"{len(done.quarantined)} in quarantine"
        )
