"""The words of a comparison: what can be concluded, on what basis, and why not."""

from enum import StrEnum

from results.metrics import gettext_noop


class Verdict(StrEnum):
    """What a comparison says about one metric. Only the first four are statements about the candidate."""

    STRONG_GAIN = "strong_gain"
    GAIN = "gain"
    REGRESSION = "regression"
    EQUIVALENT = "equivalent"
    INDICATIVE_GAIN = "indicative_gain"
    INDICATIVE_REGRESSION = "indicative_regression"
    INCONCLUSIVE = "inconclusive"
    UNSTABLE = "unstable"
    DEGENERATE = "degenerate"
    INSUFFICIENT = "insufficient"
    NOT_COMPUTABLE = "not_computable"
    NOT_COMPARABLE = "not_comparable"
    NO_BASELINE = "no_baseline"
    WITHDRAWN = "withdrawn"


class Basis(StrEnum):
    """What is held equal between the sides. Gains on different bases are different quantities."""

    FIXED_LOAD = "fixed_load"
    ACROSS_LOADS = "across_loads"
    FRONTIER = "frontier"


class Method(StrEnum):
    PAIRED_T = "paired_t"
    WELCH_T = "welch_t"


class Family(StrEnum):
    """Primary: declared before the first run, Holm. Exploratory: everything else, Benjamini-Hochberg."""

    PRIMARY = "primary"
    EXPLORATORY = "exploratory"


class Reason(StrEnum):
    """Why a verdict is not stronger, or what a reader has to know beside it."""

    # The number does not exist.
    BASELINE_MISSING = "baseline_missing"
    CANDIDATE_MISSING = "candidate_missing"
    BASELINE_ZERO = "baseline_zero"
    NOT_POSITIVE = "not_positive"
    NOT_FINITE = "not_finite"
    LOADS_DIFFER = "loads_differ"
    NO_COMMON_RANGE = "no_common_range"
    # The sample does not carry a verdict.
    TOO_FEW_LAUNCHES = "too_few_launches"
    REPEATED_LAUNCH = "repeated_launch"
    BLOCKS_INCOMPLETE = "blocks_incomplete"
    NO_VARIATION = "no_variation"
    RUN_WITHDRAWN = "run_withdrawn"
    # The effect does not carry one.
    BELOW_FLOOR = "below_floor"
    FAMILY = "not_significant_in_family"
    RANKS_DISAGREE = "ranks_disagree"
    # The design allows no more than an indication.
    UNPAIRED = "unpaired"
    NOT_INTERLEAVED = "not_interleaved"
    PLAN_UNFINISHED = "plan_unfinished"
    LOADS_UNFINISHED = "loads_unfinished"
    MORE_BLOCKS_THAN_PLANNED = "more_blocks_than_planned"
    FALSE_POSITIVES = "false_positives_of_host"
    # Said beside the verdict.
    FLOOR_UNKNOWN = "floor_unknown"
    EXPLORATORY = "exploratory"
    NOT_A_PR_GAIN = "not_a_pr_gain"
    # Guards that block a verdict.
    MODEL_DIFFERS = "model_differs"
    ENGINE_DIFFERS = "engine_differs"
    PRECISION_DIFFERS = "precision_differs"
    DATASET_DIFFERS = "dataset_differs"
    LENGTHS_DIFFER = "lengths_differ"
    SEED_DIFFERS = "seed_differs"
    HARDWARE_DIFFERS = "hardware_differs"
    GPU_COUNT_DIFFERS = "gpu_count_differs"
    PARALLELISM_DIFFERS = "parallelism_differs"
    ARGUMENTS_DIFFER = "arguments_differ"
    CLIENT_DIFFERS = "client_differs"
    SUCCESS_RATE = "success_rate"
    OUTPUT_TOKENS = "output_tokens"
    ACCURACY = "accuracy"
    # Guards that warn.
    DRIVER_DIFFERS = "driver_differs"
    CLOCK_DIFFERS = "clock_differs"
    THROTTLED = "throttled"
    TEMPERATURE_DIFFERS = "temperature_differs"
    PREFIX_HITS = "prefix_hits"
    ACCEPTANCE = "acceptance"
    ORDER_UNBALANCED = "order_unbalanced"
    FEW_BLOCKS = "few_blocks"
    MODES_DIFFER = "modes_differ"
    FAR_APART = "far_apart"
    TAIL_UNDERSAMPLED = "tail_undersampled"


#: A verdict in one or two words.
VERDICT_TEXTS: dict[Verdict, str] = {
    Verdict.STRONG_GAIN: gettext_noop("strong gain"),
    Verdict.GAIN: gettext_noop("gain"),
    Verdict.REGRESSION: gettext_noop("regression"),
    Verdict.EQUIVALENT: gettext_noop("equivalent"),
    Verdict.INDICATIVE_GAIN: gettext_noop("indicative gain"),
    Verdict.INDICATIVE_REGRESSION: gettext_noop("indicative regression"),
    Verdict.INCONCLUSIVE: gettext_noop("inconclusive"),
    Verdict.UNSTABLE: gettext_noop("unstable"),
    Verdict.DEGENERATE: gettext_noop("no variation"),
    Verdict.INSUFFICIENT: gettext_noop("too few runs"),
    Verdict.NOT_COMPUTABLE: gettext_noop("not computable"),
    Verdict.NOT_COMPARABLE: gettext_noop("not comparable"),
    Verdict.NO_BASELINE: gettext_noop("no baseline"),
    Verdict.WITHDRAWN: gettext_noop("withdrawn"),
}

BASIS_TEXTS: dict[Basis, str] = {
    Basis.FIXED_LOAD: gettext_noop("at equal load"),
    Basis.ACROSS_LOADS: gettext_noop("geometric mean over equal loads"),
    Basis.FRONTIER: gettext_noop("along the frontier, at equal x"),
}

#: A reason as a clause that stands alone.
REASON_TEXTS: dict[Reason, str] = {
    Reason.BASELINE_MISSING: gettext_noop("the baseline has no value"),
    Reason.CANDIDATE_MISSING: gettext_noop("the candidate has no value"),
    Reason.BASELINE_ZERO: gettext_noop("the baseline is 0, so there is no ratio"),
    Reason.NOT_POSITIVE: gettext_noop("a value is zero or negative, so there is no ratio"),
    Reason.NOT_FINITE: gettext_noop("a value is not a finite number"),
    Reason.LOADS_DIFFER: gettext_noop("the sides were not measured at the same loads"),
    Reason.NO_COMMON_RANGE: gettext_noop("the frontiers have no common range"),
    Reason.TOO_FEW_LAUNCHES: gettext_noop("fewer than 3 independent server launches per side"),
    Reason.REPEATED_LAUNCH: gettext_noop("a server launch counts once, however many samples it gave"),
    Reason.BLOCKS_INCOMPLETE: gettext_noop("some blocks lack one side"),
    Reason.NO_VARIATION: gettext_noop("every block gave the same ratio, so there is no interval"),
    Reason.RUN_WITHDRAWN: gettext_noop("a run of this comparison was withdrawn"),
    Reason.BELOW_FLOOR: gettext_noop("the effect is not above the floor"),
    Reason.FAMILY: gettext_noop("not significant among all tests made together"),
    Reason.RANKS_DISAGREE: gettext_noop("mean and ranks disagree: inspect outliers"),
    Reason.UNPAIRED: gettext_noop("the runs were not measured in blocks"),
    Reason.NOT_INTERLEAVED: gettext_noop("the sides were not interleaved in time"),
    Reason.PLAN_UNFINISHED: gettext_noop("fewer blocks than planned"),
    Reason.LOADS_UNFINISHED: gettext_noop("some blocks lack a planned load"),
    Reason.MORE_BLOCKS_THAN_PLANNED: gettext_noop("more blocks than planned"),
    Reason.FALSE_POSITIVES: gettext_noop("this host finds differences between equal recipes too often"),
    Reason.FLOOR_UNKNOWN: gettext_noop("the noise floor of this host is not measured yet"),
    Reason.EXPLORATORY: gettext_noop("not declared before the runs; the interval is marginal"),
    Reason.NOT_A_PR_GAIN: gettext_noop("a comparison, not the gain of a pull request"),
    Reason.MODEL_DIFFERS: gettext_noop("model or revision differs"),
    Reason.ENGINE_DIFFERS: gettext_noop("the engine differs"),
    Reason.PRECISION_DIFFERS: gettext_noop("precision differs"),
    Reason.DATASET_DIFFERS: gettext_noop("the data set differs"),
    Reason.LENGTHS_DIFFER: gettext_noop("input or output lengths differ"),
    Reason.SEED_DIFFERS: gettext_noop("the request seed differs inside a block"),
    Reason.HARDWARE_DIFFERS: gettext_noop("the hardware differs"),
    Reason.GPU_COUNT_DIFFERS: gettext_noop("the number of GPUs differs"),
    Reason.PARALLELISM_DIFFERS: gettext_noop("parallelism differs"),
    Reason.ARGUMENTS_DIFFER: gettext_noop("engine arguments differ beyond the declared ones"),
    Reason.CLIENT_DIFFERS: gettext_noop("the client version differs"),
    Reason.SUCCESS_RATE: gettext_noop("success rates are below 99 % or differ by more than 0.5 points"),
    Reason.OUTPUT_TOKENS: gettext_noop("output lengths differ by more than 1 %"),
    Reason.ACCURACY: gettext_noop("an accuracy check failed"),
    Reason.DRIVER_DIFFERS: gettext_noop("the driver version differs"),
    Reason.CLOCK_DIFFERS: gettext_noop("clocks differ by more than 3 %"),
    Reason.THROTTLED: gettext_noop("a GPU was throttled"),
    Reason.TEMPERATURE_DIFFERS: gettext_noop("temperatures differ by more than 10 degrees"),
    Reason.PREFIX_HITS: gettext_noop("prefix hit rates are unknown or differ by more than 1 point"),
    Reason.ACCEPTANCE: gettext_noop("acceptance rates of speculative decoding differ by more than 1 point"),
    Reason.ORDER_UNBALANCED: gettext_noop("one side always ran first"),
    Reason.FEW_BLOCKS: gettext_noop("fewer than 5 blocks"),
    Reason.MODES_DIFFER: gettext_noop("one side has more modes than the other: look at the single runs"),
    Reason.FAR_APART: gettext_noop("more than 14 days lie between the sides"),
    Reason.TAIL_UNDERSAMPLED: gettext_noop("fewer than 3,000 requests per point for a P99"),
}
