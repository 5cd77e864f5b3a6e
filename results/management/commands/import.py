"""``manage.py import PATH...``: bring files, folders and archives of results in."""  # noqa: N999

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from results.documents import strict_json
from results.documents.identity import read_identity
from results.documents.refusal import DocumentError
from results.models import Upload
from results.services.deliveries import Delivery, Sent
from results.services.receive_upload import Received, receive_upload
from results.storage import ArtifactError

#: Exit status when everything is stored and something waits in quarantine.
WAITING = 3


class Command(BaseCommand):
    help = (
        "Store result files of any known tool and read them; exit 0 when all is in, 3 when something waits "
        "in quarantine. Importing the same again changes no result. In folders, names that begin with a dot "
        "are left out."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="file, folder or archive")
        parser.add_argument("--identity", type=Path, metavar="FILE.json", help="what the files do not say")
        parser.add_argument("--validate-only", action="store_true", help="report, and change nothing")
        parser.add_argument(
            "--accept", action="store_true", help="let runs that cover less replace published curves"
        )
        parser.add_argument("--report", type=Path, metavar="FILE.json", help="write the report there")

    def handle(self, *args: Any, paths: list[Path], **options: Any) -> None:
        received = self._receive(paths, options)
        if options["report"] is not None:
            text = json.dumps(received.report, indent=2, ensure_ascii=False) + "\n"
            _write(options["report"], text)
        self._show(received, verbose=options["verbosity"] > 1)
        if received.report["totals"]["quarantined"]:
            raise SystemExit(WAITING)

    def _receive(self, paths: list[Path], options: dict[str, Any]) -> Received:
        sent = [file for path in paths for file in _files(path)]
        identity = {} if options["identity"] is None else _identity(options["identity"])
        if not sent:
            raise CommandError("PATH: holds no file", returncode=2)
        delivery = Delivery(
            handle=Upload.Handle.COMMAND,
            name=", ".join(path.name for path in paths),
            identity=identity,
            validate_only=options["validate_only"],
            accept=options["accept"],
        )
        try:
            return receive_upload(sent=sent, delivery=delivery)
        except (ArtifactError, PermissionError, FileNotFoundError) as error:
            raise CommandError(" ".join(str(error).split()), returncode=2) from None

    def _show(self, received: Received, *, verbose: bool) -> None:
        """One line for each file that waits, or for each file; the totals at the end."""
        for file in received.report["files"]:
            if verbose or file["quarantined"]:
                self.stdout.write(line(file))
        totals = received.report["totals"]
        counts = ", ".join(f"{totals[name]} {name}" for name in totals if name != "files")
        self.stdout.write(f"{totals['files']} files: {counts}")
        self.stdout.write("nothing was changed" if received.upload is None else f"upload {received.upload}")


def line(file: dict[str, Any]) -> str:
    """Path, format, counts, and the first reason in quarantine; separated by tabs."""
    form = " ".join(filter(None, (file["format"] or "unrecognised", file["version"])))
    counts = f"{file['created']} created, {file['unchanged']} unchanged"
    waiting = file["quarantined"]
    reason = ""
    if waiting:
        place = f"{waiting[0]['pointer']}: " if waiting[0]["pointer"] else ""
        reason = f"{len(waiting)} quarantined: {place}{waiting[0]['reason']}"
    return "\t".join([file["path"], form, counts, reason]).rstrip()


def _files(path: Path) -> Iterator[Sent]:
    """Every regular file below ``path``, shown under the name of ``path``."""
    path = path.absolute()
    if path.is_file():
        yield Sent(path.name, path)
        return
    if not path.is_dir():
        raise CommandError(f"PATH: {path.name} is neither a file nor a folder", returncode=2)
    for found in sorted(path.rglob("*")):
        inside = found.relative_to(path)
        hidden = any(part.startswith(".") for part in inside.parts)
        if found.is_file() and not hidden:
            yield Sent(f"{path.name}/{inside.as_posix()}", found)


def _identity(path: Path) -> dict[str, Any]:
    try:
        return read_identity(strict_json.loads(path.read_bytes()))
    except OSError as error:
        raise CommandError(f"--identity: {path.name}: {error.strerror}", returncode=2) from None
    except strict_json.MalformedJsonError as error:
        raise CommandError(f"--identity: {path.name}: is not JSON: {error}", returncode=2) from None
    except DocumentError as error:
        first = error.problems[0]
        place = first["pointer"] or "/"
        raise CommandError(f"--identity: {place}: {first['message']}", returncode=2) from None


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CommandError(f"--report: {path.name}: {error.strerror}", returncode=2) from None
