"""The shipped catalogue of upstream work: complete, idempotent, and silent about what a sync established."""

import json
from pathlib import Path

import pytest

from results import clock
from results.models import Claim, Optimization, Project, PullRequest, PullRequestStatus
from results.services.load_catalogue import CatalogueError
from results.services.load_projects import load_projects

pytestmark = pytest.mark.django_db
SHARED = Path(__file__).resolve().parents[4] / "shared" / "upstream" / "pull_requests.json"

PROJECT = """
project: {slug: toy, name: Toy, layer: kernels, repository: who/toy, position: 1}
optimizations:
- slug: speed
  layer: kernels
  name: {en: Speed, zh: 速度}
  pull_requests:
  - number: 7
    kind: performance
    title: {en: Be quick, zh: 更快}
    status: {is: STATUS, as_of: 2026-09-01, source: thread}
    agentx: {grade: weak, basis: topic, listed_by: 'no'}
    source: https://example.org/7
    claims:
    - {metric: {en: throughput, zh: 吞吐}, before: '1', after: '2', unit: tok/s}
"""


def toy(folder: Path, status: str = "open", text: str = PROJECT) -> Path:
    (folder / "toy.yaml").write_text(text.replace("STATUS", status), encoding="utf-8")
    return folder


def test_the_shipped_catalogue_has_every_project_and_pull_request_once() -> None:
    load_projects()
    assert Project.objects.filter(added_later=False).count() == 8
    assert list(Project.objects.filter(added_later=True).values_list("slug", flat=True)) == ["mori-umbp"]
    assert PullRequest.objects.filter(added_later=False).count() == 164
    assert PullRequest.objects.filter(added_later=True).count() == 6
    statuses = {status: PullRequest.objects.filter(status=status).count() for status in PullRequest.Status}
    assert statuses == {"merged": 125, "merged-elsewhere": 6, "open": 13, "closed": 9, "unknown": 17}


def test_every_line_stands_in_both_languages() -> None:
    load_projects()
    for table, fields in (
        (Project, ("summary", "writeup")),
        (Optimization, ("name", "text")),
        (PullRequest, ("title", "note")),
        (Claim, ("metric", "setup")),
    ):
        for row in table.objects.all():
            for field in fields:
                english, chinese = getattr(row, f"{field}_en"), getattr(row, f"{field}_zh")
                assert bool(english) == bool(chinese), (table.__name__, str(row), field)


def test_loading_again_changes_nothing() -> None:
    load_projects()
    before = list(PullRequestStatus.objects.values_list("id", flat=True))
    again = load_projects()
    assert (again["created"], again["updated"]) == (0, 0)
    assert list(PullRequestStatus.objects.values_list("id", flat=True)) == before


def test_a_new_status_is_added_to_the_history(tmp_path: Path) -> None:
    load_projects(folder=toy(tmp_path))
    load_projects(folder=toy(tmp_path, "merged"))
    pull = PullRequest.objects.get(repository="who/toy")
    assert pull.status == "merged"
    assert set(pull.history.values_list("status", flat=True)) == {"open", "merged"}


def test_a_status_that_a_sync_established_stays(tmp_path: Path) -> None:
    load_projects(folder=toy(tmp_path))
    synced = {"status": "closed", "github_synced_at": clock.now()}
    PullRequest.objects.filter(repository="who/toy").update(**synced)
    load_projects(folder=toy(tmp_path, "merged"))
    assert PullRequest.objects.get(repository="who/toy").status == "closed"


def test_a_claim_that_the_catalogue_dropped_goes(tmp_path: Path) -> None:
    load_projects(folder=toy(tmp_path))
    head, _claims, _rest = PROJECT.partition("    claims:")
    load_projects(folder=toy(tmp_path, text=head))
    assert not Claim.objects.filter(pull_request__repository="who/toy").exists()


@pytest.mark.parametrize(
    ("before", "after", "place"),
    [
        ("layer: kernels, repository", "layer: roof, repository", "/project/layer"),
        ("zh: 速度", "zn: 速度", "/optimizations/0/name"),
        ("is: STATUS", "is: merged-elsewhere", "/optimizations/0/pull_requests/0/status"),
        ("number: 7", "number: 0", "/optimizations/0/pull_requests/0/number"),
        ("before: '1', after: '2', unit", "unit", "/optimizations/0/pull_requests/0/claims/0"),
    ],
)
def test_a_bad_file_is_refused_at_its_place(tmp_path: Path, before: str, after: str, place: str) -> None:
    with pytest.raises(CatalogueError, match=place):
        load_projects(folder=toy(tmp_path, text=PROJECT.replace(before, after)))
    assert not Project.objects.exists()


@pytest.mark.skipif(not SHARED.exists(), reason="the source document is not here")
def test_numbers_are_those_of_the_source_document() -> None:
    load_projects()
    for row in json.loads(SHARED.read_text(encoding="utf-8")):
        pull = PullRequest.objects.get(repository=row["repo"], number=row["number"])
        assert (pull.optimization.project.slug, pull.optimization.slug) == (row["project"], row["topic"])
        assert (pull.kind, pull.title_en, pull.grade) == (row["kind"], row["title"], row["agentx_evidence"])
        gains = row["claimed_gain"] or []
        stated = [gains] if isinstance(gains, dict) else gains
        for claim, gain in zip(pull.claims.order_by("position"), stated, strict=True):
            assert claim.metric_en == gain["metric"]
            for name in ("before", "after", "change", "unit"):
                assert getattr(claim, name) == (gain.get(name) or "")
