"""Identity: what the sender of result files states about all of them, where the files do not.

A partial document of the shape of a run document: every field may be absent, none may be unknown, and a
field that is there obeys the rules of the whole document.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field, ValidationError

from results.documents.base import Document
from results.documents.canonical import canonical_json, fingerprint
from results.documents.recipe import Recipe
from results.documents.refusal import DocumentError, Problem
from results.documents.run import AgenticScenario, FixedScenario

_ABSENT = "missing"


def _zoned(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError("a time needs its offset from UTC, for example 2026-05-05T12:00:00Z")
    return moment


class Identity(Document):
    """``recipe`` and ``scenario`` are partial documents; ``load`` is the concurrency of a single result.

    ``source_run`` names the run that measured, ``measured_at`` when.
    """

    recipe: dict[str, Any] = Field(default_factory=dict)
    scenario: dict[str, Any] = Field(default_factory=dict)
    load: Annotated[int, Field(ge=1, le=65536)] | None = None
    source_run: Annotated[str, Field(min_length=1, max_length=256)] | None = None
    measured_at: Annotated[datetime, Field(strict=False), AfterValidator(_zoned)] | None = None


def read_identity(value: Any) -> dict[str, Any]:
    """What was stated and nothing else; DocumentError with a pointer for each thing that is wrong."""
    try:
        identity = Identity.model_validate(value)
    except ValidationError as error:
        raise DocumentError.from_validation(error) from None
    found = [*_problems(Recipe, identity.recipe, "/recipe"), *_scenario_problems(identity.scenario)]
    if found:
        raise DocumentError(found)
    return {name: part for name, part in identity.model_dump(mode="json").items() if part not in (None, {})}


def identity_digest(identity: Mapping[str, Any]) -> str:
    """sha256 of the canonical JSON."""
    return fingerprint(identity)


def covers(known: Any, sent: Any) -> bool:
    """Whether ``sent`` states nothing that ``known`` does not state just so."""
    if isinstance(sent, Mapping) and isinstance(known, Mapping):
        return all(key in known and covers(known[key], part) for key, part in sent.items())
    return canonical_json(known) == canonical_json(sent)


def merged(outer: Mapping[str, Any], inner: Mapping[str, Any]) -> dict[str, Any]:
    """Both statements; where they differ, the one that stands nearer to the file holds."""
    result = dict(outer)
    for key, part in inner.items():
        nested = isinstance(part, Mapping) and isinstance(result.get(key), Mapping)
        result[key] = merged(result[key], part) if nested else part
    return result


def _problems(model: type[BaseModel], part: Mapping[str, Any], place: str) -> list[Problem]:
    """Everything that is wrong with a part of a document except that something is absent."""
    try:
        model.model_validate(part)
    except ValidationError as error:
        found = DocumentError.from_validation(error).problems
        return [item | {"pointer": place + item["pointer"]} for item in found if item["rule"] != _ABSENT]
    return []


def _scenario_problems(scenario: Mapping[str, Any]) -> list[Problem]:
    models = dict(_scenario_models(scenario.get("kind")))
    found = [_problems(model, scenario, "/scenario") for model in models.values()]
    if not found:
        return [Problem(pointer="/scenario/kind", rule="literal_error", message="must be agentic or fixed")]
    return min(found, key=len)


def _scenario_models(kind: Any) -> Iterator[tuple[str, type[BaseModel]]]:
    """The shapes a scenario may have; both when its kind is not stated."""
    for name, model in (("agentic", AgenticScenario), ("fixed", FixedScenario)):
        if kind in (None, name):
            yield name, model
