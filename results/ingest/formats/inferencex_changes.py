"""Changelogs of InferenceX: the list in YAML, ``changelog_metadata.json``, the API's workflow info. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

from results.ingest.fields import Fields
from results.ingest.formats.inferencex_points import read_day
from results.ingest.json_stream import outline
from results.ingest.reading import head, json_document
from results.ingest.rows import Change, FormatError, Rejected, Remark, Row, Source
from results.ingest.yaml_text import yaml_document

NAME = "inferencex-changes"
PARSER_VERSION = "inferencex-changes/1"

_METADATA = frozenset({"base_ref", "head_ref", "entries"})
_WORKFLOW = frozenset({"runs", "changelogs", "configs"})
#: Width of the columns that keep a change, but for the link.
_LONGEST = 256


def detect(source: Source) -> str | None:
    """``metadata``, ``workflow-info`` or ``yaml``."""
    found = outline(source)
    if found.kind == "object":
        if found.keys >= _METADATA:
            return "metadata"
        return "workflow-info" if found.keys >= _WORKFLOW else None
    return "yaml" if found.kind == "other" and _is_changelog(head(source)) else None


def read(source: Source) -> Iterator[Row]:
    version = detect(source)
    if version == "yaml":
        entries = yaml_document(source)
        if not isinstance(entries, list):
            raise FormatError("", "must be a list of entries")
        yield from _read_entries(entries, Fields({}))
        return
    document = Fields.of(json_document(source))
    if version == "workflow-info":
        yield from _read_workflow(document)
    else:
        yield from _read_entries(document.items("entries"), document)


def _is_changelog(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    return bool(lines) and lines[0].startswith("- ") and any("config-keys:" in line for line in lines[:8])


def _read_entries(entries: Any, document: Fields) -> Iterator[Row]:
    place = document.pointer("entries") if document.values else ""
    for index, entry in enumerate(entries):
        try:
            yield _entry(Fields.of(entry, f"{place}/{index}"), document)
        except FormatError as error:
            yield Rejected(error.pointer, error.reason)
    if not entries:
        yield Remark("", "a changelog without an entry")


def _entry(entry: Fields, document: Fields) -> Change:
    return Change(
        pointer=entry.place,
        config_keys=_texts(entry, "config-keys", _LONGEST),
        description="\n".join(_texts(entry, "description")),
        pull_request=_short(entry, "pr-link", 512),
        base_ref=_short(document, "base_ref"),
        head_ref=_short(document, "head_ref"),
    )


def _read_workflow(document: Fields) -> Iterator[Row]:
    """The runs name themselves by number; changes are tied to the address of their run."""
    runs: dict[str, Fields] = {}
    for index, value in enumerate(document.items("runs")):
        run = Fields.of(value, f"/runs/{index}")
        runs[str(run.values.get("github_run_id"))] = run
    for index, value in enumerate(document.items("changelogs")):
        try:
            yield _change(Fields.of(value, f"/changelogs/{index}"), runs)
        except FormatError as error:
            yield Rejected(error.pointer, error.reason)
    if not document.items("changelogs"):
        yield Remark("", "no changelog entry; runs and configurations are stated by their points")


def _change(change: Fields, runs: Mapping[str, Fields]) -> Change:
    number = str(change.values.get("workflow_run_id") or "")[:_LONGEST]
    run = runs.get(number, Fields({}))
    return Change(
        pointer=change.place,
        config_keys=_texts(change, "config_keys", _LONGEST),
        description="\n".join(_texts(change, "description")),
        pull_request=_short(change, "pr_link", 512),
        changed_at=run.moment("created_at") or read_day(change, "date"),
        base_ref=_short(change, "base_ref"),
        head_ref=_short(change, "head_ref"),
        source_run=_short(run, "html_url") or number or None,
    )


def _texts(fields: Fields, name: str, longest: int | None = None) -> tuple[str, ...]:
    """One text or a list of them."""
    value = fields.values.get(name)
    texts = [value] if isinstance(value, str) else fields.items(name)
    if not all(isinstance(text, str) for text in texts):
        fields.fail(name, "must be texts")
    if longest is not None and not texts:
        fields.fail(name, "is missing")
    if longest is not None and any(len(text) > longest for text in texts):
        fields.fail(name, f"longer than {longest} characters")
    return tuple(texts)


def _short(fields: Fields, name: str, longest: int = _LONGEST) -> str:
    text = fields.text(name) or ""
    if len(text) > longest:
        fields.fail(name, f"longer than {longest} characters")
    return text
