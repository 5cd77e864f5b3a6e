"""The Simplified Chinese catalogue is complete, and what is compiled is what is written."""

import re

import polib

from dashboard.messages import CATALOGUE, collect, key, stale

_PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|<[^>]+>")


def test_no_message_is_missing_fuzzy_untranslated_or_unused() -> None:
    assert stale(polib.pofile(str(CATALOGUE))) == []


def test_collecting_reads_code_templates_and_registry() -> None:
    places = {place.partition("/")[0] for found in collect().values() for place in found}
    assert {"dashboard", "results", "templates"} <= places
    assert ("", "%(points)s point", "%(points)s points") in collect()


def test_a_missing_and_a_fuzzy_message_are_noticed() -> None:
    catalogue = polib.pofile(str(CATALOGUE))
    removed, doubted = catalogue[0], catalogue[1]
    catalogue.remove(removed)
    doubted.flags.append("fuzzy")
    assert [line.partition(":")[0] for line in stale(catalogue)] == ["missing", "fuzzy", "untranslated"]


def test_placeholders_survive_translation() -> None:
    for entry in polib.pofile(str(CATALOGUE)):
        texts = entry.msgstr_plural.values() if entry.msgid_plural else [entry.msgstr]
        for text in texts:
            assert sorted(_PLACEHOLDER.findall(text)) == sorted(_PLACEHOLDER.findall(entry.msgid)), (
                entry.msgid
            )


def test_the_compiled_catalogue_is_current() -> None:
    written = {key(entry): entry.msgstr or entry.msgstr_plural for entry in polib.pofile(str(CATALOGUE))}
    path = str(CATALOGUE.with_suffix(".mo"))
    compiled = {key(entry): entry.msgstr or entry.msgstr_plural for entry in polib.mofile(path)}
    assert compiled == written
