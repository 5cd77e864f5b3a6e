"""What ships as measured: complete, equal to its raw files, and loaded once."""

import json
import re

import pytest

from dashboard.views.evidence import comparison_view
from dashboard.views.point_page import limits
from dashboard.writeup import writeup
from results.analysis.gains.vocabulary import Reason, Verdict
from results.documents.verdict import read_verdict
from results.models import Attempt, AttemptArtifact, Comparison, Evidence, Host, Point, Project, Run
from results.queries.cache_rates import cache_rates
from results.queries.comparisons import comparison_row
from results.queries.measured_sets import in_language, not_run
from results.queries.point_detail import columns_among, point_detail
from results.services.load_catalogue import load_catalogue
from results.services.load_measured import load_measured
from results.services.load_projects import load_projects
from results.storage import read_artifact
from tests.results.ingest.test_independent import independent_values

pytestmark = pytest.mark.django_db


def test_the_shipped_h200_sets_are_whole_true_to_their_files_and_loaded_once() -> None:
    load_catalogue()
    load_projects()
    assert load_measured() == 6
    before = (
        Run.objects.count(),
        Point.objects.count(),
        Comparison.objects.count(),
        Evidence.objects.count(),
    )
    assert before == (20, 56, 6, 5)
    assert load_measured() == 0
    assert (Run.objects.count(), Point.objects.count()) == before[:2]
    _numbers_are_those_of_the_records()
    _verdicts()
    _articles_resolve()
    _words_are_in_both_languages()
    _the_cliff_is_drawn_from_them()
    _the_host_is_dated()
    _points_know_their_limits()


def _numbers_are_those_of_the_records() -> None:
    files = AttemptArtifact.objects.filter(path__endswith="/profile_export.jsonl").select_related("attempt")
    assert files.count() == 56
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
    again = found["Native CPU KV offload across the HBM cliff, loads 1 to 16, one H200"]
    assert {one.load for one in again.primary if one.n == 3} == {8}
    assert {one.n for one in again.primary} == {2, 3}
    assert again.deviations == (Reason.LOADS_UNFINISHED,)
    # Three intervals without zero say in the table why they are no verdict.
    row = comparison_row(Comparison.objects.get(title__startswith="Native CPU KV offload across").id)
    assert row is not None
    why = "not significant among all tests made together"
    assert [line.load for line in comparison_view(row, None).lines if line.why == why] == [8, 8, 8]
    simple = found["Simple CPU connector against the GPU alone, one H200"]
    assert simple.headline.verdict == Verdict.INSUFFICIENT
    assert Evidence.objects.filter(pull_request__number=37160).count() == 2


def _words_are_in_both_languages() -> None:
    notes = Evidence.objects.values_list("note", flat=True)
    for text in (*Comparison.objects.values_list("title", flat=True), *notes):
        assert re.search("[\u4e00-\u9fff]", in_language(text, "zh-hans"))
        assert in_language(text, "en") == text
    assert in_language("a note of a stranger", "zh-hans") == "a note of a stranger"


def _articles_resolve() -> None:
    """Every number of every shipped text leads to a point or a host."""
    for project in Project.objects.all():
        for text in (project.writeup_en, project.writeup_zh):
            article = writeup(text)
            assert article is None or article.missing == ()
    english, chinese = (
        writeup(text) for text in Project.objects.values_list("writeup_en", "writeup_zh").get(slug="vllm")
    )
    assert english is not None
    assert chinese is not None
    assert sorted(re.findall(r"<data.*?</data>", english.body)) == sorted(
        re.findall(r"<data.*?</data>", chinese.body)
    )


def _the_cliff_is_drawn_from_them() -> None:
    family = cache_rates("qwen3-1.7b-random", "recorded-100k", None).family
    assert family is not None
    assert family.cliff is not None
    assert (family.cliff.before, family.cliff.at, family.uneven) == (4, 8, (4, 8))
    assert family.pool == 31.5 * 2**30
    (missing,) = not_run("qwen3-1.7b-random", "recorded-100k", family.labels, "en")
    assert "a third block" in missing
    assert family.offloads == ("none", "dram/vllm-native", "dram/vllm-simple")


def _the_host_is_dated() -> None:
    host = Host.objects.get(name="h200-2026-11-30")
    attempts = Attempt.objects.filter(host=host)
    assert attempts.count() == 12
    assert host.last_seen_at == max(attempt.ended_at for attempt in attempts if attempt.ended_at)
    assert [probe.at for probe in host.probes.all()] == [host.first_seen_at]
    assert "hostname" not in host.facts


def _points_know_their_limits() -> None:
    """Load 8 with the host tier, computed from its records and the probe without our code."""
    run = Run.objects.get(attempts__host__name="h200-2026-11-30", label="small-pool-host-tier")
    point = Point.objects.get(run=run, load=8)
    detail = point_detail(point.id)
    assert detail is not None
    shown = {
        one.key: one for one in limits(detail, columns_among(detail.row, detail.attempt_id, detail.files))
    }
    # GPU 1 has the slower link: 52.97 GB/s at 1 GiB.
    reload = shown["kv_offload_bandwidth_in"]
    assert reload.share == pytest.approx(48.2879e9 / 52.96524018e9, rel=1e-3)
    use = AttemptArtifact.objects.get(
        attempt=point.attempt_id, load=8, path__endswith="/profile_export.jsonl"
    )
    flop = 0
    for record in map(json.loads, read_artifact(use.artifact_id).splitlines()):
        about, metrics = record["metadata"], record["metrics"]
        if about["benchmark_phase"] != "profiling" or record.get("error") or about["was_cancelled"]:
            continue
        prompt = int(metrics["usage_prompt_tokens"]["value"])
        cached = int(metrics["usage_prompt_cache_read_tokens"]["value"])
        # 28 layers of 50,331,648 weights; 28 * 16 * 128 numbers of queries.
        flop += 2 * 28 * 50_331_648 * (prompt - cached) + 4 * 57_344 * (prompt**2 - cached**2) // 2
    seconds = point.value("duration")
    assert seconds is not None
    assert shown["prefill"].value == pytest.approx(flop / seconds)
    assert 0.1 < shown["prefill"].share < shown["decode"].share < 1
