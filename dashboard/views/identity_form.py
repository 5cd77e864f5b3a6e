"""The form that completes a file's identity: a field for each thing that is missing, JSON for the rest."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

from results.documents import strict_json
from results.documents.identity import merged
from results.documents.refusal import DocumentError, Problem
from results.models import Alias, Engine, Hardware, LanguageModel

#: A missing object is asked for by the fields that it cannot do without.
_PARTS: Mapping[str, tuple[str, ...]] = {
    "/recipe": ("/recipe/roles", "/recipe/engine", "/recipe/model", "/recipe/precision"),
    "/recipe/roles": ("/recipe/roles/serve/hardware", "/recipe/roles/serve/gpus"),
    "/recipe/engine": ("/recipe/engine/name",),
    "/recipe/model": ("/recipe/model/name",),
    "/recipe/kv_offload": ("/recipe/kv_offload/mode",),
    "/recipe/speculative": ("/recipe/speculative/method",),
    "/recipe/router": ("/recipe/router/name", "/recipe/router/version"),
    "/scenario": ("/scenario/kind",),
}
_NUMBERS = frozenset(
    {"gpus", "workers", "tp", "pp", "ep", "dcp", "pcp", "isl", "osl", "context_cap", "draft_length", "load"}
)
#: No identity document is deeper.
_DEEPEST = 6
JSON = "identity"
TOKEN = "token"  # noqa: S105 - the name of a form field


@dataclass(frozen=True, slots=True)
class Field:
    """``name`` is the pointer of the field in the identity document, ``options`` what the catalogue knows."""

    name: str
    value: str
    number: bool
    options: tuple[str, ...]
    problem: str


def form_fields(
    missing: Iterable[str], sent: Mapping[str, str], problems: Mapping[str, str]
) -> tuple[Field, ...]:
    """One field per missing pointer, with what was typed and what was wrong with it."""
    options = _options()
    return tuple(
        Field(
            name=name,
            value=sent.get(name, ""),
            number=_leaf(name) in _NUMBERS,
            options=options.get(_kind(name), ()),
            problem=problems.get(name, ""),
        )
        for name in dict.fromkeys(part for pointer in missing for part in _expanded(pointer))
    )


def stated_fields(identity: Mapping[str, Any], place: str = "") -> dict[str, str]:
    """What was stated before, by pointer, as far as a field can hold it without changing its type."""
    found: dict[str, str] = {}
    for key, value in identity.items():
        name = f"{place}/{key.replace('~', '~0').replace('/', '~1')}"
        if isinstance(value, Mapping):
            found |= stated_fields(value, name)
        elif name.count("/") <= _DEEPEST and _value(name, str(value)) == value:
            found[name] = str(value)
    return found


def read_form(form: QueryDict) -> dict[str, Any]:
    """The identity that was typed, not yet checked; DocumentError when its JSON part is none."""
    stated = _json(form.get(JSON, "").strip())
    for name in form:
        text = form.get(name, "").strip()
        if name.startswith("/") and text:
            if name.count("/") > _DEEPEST:
                raise DocumentError([Problem(pointer="", rule="depth", message=_("no such field"))])
            stated = merged(stated, _nested(name, _value(name, text)))
    return stated


def _expanded(pointer: str) -> list[str]:
    return [name for part in _PARTS.get(pointer, ()) for name in _expanded(part)] or [pointer]


def _value(name: str, text: str) -> Any:
    """A number where the field is one; what is no number is refused where documents are checked."""
    if _leaf(name) in _NUMBERS and text.isascii() and text.isdigit() and len(text) < 10:
        return int(text)
    return text


def _nested(pointer: str, value: Any) -> dict[str, Any]:
    for key in reversed(pointer[1:].split("/")):
        value = {key.replace("~1", "/").replace("~0", "~"): value}
    nested: dict[str, Any] = value
    return nested


def _json(text: str) -> dict[str, Any]:
    if not text:
        return {}
    try:
        value = strict_json.loads(text.encode("utf-8", "replace"))
    except strict_json.MalformedJsonError as error:
        message = _("is not JSON: %(reason)s") % {"reason": error}
        raise DocumentError([Problem(pointer="", rule="json", message=message)]) from None
    if not isinstance(value, dict):
        message = _("must be a JSON object")
        raise DocumentError([Problem(pointer="", rule="json", message=message)])
    return value


def example(missing: Iterable[str]) -> str:
    """What an identity document for these fields looks like, with gaps to fill in."""
    result: dict[str, Any] = {}
    for pointer in missing:
        for name in _expanded(pointer):
            result = merged(result, _nested(name, 8 if _leaf(name) in _NUMBERS else "…"))
    return json.dumps(result, indent=2, ensure_ascii=False)


def _options() -> dict[str, tuple[str, ...]]:
    precisions = Alias.objects.filter(kind=Alias.Kind.PRECISION).order_by("canonical")
    return {
        "hardware": tuple(Hardware.objects.values_list("slug", flat=True)),
        "engine": tuple(Engine.objects.values_list("slug", flat=True)),
        "model": tuple(LanguageModel.objects.values_list("slug", flat=True)),
        "precision": tuple(precisions.values_list("canonical", flat=True).distinct()),
        "kind": ("agentic", "fixed"),
        "mode": ("none", "dram"),
    }


def _kind(name: str) -> str:
    """Which list of the catalogue a field takes its values from."""
    parts = name.split("/")
    return parts[-2] if parts[-1] == "name" else parts[-1]


def _leaf(name: str) -> str:
    return name.rpartition("/")[2]
