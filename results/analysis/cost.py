"""Cost and energy per token: throughput per GPU under a price and power table.

With T tokens per second per GPU, C US dollars per GPU hour and P provisioned kilowatts per GPU:
cost per million tokens = C / (3600 T / 10^6), tokens per dollar = 3600 T / C, tokens per second per
megawatt = 1000 T / P, joules per token = 1000 P / T (InferenceX, metric registry of 2026).
T always divides by all GPUs of the deployment, so a disaggregated one is never charged twice.
"""

from collections.abc import Callable, Mapping
from math import isfinite

from results.analysis.prices import Rate

#: Which tokens are counted.
KINDS = ("input", "output", "total")


def cost_per_million(throughput: float, rate: Rate) -> float | None:
    """US dollars per 10^6 tokens."""
    return _divide(rate.dollars_per_hour, 3600 * throughput / 1e6)


def tokens_per_dollar(throughput: float, rate: Rate) -> float | None:
    return _divide(3600 * throughput, rate.dollars_per_hour)


def throughput_per_megawatt(throughput: float, rate: Rate) -> float | None:
    """Tokens per second per provisioned megawatt."""
    return _divide(1000 * throughput, rate.kilowatts)


def provisioned_joules(throughput: float, rate: Rate) -> float | None:
    """Joules per token at provisioned, not at measured power."""
    return None if rate.kilowatts is None else _divide(1000 * rate.kilowatts, throughput)


Formula = Callable[[float, Rate], float | None]

#: Derived registry key to the stored metric it is made of, and how.
FORMULAS: dict[str, tuple[str, Formula]] = {
    key.format(kind=kind): (f"{kind}_throughput_per_gpu", formula)
    for key, formula in (
        ("cost_per_million_{kind}_tokens", cost_per_million),
        ("{kind}_tokens_per_dollar", tokens_per_dollar),
        ("{kind}_throughput_per_megawatt", throughput_per_megawatt),
        ("provisioned_joules_per_{kind}_token", provisioned_joules),
    )
    for kind in KINDS
}


def derive(key: str, values: Mapping[str, float], rate: Rate) -> float | None:
    """A derived metric of one point from its stored ones; KeyError for a key that is not derived.

    None without the throughput, without the price or power, and where no token was produced: what
    gave nothing is not free.
    """
    source, formula = FORMULAS[key]
    throughput = values.get(source)
    return None if throughput is None or throughput <= 0 else formula(throughput, rate)


def derived_values(values: Mapping[str, float], rate: Rate) -> dict[str, float]:
    """Every derived metric of one point by registry key; what cannot be computed is left out."""
    found = {key: derive(key, values, rate) for key in FORMULAS}
    return {key: value for key, value in found.items() if value is not None}


def at_throughput(kind: str, throughput: float, rate: Rate) -> dict[str, float]:
    """The derived metrics of one kind of tokens at a throughput per GPU, for instance an interpolated one.

    Interpolate throughput and derive, never interpolate cost: then cost * throughput is the price exactly.
    """
    source = f"{kind}_throughput_per_gpu"
    return derived_values({source: throughput}, rate)


def _divide(value: float | None, by: float | None) -> float | None:
    if value is None or by is None or by <= 0:
        return None
    quotient = value / by
    return quotient if isfinite(quotient) else None
