"""What a new version needs before it serves: schema, catalogue, collected static files."""

import hashlib
import io
from pathlib import Path

from django.conf import settings
from django.core.management import call_command


def prepare() -> None:
    """Safe to repeat; a second call costs well under a second."""
    call_command("migrate", verbosity=0, interactive=False)
    call_command("load_catalogue", verbosity=0, stdout=io.StringIO())
    _collect_static(Path(settings.STATIC_ROOT))


def _collect_static(target: Path) -> None:
    """Hashing and compressing takes seconds, so only when a source has changed."""
    stamp = target / "sources.sha256"
    digest = _sources()
    if stamp.exists() and stamp.read_text(encoding="ascii") == digest:
        return
    call_command("collectstatic", verbosity=0, interactive=False, clear=True)
    stamp.write_text(digest, encoding="ascii")


def _sources() -> str:
    """Of our own files and, by the lock that names their versions, those of packages."""
    total = hashlib.sha256((settings.BASE_DIR / "requirements" / "runtime.txt").read_bytes())
    for path in sorted((settings.BASE_DIR / "static").rglob("*")):
        if path.is_file():
            total.update(f"{path.relative_to(settings.BASE_DIR)}\0".encode())
            total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()
