"""The words pages use for codes that the database and the documents hold."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from results.analysis.axis_names import metric_of
from results.metrics import STAT_LABELS, Direction

Words = Mapping[str, Promise]

STATES: Words = {
    "queued": gettext_lazy("queued"),
    "claimed": gettext_lazy("claimed"),
    "running": gettext_lazy("running"),
    "uploading": gettext_lazy("uploading"),
    "succeeded": gettext_lazy("succeeded"),
    "failed": gettext_lazy("failed"),
    "cancelled": gettext_lazy("cancelled"),
}
PHASES: Words = {
    "prepare": gettext_lazy("prepare"),
    "traces": gettext_lazy("load traces"),
    "engine": gettext_lazy("start engine"),
    "healthy": gettext_lazy("wait until healthy"),
    "router": gettext_lazy("start router"),
    "warmup": gettext_lazy("warm up"),
    "profile": gettext_lazy("profile"),
    "teardown": gettext_lazy("tear down"),
    "aggregate": gettext_lazy("aggregate"),
}
VALIDITIES: Words = {
    "auto": gettext_lazy("valid, else diagnostic"),
    "valid": gettext_lazy("valid"),
    "diagnostic": gettext_lazy("diagnostic"),
    "invalid": gettext_lazy("invalid"),
    "failed": gettext_lazy("failed"),
    "all": gettext_lazy("all of them"),
}
REASONS: Words = {
    "no_successful_request": gettext_lazy("no request succeeded"),
    "error_rate_exceeded": gettext_lazy("too many requests failed"),
    "context_overflow_rate_exceeded": gettext_lazy("too many requests exceeded the context"),
    "insufficient_profile_metric_coverage": gettext_lazy("too few requests have all metrics"),
    "truncated": gettext_lazy("ended before 90 % of its window"),
    "run_cancelled": gettext_lazy("the run was cancelled"),
    "client_incomplete": gettext_lazy("the load generator did not finish"),
    "client_rejected": gettext_lazy("the load generator rejects it"),
    "window_below_minimum": gettext_lazy("window under 900 s"),
    "unsafe_override": gettext_lazy("benchmark rules overridden"),
    "withdrawn": gettext_lazy("run withdrawn"),
}
OUTCOMES: Words = {
    "ok": gettext_lazy("answered"),
    "failed": gettext_lazy("failed"),
    "cancelled": gettext_lazy("cut off"),
    "overflow": gettext_lazy("context too long"),
    "warmup": gettext_lazy("warm-up"),
}
FAILURES: Words = {
    "bad_document": gettext_lazy("The run document was refused."),
    "environment": gettext_lazy("The isolated environment could not be made on the host."),
    "model": gettext_lazy("The model is missing or broken."),
    "traces": gettext_lazy("A trace file is missing or broken."),
    "port_in_use": gettext_lazy("The engine's port was taken."),
    "server_start": gettext_lazy("The engine died or stalled before it was healthy."),
    "warmup": gettext_lazy("The load generator failed before profiling."),
    "client": gettext_lazy("The load generator failed."),
    "engine_died": gettext_lazy("The engine died under load."),
    "disk_full": gettext_lazy("The host's disk is full."),
    "result_missing": gettext_lazy("The load generator ended well but left no records."),
    "timeout": gettext_lazy("The hard time limit passed."),
    "worker_lost": gettext_lazy("The worker or its host vanished."),
    "ingest": gettext_lazy("The result files could not be read."),
    "cancelled": gettext_lazy("Somebody asked to cancel."),
}
LAYERS: Words = {
    "router-orchestration": gettext_lazy("Router and orchestration"),
    "inference-engine": gettext_lazy("Inference engine and scheduler"),
    "kernels": gettext_lazy("Kernels"),
    "kv-cache": gettext_lazy("KV cache manager"),
    "transfer-engine": gettext_lazy("Transfer engine"),
}
PULL_STATUSES: Words = {
    "merged": gettext_lazy("merged"),
    "merged-elsewhere": gettext_lazy("merged to a side branch"),
    "open": gettext_lazy("proposed"),
    "closed": gettext_lazy("closed, not merged"),
    "unknown": gettext_lazy("not verified"),
}
PULL_KINDS: Words = {
    "performance": gettext_lazy("performance"),
    "correctness": gettext_lazy("correctness"),
    "day-zero": gettext_lazy("day zero"),
    "portability": gettext_lazy("portability"),
}
GRADES: Words = {
    "names AgentX": gettext_lazy("names AgentX"),
    "matches seed topic": gettext_lazy("listed by topic"),
    "weak": gettext_lazy("weakly related"),
    "none": gettext_lazy("not related"),
}
#: Where AgentX itself names a pull request.
LISTS: Words = {
    "page": gettext_lazy("listed on its page"),
    "newsletter": gettext_lazy("listed in its newsletter"),
    "page+newsletter": gettext_lazy("listed on its page and in its newsletter"),
}
HANDLES: Words = {"api": gettext_lazy("API"), "command": gettext_lazy("command line")}
#: How a status was established; a sync with GitHub names itself.
PULL_SOURCES: Words = {
    "GitHub thread as of the date": gettext_lazy("GitHub thread as of the date"),
    "merge commit on the default branch as of 2026-08-22": gettext_lazy(
        "merge commit on the default branch as of 2026-08-22"
    ),
    "merge commit on a feature branch": gettext_lazy("merge commit on a feature branch"),
    "not verified": gettext_lazy("not verified"),
    "cited as already added by vllm#49048 and vllm issue 43763": gettext_lazy(
        "cited as already added by vllm#49048 and vllm issue 43763"
    ),
    "inferred: InferenceX#1843 dropped its patch, the pinned vLLM has the support": gettext_lazy(
        "inferred: InferenceX#1843 dropped its patch, the pinned vLLM has the support"
    ),
}
#: Counters are shown as rates, the rest as they are.
TELEMETRY: Words = {
    "generated_tokens": gettext_lazy("Generated tokens (tok/s)"),
    "prompt_tokens": gettext_lazy("Prompt tokens computed (tok/s)"),
    "cached_tokens": gettext_lazy("Prompt tokens from cache (tok/s)"),
    "running": gettext_lazy("Running requests"),
    "waiting": gettext_lazy("Waiting requests"),
    "kv_usage": gettext_lazy("KV cache usage"),
}
FACETS: Words = {
    "hardware": gettext_lazy("Hardware"),
    "vendor": gettext_lazy("Vendor"),
    "engine": gettext_lazy("Engine"),
    "precision": gettext_lazy("Precision"),
    "deployment": gettext_lazy("Deployment"),
    "speculative": gettext_lazy("Speculative decoding"),
    "gpus": gettext_lazy("Devices"),
    "accuracy": gettext_lazy("Accuracy gate"),
    "label": gettext_lazy("Recipe label"),
    "offload": gettext_lazy("KV offload"),
    "host": gettext_lazy("Host"),
    "block": gettext_lazy("Block"),
}
DEPLOYMENTS: Words = {
    "single": gettext_lazy("one node"),
    "multi": gettext_lazy("several nodes"),
    "disaggregated": gettext_lazy("prefill and decode apart"),
}
ACCURACIES: Words = {
    "pass": gettext_lazy("passed"),
    "fail": gettext_lazy("failed"),
    "unknown": gettext_lazy("not measured"),
}
TIERS: Words = {
    "hyperscaler": gettext_lazy("owned at large volume"),
    "neocloud": gettext_lazy("owned by a smaller cloud"),
    "rental": gettext_lazy("rented for three years"),
}
GROUPINGS: Words = {
    "auto": gettext_lazy("automatic"),
    "recipe": gettext_lazy("recipe"),
    "all": gettext_lazy("everything"),
    "parallel": gettext_lazy("parallelism"),
    "build": gettext_lazy("engine build"),
    "run": gettext_lazy("run"),
}
SHOWN: Words = {
    "auto": gettext_lazy("automatic"),
    "all": gettext_lazy("all points"),
    "best": gettext_lazy("best per hardware"),
    "frontier": gettext_lazy("frontier only"),
}
LABELS: Words = {
    "auto": gettext_lazy("automatic"),
    "load": gettext_lazy("load"),
    "parallel": gettext_lazy("parallelism"),
    "none": gettext_lazy("none"),
}
LEFT_OUT: Words = {
    "hardware": gettext_lazy("other hardware"),
    "vendor": gettext_lazy("other vendor"),
    "deployment": gettext_lazy("other deployment"),
    "speculative": gettext_lazy("other speculative decoding"),
    "gpus": gettext_lazy("other number of devices"),
    "accuracy": gettext_lazy("other accuracy"),
    "older_build": gettext_lazy("measured again on a newer engine build"),
    "no_price": gettext_lazy("without a price or power"),
    "engine": gettext_lazy("other engine"),
    "precision": gettext_lazy("other precision"),
    "label": gettext_lazy("other recipe label"),
    "offload": gettext_lazy("other KV offload"),
    "host": gettext_lazy("other host"),
    "block": gettext_lazy("other block"),
    "recipe": gettext_lazy("other recipe"),
    "valid": gettext_lazy("valid"),
    "diagnostic": gettext_lazy("diagnostic"),
    "invalid": gettext_lazy("invalid"),
    "failed": gettext_lazy("failed"),
    "x_missing": gettext_lazy("without the x metric"),
    "y_missing": gettext_lazy("without the y metric"),
    "log": gettext_lazy("zero on a logarithmic axis"),
    "legend": gettext_lazy("switched off in the legend"),
    "dominated": gettext_lazy("not on a frontier"),
    "limit": gettext_lazy("beyond the limit of one chart"),
}


def word(words: Words, code: str) -> str:
    """The word for a code; a code we have no word for speaks for itself."""
    return str(words[code]) if code in words else code


def metric_label(key: str) -> str:
    metric = metric_of(key)
    name = _(metric.name)
    return name if metric.stat is None else with_statistic(name, _(STAT_LABELS[metric.stat]))


def with_statistic(name: str, statistic: str) -> str:
    """A bracket of Chinese text brings its own space."""
    return f"{name}{statistic}" if name.endswith("）") else f"{name} {statistic}"


def shown_unit(key: str) -> str:
    """What stands beside a number on a page: shares of one read in per cent, counts without a unit."""
    unit = metric_of(key).unit
    if unit != "1":
        return unit
    return "" if key == "preemptions" else "%"


def better(direction: Direction) -> str:
    if direction is Direction.HIGHER:
        return _("higher is better")
    return _("lower is better") if direction is Direction.LOWER else ""
