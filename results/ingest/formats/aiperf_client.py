"""What AIPerf says about its own run (``profile_export_aiperf.json``), for bundles and for exports. Pure."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from results.analysis.requests import RequestRecord

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def phase_seconds(client: Mapping[str, Any]) -> float | None:
    """Length of the profiling phase; the two times are local without a zone, so only their difference means
    something."""
    try:
        start, end = (datetime.fromisoformat(client[name]) for name in ("start_time", "end_time"))
        return (end - start).total_seconds()
    except (KeyError, TypeError, ValueError):
        return None


def average(client: Mapping[str, Any], tag: str) -> float | None:
    entry = client.get(tag)
    value = entry.get("avg") if isinstance(entry, dict) else None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def submission(client: Mapping[str, Any]) -> Mapping[str, Any]:
    """The client's own verdict and the data set it replayed."""
    metadata = client.get("metadata")
    return metadata if isinstance(metadata, dict) else {}


def client_reasons(client: Mapping[str, Any]) -> list[str]:
    """Why the client itself calls its result invalid."""
    reasons = submission(client).get("submission_invalid_reasons")
    return [str(reason) for reason in reasons] if isinstance(reasons, list) else []


def overflows(client: Mapping[str, Any], profiled: Sequence[RequestRecord]) -> int:
    """Requests that were too long for the context; skipped ones leave no record."""
    skipped = average(client, "skipped_context_overflow_count")
    return max(int(skipped or 0), sum(record.overflow for record in profiled))


def about(client: Mapping[str, Any], records: Sequence[RequestRecord]) -> dict[str, Any]:
    """Facts for people: what the client says about itself, and which errors occurred how often."""
    errors = Counter(
        _printable(record.failure.kind) for record in records if record.failed and record.failure is not None
    )
    stated = submission(client)
    facts = {
        "client_version": client.get("aiperf_version"),
        "submission_valid": stated.get("submission_valid"),
        "submission_invalid_reasons": stated.get("submission_invalid_reasons"),
        "dataset": stated.get("dataset"),
    }
    known = {name: clean(value) for name, value in facts.items() if value is not None}
    return {**known, **({"errors": dict(errors.most_common(20))} if errors else {})}


def clean(value: Any) -> Any:
    """A copy that JSONB can hold: PostgreSQL refuses NUL in text."""
    return json.loads(json.dumps(value).replace("\\u0000", "\\ufffd"))


def _printable(text: str) -> str:
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode("utf-8")[:64]


def moment(nanoseconds: int) -> datetime:
    # By integers: a float of epoch nanoseconds has lost the microseconds.
    return _EPOCH + timedelta(microseconds=nanoseconds // 1000)
