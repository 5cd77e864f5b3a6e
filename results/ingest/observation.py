"""One measured point as it is stored: its run, its digest, its line for COPY."""

import hashlib
import math
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import orjson

from results.documents.export import EXECUTED
from results.ingest.normalize import Normalizer, ReadyRecipe, RefusedError, Scenario
from results.ingest.reports import Refused
from results.ingest.rows import Exported, Result
from results.metrics import METRICS

#: Namespace of the ids of imported runs; changing it would make every run another one.
RUNS = uuid.UUID("6f0b8a52-3f0e-5d0c-9a86-6d1f1c1f5a1e")
_LONGEST_NAME = 256
#: Runs that are kept ready; rows of one run stand together in most files.
_REMEMBERED = 8192
_LARGEST_LOAD = 2**31 - 1
_ESCAPED = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


@dataclass(frozen=True, slots=True)
class ImportedRun:
    """The run that a row belongs to; ``id`` is 32 hexadecimal digits."""

    id: str
    recipe: ReadyRecipe
    scenario: Scenario
    label: str
    block: int | None
    source_run: str
    published_run: str
    exported: bool


@dataclass(frozen=True, slots=True)
class Observation:
    """``about`` are the columns ``ABOUT`` as text of COPY, ``values`` the measured numbers by metric."""

    pointer: str
    run: ImportedRun
    load: int
    digest: str
    about: str
    values: Mapping[str, float]


class Observer:
    """Makes observations of the results of one file; runs that were seen are kept ready."""

    def __init__(self, normalizer: Normalizer, parser_version: str) -> None:
        self.normalizer = normalizer
        self._parser_version = parser_version
        self._runs: dict[tuple[Any, ...], ImportedRun] = {}

    def observe(self, result: Result) -> Observation:
        """What a row says, ready to store; RefusedError says why it is not."""
        measured = measured_at(result, self.normalizer)
        run = self._run(result, measured)
        values, extra = _numbers(result, run.recipe)
        load = self.normalizer.stated("load", result.load)
        if load is None:
            raise RefusedError(Refused("", "nobody stated /load", missing=("/load",)))
        if not isinstance(load, int) or not 1 <= load <= _LARGEST_LOAD:
            raise RefusedError(Refused("", f"/load: {load} is no number of concurrent sessions"))
        validity = result.verdict.validity.value
        reasons = [reason.value for reason in result.verdict.reasons]
        digest = point_digest(values, validity, reasons)
        exported = result.exported
        version = self._parser_version if exported is None else exported.parser_version
        about = "\t".join((*_about(result, measured), _text(version), _text(_json(extra))))
        return Observation(result.pointer, run, load, digest, about, values)

    def _documents(self, result: Result) -> tuple[ReadyRecipe, Scenario]:
        ready = self.normalizer.recipe if result.exported is None else self.normalizer.exported_recipe
        try:
            recipe = ready(result.recipe)
        except RefusedError as error:
            try:
                self.normalizer.scenario(result.scenario)
            except RefusedError as other:
                raise RefusedError(_with_scenario(error.row, other.row)) from None
            raise
        return recipe, self.normalizer.scenario(result.scenario)

    def _run(self, result: Result, measured: datetime | None) -> ImportedRun:
        exported = result.exported
        recipe, scenario = self._documents(result)
        source = self.normalizer.stated("source_run", result.source_run) or ""
        published = result.published_run or ""
        day = measured.astimezone(UTC).date() if measured is not None and not source else None
        key = (recipe.fingerprint, scenario, source, published, day, exported)
        found = self._runs.get(key)
        if found is None:
            if len(self._runs) >= _REMEMBERED:
                self._runs.clear()
            identity = source or ("" if day is None else day.isoformat())
            found = self._runs[key] = ImportedRun(
                id=_run_id(recipe, scenario, identity) if exported is None else _given_id(exported),
                recipe=recipe,
                scenario=scenario,
                label=_label(recipe) if exported is None else _name("label", exported.label)[:64],
                block=None if exported is None else exported.block,
                source_run=_name("source_run", source),
                published_run=_name("published_run", published),
                exported=exported is not None,
            )
        return found


def _with_scenario(row: Refused, scenario: Refused) -> Refused:
    """One list of what is missing, so that it can be stated at once."""
    if not (row.missing and scenario.missing):
        return row
    missing = (*row.missing, *scenario.missing)
    return Refused("", f"nobody stated {', '.join(missing)}", missing=missing)


def _about(result: Result, measured: datetime | None) -> list[str]:
    verdict, window = result.verdict, result.planned_window_seconds
    return [
        verdict.validity.value,
        f"{{{','.join(reason.value for reason in verdict.reasons)}}}",
        _text(verdict.rules_version),
        _moment(measured),
        _moment(result.started_at),
        _moment(result.ended_at),
        "\\N" if window is None else repr(float(window)),
    ]


#: What is stored of a point beside run, load, digest and numbers, in the order of ``Observation.about``.
ABOUT = (
    "validity", "reasons", "rules_version", "measured_at", "started_at", "ended_at",
    "planned_window_seconds", "parser_version", "extra",
)  # fmt: skip


def measured_cells(values: Mapping[str, float], metrics: Sequence[str]) -> str:
    """The columns of these metrics as text of COPY."""
    # No number and no null holds a comma.
    text = orjson.dumps(list(map(values.get, metrics)))[1:-1]
    return text.replace(b"null", b"\\N").replace(b",", b"\t").decode("ascii")


def point_digest(values: Mapping[str, float], validity: str, reasons: list[str]) -> str:
    """sha256 of the measured values and the verdict: equal ones are the same observation."""
    content = orjson.dumps([values, validity, reasons], option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(content).hexdigest()


def measured_at(result: Result, normalizer: Normalizer) -> datetime | None:
    """When the point was measured, by its file or by the sender."""
    sent = normalizer.identity.get("measured_at")
    if result.measured_at is not None or sent is None:
        return result.measured_at
    moment = datetime.fromisoformat(sent) if isinstance(sent, str) else sent
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _label(recipe: ReadyRecipe) -> str:
    """What people call an imported recipe: ``vllm-b200x8``."""
    roles = recipe.document.roles
    role = roles["decode" if recipe.document.disaggregated else "serve"]
    return f"{recipe.document.engine.name}-{role.hardware}x{recipe.document.total_gpus}"[:64]


def _run_id(recipe: ReadyRecipe, scenario: Scenario, key: str) -> str:
    name = orjson.dumps(
        [recipe.fingerprint, scenario.model_dump(mode="json"), key], option=orjson.OPT_SORT_KEYS
    )
    return uuid.uuid5(RUNS, name.decode("utf-8")).hex


def _given_id(exported: Exported) -> str:
    try:
        return uuid.UUID(exported.run).hex
    except ValueError:
        raise RefusedError(Refused("", f"/run: {exported.run!r} is no UUID")) from None


def _name(field: str, value: Any) -> str:
    text = "" if value is None else str(value).strip()
    if len(text) > _LONGEST_NAME or not text.isprintable():
        raise RefusedError(Refused("", f"/{field}: must be at most {_LONGEST_NAME} printable characters"))
    return text


def _numbers(result: Result, recipe: ReadyRecipe) -> tuple[dict[str, float], dict[str, Any]]:
    """Registered values with the per-GPU ones that follow from totals, and everything else."""
    extra = dict(result.extra)
    values = {key: float(value) for key, value in result.values.items() if key in METRICS}
    if len(values) < len(result.values):
        extra |= {key: value for key, value in result.values.items() if key not in METRICS}
    if values and not (min(values.values()) >= 0 and math.isfinite(sum(values.values()))):
        _refuse_unmeasured(values)
    if result.exported is None:
        gpus = recipe.document.total_gpus
        for total, share in _SHARES.items():
            if total in values and share not in values:
                values[share] = values[total] / gpus
    if result.flags:
        extra["flags"] = sorted(set(result.flags))
    if result.notes:
        extra["notes"] = list(result.notes)
    exported = result.exported
    if exported is not None and exported.attempt is not None:
        extra[EXECUTED] = {"attempt": exported.attempt, "host": exported.host}
    return values, extra


def _refuse_unmeasured(values: Mapping[str, float]) -> None:
    for key, value in values.items():
        # False for NaN too.
        if not 0 <= value < math.inf:
            raise RefusedError(Refused("", f"{key}: {value} is no measured value"))


#: Deployment totals and their share of one accelerator.
_SHARES = {
    "input_throughput": "input_throughput_per_gpu",
    "output_throughput": "output_throughput_per_gpu",
    "total_throughput": "total_throughput_per_gpu",
    "total_power_mean": "gpu_power_mean",
}


def _json(extra: Mapping[str, Any]) -> str:
    if not extra:
        return "{}"
    try:
        text = orjson.dumps(extra, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_SORT_KEYS).decode("utf-8")
    except orjson.JSONEncodeError as error:
        raise RefusedError(Refused("", f"not storable: {error}")) from None
    # PostgreSQL stores no NUL in text.
    return text.replace("\\u0000", "\\ufffd")


def _text(value: str) -> str:
    return value.translate(_ESCAPED)


def _moment(value: datetime | None) -> str:
    return "\\N" if value is None else value.isoformat()
