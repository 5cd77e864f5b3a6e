"""The message catalogue without GNU gettext: collect what the code says, compare, compile.

Babel reads Python and, through Django's own ``templatize``, templates; polib reads and writes catalogues.
Both are development requirements.
"""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import polib
from babel.messages.extract import extract
from django.conf import settings
from django.utils.translation.template import templatize

from results.metrics import DERIVED, METRICS

ROOT = Path(settings.BASE_DIR)
CATALOGUE = ROOT / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"
_CODE = ("dashboard", "results", "workers")
_KEYWORDS = {
    "_": None,
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext": (1, 2),
    "ngettext_lazy": (1, 2),
    "pgettext": ((1, "c"), 2),
    "pgettext_lazy": ((1, "c"), 2),
}

#: msgctxt, msgid, msgid_plural; empty where there is none.
Message = tuple[str, str, str]


def collect() -> dict[Message, list[str]]:
    """Every message with the files that say it."""
    found: dict[Message, list[str]] = {}
    for message, place in [*_from_code(), *_from_templates(), *_from_registry()]:
        places = found.setdefault(message, [])
        if place not in places:
            places.append(place)
    return found


def stale(catalogue: polib.POFile) -> list[str]:
    """What keeps a catalogue from being complete, one line each; empty when nothing does."""
    wanted = collect()
    entries = {key(entry): entry for entry in catalogue if not entry.obsolete}
    lines = [
        f"missing: {message[1]!r} ({wanted[message][0]})" for message in wanted if message not in entries
    ]
    lines += [f"no longer used: {message[1]!r}" for message in entries if message not in wanted]
    lines += [f"fuzzy: {entry.msgid!r}" for entry in entries.values() if entry.fuzzy]
    lines += [f"untranslated: {entry.msgid!r}" for entry in entries.values() if not entry.translated()]
    return lines


def merge(catalogue: polib.POFile) -> None:
    """Add what is missing, untranslated, and drop what nothing says any more."""
    wanted = collect()
    for entry in [entry for entry in catalogue if key(entry) not in wanted]:
        catalogue.remove(entry)
    present = {key(entry): entry for entry in catalogue}
    for message, places in wanted.items():
        entry = present.get(message) or _entry(message)
        entry.occurrences = [(place, "") for place in places]
        if message not in present:
            catalogue.append(entry)
    catalogue.sort(key=lambda entry: (entry.occurrences[0][0], entry.msgid))


def key(entry: polib.POEntry) -> Message:
    return (entry.msgctxt or "", entry.msgid, entry.msgid_plural or "")


def _entry(message: Message) -> polib.POEntry:
    context, text, plural = message
    if plural:
        return polib.POEntry(msgctxt=context or None, msgid=text, msgid_plural=plural, msgstr_plural={0: ""})
    return polib.POEntry(msgctxt=context or None, msgid=text, msgstr="")


def _from_code() -> Iterator[tuple[Message, str]]:
    for folder in _CODE:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield from _extract(path.read_bytes(), _name(path))


def _from_templates() -> Iterator[tuple[Message, str]]:
    folders = [ROOT / "templates", *(ROOT / folder / "templates" for folder in _CODE)]
    for folder in folders:
        for path in sorted(folder.rglob("*.html")):
            text = templatize(path.read_text(encoding="utf-8"), origin=_name(path))
            # HTML indents as it likes; Python's tokenizer would object.
            lines = "\n".join(line.strip() for line in text.splitlines())
            yield from _extract(lines.encode("utf-8"), _name(path))


def _from_registry() -> Iterator[tuple[Message, str]]:
    """Cards translate these fields as they stand in the registry."""
    for metric in (*METRICS.values(), *DERIVED.values()):
        for text in (metric.name, metric.formula, metric.denominator, metric.source):
            yield ("", text, ""), "results/metrics.py"


def _extract(source: bytes, place: str) -> Iterator[tuple[Message, str]]:
    for _line, message, _comments, context in extract("python", BytesIO(source), _KEYWORDS):
        text, plural = message if isinstance(message, tuple) else (message, "")
        if text:
            yield (context or "", text, plural or ""), place


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()
