"""One evaluated configuration: ``meta_env.json`` says what was served, lm-eval's results hold the scores.

The names of the results pair them only: ``_conc64`` is the load among those that the configuration lists,
the time decides which of two files for one load is the newer one. Pure.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from results.ingest.fields import Fields
from results.ingest.formats.inferencex_identity import AGGREGATE
from results.ingest.formats.inferencex_points import read_scenario
from results.ingest.formats.inferencex_scores import LONGEST_NAME, file_time, fraction, read_config
from results.ingest.json_stream import outline
from results.ingest.reading import json_document
from results.ingest.rows import Evaluation, FormatError, Rejected, Remark, Row, Source

NAME = "inferencex-lm-eval"
PARSER_VERSION = "inferencex-lm-eval/1"

CONFIGURATION = "meta_env.json"
_CONFIGURATION = frozenset({"framework", "precision", "tp", "conc", "hw", "model", "is_multinode"})
_RESULTS = frozenset({"results", "lm_eval_version"})
_LOAD = re.compile(r"_conc(\d{1,6})\b")
#: lm-eval's filter by the name that InferenceX gives to its score.
_METRICS: Mapping[str, str] = {
    "exact_match,strict-match": "em_strict",
    "exact_match,flexible-extract": "em_flexible",
    "exact_match,resolved": "accuracy",
}


def detect(source: Source) -> str | None:
    """``configuration``, or ``results`` beside one; results alone are lm-eval's own format."""
    found = outline(source)
    if found.kind != "object":
        return None
    if found.keys >= _RESULTS and CONFIGURATION in source.siblings:
        return "results"
    mine = found.keys >= _CONFIGURATION and not found.keys & {"tput_per_gpu", "request_metrics", "task"}
    return "configuration" if mine else None


def read(source: Source) -> Iterator[Row]:
    document = Fields.of(json_document(source))
    if not document.values.keys() >= _RESULTS:
        yield from _read_configured(source, document)
    else:
        yield Remark("", f"read together with {CONFIGURATION} of the same folder")


def _read_configured(source: Source, configuration: Fields) -> Iterator[Row]:
    newest = _newest(source.siblings)
    if not newest:
        yield Remark("", "the configuration of an evaluation; no results of lm-eval stand beside it")
    for load, (name, location) in sorted(newest.items(), key=lambda item: (item[0] or 0, item[1][0])):
        completed = configuration.items("completed_eval_concs")
        if load is not None and completed and load not in completed:
            yield Rejected(name, f"the configuration does not list load {load} as completed")
            continue
        try:
            results = Fields.of(json_document(Source(name, location)))
            yield from _scores(results, configuration, load or configuration.positive("conc"), name)
        except FormatError as error:
            yield Rejected(f"{name}{error.pointer}", error.reason)


def _newest(siblings: Mapping[str, Path]) -> dict[int | None, tuple[str, Path]]:
    """The newest results file by load; None for the one that names no load."""
    found: dict[int | None, tuple[str, Path]] = {}
    # The time in the names sorts like time.
    for name in sorted(siblings, key=lambda name: (str(file_time(name) or ""), name)):
        if name.startswith("results") and name.endswith(".json"):
            found[_load(name)] = (name, siblings[name])
    return found


def _load(name: str) -> int | None:
    found = _LOAD.search(Path(name).name)
    return int(found[1]) or None if found else None


def _scores(results: Fields, configuration: Fields, load: int | None, name: str) -> Iterator[Row]:
    recipe = read_config(configuration, AGGREGATE)
    lengths = read_scenario(configuration)
    count = 0
    for task in results.inner("results").values:
        scores = results.inner("results").inner(task)
        if len(task) > LONGEST_NAME:
            raise FormatError(scores.place, f"must be a name of at most {LONGEST_NAME} characters")
        for field, metric in _METRICS.items():
            if scores.number(field) is None:
                continue
            count += 1
            yield Evaluation(
                pointer=scores.pointer(field),
                recipe=recipe,
                scenario=lengths if len(lengths) > 1 else {},
                load=load,
                task=task,
                metric=metric,
                score=fraction(scores, field),
                score_se=_error(scores, field),
                samples=results.inner("n-samples").inner(task).count("effective"),
                measured_at=file_time(name),
            )
    if not count:
        yield Rejected(f"{name}/results", "no exact match score")


def _error(scores: Fields, field: str) -> float | None:
    name, _, filter_ = field.partition(",")
    value: Any = scores.values.get(f"{name}_stderr,{filter_}")
    # lm-eval writes "N/A" where it has no standard error.
    return None if isinstance(value, str) else scores.amount(f"{name}_stderr,{filter_}")
