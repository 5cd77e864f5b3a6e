"""What AIPerf was told to do (``input_config``): model, workload, load and window, where it says so. Pure.

Until schema 1.2 the configuration mirrors the command line (``loadgen``, ``endpoint.model_names``); later
it lists ``models``, ``datasets`` and ``phases``. Paths in it name places on one machine, so nothing is
taken from them. A value of an unexpected type says nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from results.ingest.formats.aiperf_client import submission

AGENTX = "agentx"


@dataclass(slots=True)
class Setup:
    """``window`` in seconds; None for what is not stated."""

    recipe: dict[str, Any] = field(default_factory=dict)
    scenario: dict[str, Any] = field(default_factory=dict)
    load: int | None = None
    window: float | None = None
    agentx: bool = False
    unsafe_override: bool = False


def read_setup(document: Mapping[str, Any]) -> Setup:
    config = _mapping(document, "input_config")
    loadgen, phase = _mapping(config, "loadgen"), _profiling(config)
    name = str(submission(document).get("scenario") or config.get("scenario") or "")
    agentx = AGENTX in name or phase.get("timing_mode") == "agentic_replay"
    model = _model(config)
    return Setup(
        recipe={} if model is None else {"model": {"name": model}},
        scenario=_agentic(document, config) if agentx else _fixed(config),
        load=_positive(loadgen.get("concurrency")) or _positive(phase.get("concurrency")),
        window=_seconds(loadgen.get("benchmark_duration")) or _seconds(phase.get("duration")),
        agentx=agentx,
        unsafe_override=config.get("unsafe_override") is True or loadgen.get("unsafe_override") is True,
    )


def _mapping(parent: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = parent.get(name)
    return value if isinstance(value, dict) else {}


def _first(parent: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = parent.get(name)
    items = value if isinstance(value, list) else []
    return items[0] if len(items) == 1 and isinstance(items[0], dict) else {}


def _profiling(config: Mapping[str, Any]) -> Mapping[str, Any]:
    phases = config.get("phases")
    profiling = [
        phase
        for phase in (phases if isinstance(phases, list) else [])
        if isinstance(phase, dict) and phase.get("kind", phase.get("name")) == "profiling"
    ]
    # Several phases of several loads are no single point.
    return profiling[0] if len(profiling) == 1 else {}


def _model(config: Mapping[str, Any]) -> str | None:
    names = _mapping(config, "endpoint").get("model_names")
    name = names[0] if isinstance(names, list) and len(names) == 1 else None
    name = name or _first(_mapping(config, "models"), "items").get("name")
    return name if isinstance(name, str) and name.strip() else None


def _agentic(document: Mapping[str, Any], config: Mapping[str, Any]) -> dict[str, Any]:
    dataset = submission(document).get("dataset")
    loader = dataset.get("loader") if isinstance(dataset, dict) else None
    loader = loader or _mapping(config, "input").get("public_dataset")
    known = isinstance(loader, str) and bool(loader.strip())
    return {"kind": "agentic", **({"corpus": loader} if known else {})}


def _fixed(config: Mapping[str, Any]) -> dict[str, Any]:
    """Lengths of synthetic prompts where both are one number."""
    prompt = _mapping(_mapping(config, "input"), "prompt")
    prompts = _mapping(_first(config, "datasets"), "prompts")
    isl = _length(prompt.get("input_tokens")) or _length(prompts.get("isl"))
    osl = _length(prompt.get("output_tokens")) or _length(prompts.get("osl"))
    return {"kind": "fixed", "isl": isl, "osl": osl} if isl and osl else {}


def _length(value: Any) -> int | None:
    if isinstance(value, dict):
        value = None if value.get("stddev") else value.get("mean")
    return _positive(value)


def _positive(value: Any) -> int | None:
    number = _seconds(value)
    return int(number) if number is not None and number == int(number) else None


def _seconds(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 2**53:
        return None
    return float(value)
