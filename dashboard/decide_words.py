"""The words of the pages that compare, look back and decide."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dashboard.figures.numbers import with_unit
from dashboard.words import Words, with_statistic, word
from results.metrics import STAT_LABELS, find_metric

MISSES: Words = {
    "not_comparable": gettext_lazy("not valid, or failed its accuracy gate"),
    "throughput_missing": gettext_lazy("no throughput measured"),
    "speed_missing": gettext_lazy("speed not measured at this percentile"),
    "speed_too_low": gettext_lazy("too slow per user"),
    "ttft_missing": gettext_lazy("time to first token not measured at this percentile"),
    "ttft_too_long": gettext_lazy("first token too late"),
    "price_unknown": gettext_lazy("no price known"),
    "over_budget": gettext_lazy("over budget"),
    "power_unknown": gettext_lazy("no power known"),
    "over_power": gettext_lazy("over the power cap"),
}
TIERS: Words = {
    "hyperscaler": gettext_lazy("owned, large volume"),
    "neocloud": gettext_lazy("owned, smaller cloud"),
    "rental": gettext_lazy("rented, three years"),
}
KINDS: Words = {
    "total": gettext_lazy("all tokens"),
    "output": gettext_lazy("output tokens"),
    "input": gettext_lazy("input tokens"),
}


def label(key: str) -> str:
    """Name of a stored or derived metric with its statistic."""
    metric = find_metric(key)
    name = _(metric.name)
    return name if metric.stat is None else with_statistic(name, _(STAT_LABELS[metric.stat]))


def label_with_unit(key: str) -> str:
    return with_unit(label(key), find_metric(key).unit)


#: What a guard compares, whatever its outcome.
CONDITIONS: Words = {
    "model_differs": gettext_lazy("Model and revision"),
    "engine_differs": gettext_lazy("Engine and version"),
    "precision_differs": gettext_lazy("Precision of weights and KV"),
    "dataset_differs": gettext_lazy("Data set and version"),
    "lengths_differ": gettext_lazy("Input and output lengths"),
    "seed_differs": gettext_lazy("Request seed"),
    "hardware_differs": gettext_lazy("Hardware"),
    "gpu_count_differs": gettext_lazy("Number of devices"),
    "parallelism_differs": gettext_lazy("Parallelism"),
    "arguments_differ": gettext_lazy("Engine arguments"),
    "client_differs": gettext_lazy("Load generator and version"),
    "success_rate": gettext_lazy("Success rate, at least 99 % and within 0.5 points"),
    "output_tokens": gettext_lazy("Output tokens per request, within 1 %"),
    "accuracy": gettext_lazy("Accuracy gate"),
    "driver_differs": gettext_lazy("Driver"),
    "clock_differs": gettext_lazy("Clocks, within 3 %"),
    "throttled": gettext_lazy("No device throttled"),
    "temperature_differs": gettext_lazy("Temperatures, within 10 degrees"),
    "prefix_hits": gettext_lazy("Prefix hit rates, within 1 point"),
    "acceptance": gettext_lazy("Acceptance of drafted tokens, within 1 point"),
    "not_interleaved": gettext_lazy("Interleaved in time"),
    "order_unbalanced": gettext_lazy("Order of sides balanced"),
    "few_blocks": gettext_lazy("At least 5 blocks"),
    "modes_differ": gettext_lazy("Same number of modes"),
    "far_apart": gettext_lazy("Measured within 14 days"),
    "tail_undersampled": gettext_lazy("3,000 requests for a P99"),
}
OUTCOMES: Words = {
    "passed": gettext_lazy("alike"),
    "failed": gettext_lazy("differs"),
    "unknown": gettext_lazy("unknown"),
}
COMPARED: Words = {
    "better": gettext_lazy("better"),
    "worse": gettext_lazy("worse"),
    "equal": gettext_lazy("equal"),
    "different": gettext_lazy("different"),
}
REASONS: Words = {
    "baseline_missing": gettext_lazy("the first side has none"),
    "candidate_missing": gettext_lazy("not measured"),
    "baseline_zero": gettext_lazy("the first side is 0: no ratio"),
    "below_measured_range": gettext_lazy("below what was measured"),
    "above_measured_range": gettext_lazy("above what was measured"),
}
SIDES: Words = {
    "run": gettext_lazy("run"),
    "recipe": gettext_lazy("recipe"),
    "hardware": gettext_lazy("hardware"),
    "engine": gettext_lazy("engine"),
}
QUANTITIES: Words = {
    "ttft": gettext_lazy("Time to first token"),
    "itl": gettext_lazy("Inter-token latency"),
    "e2e_latency": gettext_lazy("End-to-end latency"),
}
COURSES: Words = {
    "kv_usage": gettext_lazy("KV cache usage"),
    "running": gettext_lazy("Running"),
    "waiting": gettext_lazy("Waiting"),
    "hit_rate": gettext_lazy("Hit rate"),
    "power": gettext_lazy("GPU power"),
}
RATES: Words = {
    "device": gettext_lazy("device memory"),
    "other": gettext_lazy("host or external"),
    "overall": gettext_lazy("all tiers"),
    "theoretical": gettext_lazy("cache without limit"),
    "missed": gettext_lazy("computed again although hit in theory"),
}
OFFLOADS: Words = {
    "none": gettext_lazy("offload off"),
    "dram": gettext_lazy("offload to host memory"),
}
CLIFF_AXES: Words = {
    "ttft": gettext_lazy("time to first token P50 (s)"),
    "throughput": gettext_lazy("output throughput (tok/s)"),
    "memory": gettext_lazy("working set of the sessions (GiB)"),
}
BASES: Words = {
    "load": gettext_lazy("at a fixed load"),
    "equal_x": gettext_lazy("at equal x on the frontier"),
}
LEFT_OUT: Words = {
    "load_not_measured": gettext_lazy("did not measure this load"),
    "metric_missing": gettext_lazy("without this metric"),
    "x_not_reached": gettext_lazy("whose frontier does not reach this x"),
    "no_date": gettext_lazy("without a date"),
    "other_scenario": gettext_lazy("of another version of the scenario"),
    "accuracy_failed": gettext_lazy("of recipes that failed their accuracy gate"),
}
CHANGE_STATES: Words = {
    "seen": gettext_lazy("seen now, not stored"),
    "proposed": gettext_lazy("proposed"),
    "accepted": gettext_lazy("accepted"),
    "rejected": gettext_lazy("rejected"),
    "moved": gettext_lazy("moved"),
}
DETECTORS: Words = {
    "energy": gettext_lazy("segmentation"),
    "robust_z": gettext_lazy("robust score"),
}


def offload_word(code: str) -> str:
    """``dram/vllm-native``: what is done, and by which backend."""
    mode, _slash, backend = code.partition("/")
    return f"{word(OFFLOADS, mode)} · {backend}" if backend else word(OFFLOADS, mode)
