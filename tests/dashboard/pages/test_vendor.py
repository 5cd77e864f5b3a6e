"""Vendored files are the ones their list says, with their licences."""

import hashlib
import re
from pathlib import Path

from django.conf import settings

VENDOR = Path(settings.BASE_DIR, "static", "vendor")


def test_vendored_files_have_the_listed_digest_and_a_licence() -> None:
    text = Path(VENDOR, "VENDOR.md").read_text()
    listed = dict(re.findall(r"^\| (\S+) \|.*\| ([0-9a-f]{64}) \|$", text, re.M))
    scripts = {path.relative_to(VENDOR).as_posix() for path in VENDOR.rglob("*.js")}
    assert set(listed) == scripts
    for name, digest in listed.items():
        path = Path(VENDOR, name)
        assert hashlib.sha256(path.read_bytes()).hexdigest() == digest
        assert "MIT" in Path(path.parent, "LICENSE").read_text()


def test_our_modules_stay_small_and_never_send_figures_away() -> None:
    for path in Path(settings.BASE_DIR, "static", "js").glob("*.js"):
        assert len(path.read_text().splitlines()) <= 300, path.name
    assert "showSendToCloud: false" in Path(settings.BASE_DIR, "static", "js", "explore.js").read_text()
