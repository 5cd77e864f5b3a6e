"""Names of axes: a metric of the registry, or a family of them beside a percentile. Pure."""

from collections.abc import Iterator

from results.metrics import DERIVED, METRICS, Direction, Metric, find_metric, gettext_noop

#: Statistics a family may be read at, in the order pages offer them.
PERCENTILES = ("p50", "p75", "p90", "p95", "p99", "mean")
#: The load of a point as an axis. It is chosen, not measured, so it has no column and no direction.
LOAD = Metric(
    "concurrency",
    gettext_noop("Concurrency"),
    None,
    "users",
    Direction.NEUTRAL,
    gettext_noop("live session trees on agentic scenarios, maximum concurrency on fixed ones"),
    "deployment",
    gettext_noop("the run's own loads"),
)
#: Families and the load, which pages offer first as x.
X_AXES = ("interactivity", "e2e_norm_interactivity", "ttft", "e2e_latency", LOAD.key)


def _families() -> Iterator[str]:
    for metric in METRICS.values():
        if metric.stat is not None:
            yield metric.key.removesuffix(f"_{metric.stat}")


#: Metrics that exist at several percentiles, by the name they share.
FAMILIES: tuple[str, ...] = tuple(dict.fromkeys(_families()))
#: Every name that stands for an axis.
AXES: tuple[str, ...] = tuple(dict.fromkeys((*X_AXES, *FAMILIES, *METRICS, *DERIVED)))


class UnknownAxisError(LookupError):
    """No axis has this name, or a family lacks the percentile."""


def axis_metric(name: str, percentile: str) -> Metric:
    """The metric of an axis; ``percentile`` counts for families only. UnknownAxisError."""
    if name == LOAD.key:
        return LOAD
    key = f"{name}_{percentile}" if name in FAMILIES else name
    try:
        return find_metric(key)
    except KeyError:
        raise UnknownAxisError(key) from None


def metric_of(key: str) -> Metric:
    """The metric of a full key: stored, derived or the load. KeyError."""
    return LOAD if key == LOAD.key else find_metric(key)


def family_metric(name: str) -> Metric:
    """A metric that speaks for a family in pickers: it shares name, unit and direction."""
    return axis_metric(name, PERCENTILES[0])
