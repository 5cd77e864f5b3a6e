"""How the profile of an agentic aggregate went, and the verdict that follows from it. Pure.

No aggregate states its planned window. AgentX 1 profiles one hour; before it, runs of the scenario's
default of half an hour were published. How far observations reach is not stated either.
"""

from dataclasses import dataclass, field

from results.analysis.validity import Conduct, Verdict, judge
from results.ingest.formats.agentic.leaves import Leaves

WINDOW_SECONDS = 3600.0
#: Of everything before AgentX 1.
EARLY_WINDOW_SECONDS = 1800.0


@dataclass(slots=True)
class Accounting:
    """Requests by outcome; None where the row does not count. Times in seconds."""

    successful: int | None = None
    failed: int | None = None
    total: int | None = None
    notes: list[str] = field(default_factory=list)


def read_accounting(leaves: Leaves) -> Accounting:
    """Records dropped for an error include failed warm-up requests, and a record can be dropped for both
    reasons; the sets make failed profiled requests all dropped ones less the warm-up."""
    account = "request_accounting."
    successful = leaves.count("num_requests_successful")
    total = leaves.count("num_requests_total")
    profiled = leaves.count(f"{account}records_profiled")
    total = total if total is not None else leaves.count(f"{account}records_total")
    leaves.drop(f"{account}records_total")
    dropped, warmup = (leaves.count(f"{account}records_{name}_dropped") for name in ("total", "warmup"))
    dropped = leaves.count(f"{account}records_dropped_total") if dropped is None else dropped
    found = Accounting(successful if successful is not None else profiled, None, total)
    if dropped is not None and warmup is not None:
        found.failed = max(dropped - warmup, 0)
    elif found.successful is not None and total is not None and not leaves.has("request_metrics"):
        # These generations recorded no warm-up.
        found.failed = max(total - found.successful, 0)
        found.notes.append("every recorded request without success counts as failed")
    return found


def account_values(account: Accounting) -> dict[str, float]:
    values: dict[str, float] = {}
    if account.total is not None:
        values["requests_total"] = account.total
    if account.successful is not None:
        values["requests_successful"] = account.successful
    if account.failed is not None:
        values["requests_failed"] = account.failed
        answered = (account.successful or 0) + account.failed
        if account.successful is not None and answered:
            values["error_rate"] = account.failed / answered
    return values


def verdict(account: Accounting, duration: float | None, window: float | None) -> Verdict:
    """``duration``: seconds from the first start to the last end; ``window``: planned seconds."""
    return judge(
        Conduct(
            planned_seconds=window,
            phase_seconds=duration,
            observed_seconds=duration,
            # A row that does not count its requests is no failure.
            successful=1 if account.successful is None else account.successful,
            failed=account.failed or 0,
            coverage_known=False,
        )
    )
