"""What ships as measured: complete, equal to its raw files, and loaded once."""

import pytest

from results.analysis.gains.vocabulary import Verdict
from results.documents.verdict import read_verdict
from results.models import AttemptArtifact, Comparison, Evidence, Point, Run
from results.services.load_catalogue import load_catalogue
from results.services.load_measured import load_measured
from results.services.load_projects import load_projects
from results.storage import read_artifact
from tests.results.ingest.test_independent import independent_values

pytestmark = pytest.mark.django_db


def test_the_shipped_h200_set_is_whole_true_to_its_files_and_loaded_once() -> None:
    load_catalogue()
    load_projects()
    assert load_measured() == 3
    before = (
        Run.objects.count(),
        Point.objects.count(),
        Comparison.objects.count(),
        Evidence.objects.count(),
    )
    assert before == (12, 30, 3, 2)
    assert load_measured() == 0
    assert (Run.objects.count(), Point.objects.count()) == before[:2]
    _numbers_are_those_of_the_records()
    _verdicts()


def _numbers_are_those_of_the_records() -> None:
    files = AttemptArtifact.objects.filter(path__endswith="/profile_export.jsonl").select_related("attempt")
    assert files.count() == 30
    for file in files:
        assert file.load is not None
        point = Point.objects.get(attempt=file.attempt, load=file.load)
        assert point.validity == "diagnostic"
        for key, value in independent_values(read_artifact(file.artifact_id)).items():
            assert point.value(key) == pytest.approx(value, rel=1e-9), (str(point), key)


def _verdicts() -> None:
    found = {}
    for comparison in Comparison.objects.all():
        assert comparison.verdict is not None
        found[comparison.title] = read_verdict(comparison.verdict)
    on_off = found["Prefix caching off and on, one H200"]
    assert (on_off.blocks, on_off.headline.verdict) == (3, Verdict.STRONG_GAIN)
    same = found["The same recipe twice, one H200"]
    assert {one.verdict for one in same.primary} <= {Verdict.INCONCLUSIVE, Verdict.EQUIVALENT}
    tier = found["Native CPU KV offload beyond the HBM cliff, one H200"]
    assert tier.headline.verdict == Verdict.INSUFFICIENT
