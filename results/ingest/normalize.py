"""From a file's words to documents: recipe and scenario of a row, or the reason why there is none.

Nothing is guessed: what neither file nor identity states is a missing field, a spelling without an alias
is unknown, and two statements that differ are a contradiction. Each of them refuses the row.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import orjson
from pydantic import ValidationError

from results.documents.base import problems
from results.documents.recipe import Recipe
from results.documents.run import AgenticScenario, FixedScenario
from results.ingest.partial import ContradictionError, merged, translated
from results.ingest.reports import Refused
from results.ingest.vocabulary import NONE, UnknownSpellingError, Vocabulary

T = TypeVar("T")
Scenario = AgenticScenario | FixedScenario
_SCENARIOS: Mapping[str, type[Scenario]] = {"agentic": AgenticScenario, "fixed": FixedScenario}
#: Distinct recipes that are kept ready; a file of many rows has few.
_REMEMBERED = 4096
#: GPUs of one worker are the product of these; expert parallelism shares them.
_GPU_FACTORS = ("tp", "pp", "pcp", "workers")


class RefusedError(ValueError):
    """One row is refused; ``row`` says why, its pointer is filled in by the reader."""

    def __init__(self, row: Refused) -> None:
        super().__init__(row.reason)
        self.row = row


@dataclass(frozen=True, slots=True)
class ReadyRecipe:
    """A complete recipe and the catalogue rows that it names."""

    document: Recipe
    fingerprint: str
    hardware: int
    engine: int
    language_model: int


class _Remembered(Generic[T]):
    """Results by key, refusals too, so that a million rows of one recipe make it once."""

    def __init__(self) -> None:
        self._found: dict[bytes, T | Refused] = {}

    def get(self, key: bytes, make: Callable[[], T]) -> T:
        found = self._found.get(key)
        if found is None:
            try:
                found = make()
            except RefusedError as error:
                found = error.row
            if len(self._found) >= _REMEMBERED:
                self._found.clear()
            self._found[key] = found
        if isinstance(found, Refused):
            raise RefusedError(found)
        return found


class Normalizer:
    """Turns partial documents of one file into complete ones, with what the sender stated about it."""

    def __init__(self, vocabulary: Vocabulary, identity: Mapping[str, Any]) -> None:
        self._vocabulary = vocabulary
        self.identity = identity
        self._recipes = _Remembered[ReadyRecipe]()
        self._scenarios = _Remembered[Scenario]()

    def recipe(self, partial: Mapping[str, Any]) -> ReadyRecipe:
        """The recipe of a row; RefusedError names what is missing, unknown, contradictory or wrong."""
        return self._recipes.get(_key(partial), lambda: self._ready(self.config(partial)))

    def exported_recipe(self, document: Mapping[str, Any]) -> ReadyRecipe:
        """The recipe of a complete document in canonical names."""
        return self._recipes.get(b"=" + _key(document), lambda: self._ready(document))

    def config(self, partial: Mapping[str, Any]) -> dict[str, Any]:
        """The partial recipe in catalogue names, with the identity; raises RefusedError."""
        translate = self._vocabulary.canonical
        try:
            stated = translated(partial, translate, NONE)
            sent = translated(_part(self.identity, "recipe"), translate, NONE)
            return merged(stated, sent, "/recipe")
        except UnknownSpellingError as error:
            raise RefusedError(_unknown(error)) from None
        except ContradictionError as error:
            raise RefusedError(Refused("", str(error))) from None

    def scenario(self, partial: Mapping[str, Any]) -> Scenario:
        """The scenario of a row; raises RefusedError."""
        return self._scenarios.get(_key(partial), lambda: self._scenario(partial))

    def stated(self, name: str, value: Any) -> Any:
        """``load``, ``source_run`` or ``measured_at`` of a row, or of the identity where the row has none."""
        sent = self.identity.get(name)
        if value is not None and sent is not None and value != sent:
            raise RefusedError(Refused("", str(ContradictionError(f"/{name}", value, sent))))
        return sent if value is None else value

    def hardware(self, spelling: str) -> int:
        """The catalogue row of a hardware label; raises RefusedError."""
        try:
            return self._vocabulary.row("hardware", self._vocabulary.canonical("hardware", spelling))
        except UnknownSpellingError as error:
            raise RefusedError(_unknown(error)) from None

    def _scenario(self, partial: Mapping[str, Any]) -> Scenario:
        try:
            document = merged(partial, _part(self.identity, "scenario"), "/scenario")
        except ContradictionError as error:
            raise RefusedError(Refused("", str(error))) from None
        if not document:
            raise RefusedError(_missing(["/scenario/kind"]))
        if "kind" not in document:
            document["kind"] = "agentic" if "corpus" in document else "fixed"
        try:
            return _SCENARIOS["agentic" if document["kind"] == "agentic" else "fixed"].model_validate(
                document
            )
        except ValidationError as error:
            raise RefusedError(_invalid(error, "/scenario")) from None

    def _ready(self, document: Mapping[str, Any]) -> ReadyRecipe:
        try:
            recipe = Recipe.model_validate(_with_gpus(document))
        except ValidationError as error:
            raise RefusedError(_invalid(error, "/recipe")) from None
        generating = recipe.roles["decode" if recipe.disaggregated else "serve"]
        row = self._vocabulary.row
        try:
            for role in recipe.roles.values():
                row("hardware", role.hardware)
            return ReadyRecipe(
                document=recipe,
                fingerprint=recipe.fingerprint,
                hardware=row("hardware", generating.hardware),
                engine=row("engine", recipe.engine.name),
                language_model=row("model", recipe.model.name),
            )
        except UnknownSpellingError as error:
            raise RefusedError(_unknown(error)) from None


def _with_gpus(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document with what follows from it: GPUs of a role that states its tensor parallelism."""
    # An empty object instead of none makes the missing fields inside it be named.
    whole = {"engine": {}, "model": {}, **document}
    roles = document.get("roles") or {"serve": {}}
    if isinstance(roles, Mapping):
        whole["roles"] = {name: _counted(role) for name, role in roles.items()}
    return whole


def _counted(role: Any) -> Any:
    if not isinstance(role, Mapping) or "gpus" in role or "tp" not in role:
        return role
    factors = [role.get(name, 1) for name in _GPU_FACTORS]
    if not all(isinstance(factor, int) for factor in factors):
        return role
    gpus = 1
    for factor in factors:
        gpus *= factor
    return {**role, "gpus": gpus}


def _part(identity: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = identity.get(name)
    return part if isinstance(part, Mapping) else {}


def _key(partial: Mapping[str, Any]) -> bytes:
    return orjson.dumps(partial, option=orjson.OPT_SORT_KEYS)


def _unknown(error: UnknownSpellingError) -> Refused:
    return Refused("", str(error), unknown=(error.kind, error.spelling))


def _missing(pointers: list[str]) -> Refused:
    return Refused("", f"nobody stated {', '.join(pointers)}", missing=tuple(pointers))


def _invalid(error: ValidationError, prefix: str) -> Refused:
    """What is missing when that is all that is wrong, else the first rule that is broken."""
    found = problems(error)
    wrong = [item for item in found if item["rule"] != "missing"]
    if not wrong:
        return _missing([f"{prefix}{item['pointer']}" for item in found])
    return Refused("", f"{prefix}{wrong[0]['pointer']}: {wrong[0]['message']}")
