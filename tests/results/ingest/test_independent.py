"""Stored points against the same numbers computed from the same files without any of our code."""

import json
import statistics
from pathlib import Path

import numpy
import pytest

from results.ingest.bundle import ingest_bundle
from results.models import AttemptArtifact, Point
from results.queries.points import PointFilter, point_page
from results.storage import read_artifact
from tests.factories import catalogue
from tests.results.ingest.bundles import write_bundle


def independent_values(content: bytes) -> dict[str, float]:
    """A few numbers of a point, from its per-request records; per GPU of one GPU."""
    rows = [json.loads(line) for line in content.splitlines()]
    rows = [row for row in rows if row["metadata"]["benchmark_phase"] == "profiling" and not row.get("error")]
    seconds = (
        max(row["metadata"]["request_end_ns"] for row in rows)
        - min(row["metadata"]["request_start_ns"] for row in rows)
    ) / 1e9
    ttft = [row["metrics"]["time_to_first_token"]["value"] / 1000 for row in rows]
    itl = [
        (row["metrics"]["request_latency"]["value"] - row["metrics"]["time_to_first_token"]["value"])
        / 1000
        / (row["metrics"]["output_sequence_length"]["value"] - 1)
        for row in rows
        if row["metrics"]["output_sequence_length"]["value"] > 1
    ]
    tokens = sum(row["metrics"]["output_sequence_length"]["value"] for row in rows)
    speed = [
        row["metrics"]["request_latency"]["value"] / 1000 / row["metrics"]["output_sequence_length"]["value"]
        for row in rows
    ]
    return {
        "request_throughput": len(rows) / seconds,
        "output_throughput": tokens / seconds,
        "output_throughput_per_gpu": tokens / seconds,
        "ttft_p50": statistics.median(ttft),
        "ttft_std": statistics.pstdev(ttft),
        "interactivity_p90": 1 / float(numpy.percentile(itl, 90)),
        "e2e_norm_interactivity_p90": 1 / float(numpy.percentile(speed, 90)),
    }


@pytest.mark.django_db
def test_points_equal_what_a_few_independent_lines_compute(tmp_path: Path) -> None:
    catalogue()
    ingest_bundle(write_bundle(tmp_path / "out"))
    stored = AttemptArtifact.objects.get(path="loads/c0002/profile_export.jsonl")
    point = Point.objects.get(load=2)
    (row,) = [row for row in point_page(PointFilter()).rows if row.load == 2]
    for key, value in independent_values(read_artifact(stored.artifact_id)).items():
        assert point.value(key) == pytest.approx(value, rel=1e-12), key
        assert row.values[key] == point.value(key)
