"""A/A comparisons start by themselves, one at a time, and never twice in the same way."""

import io
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from results.models import AaSchedule, Comparison, Host, Run
from results.queries.equal_comparisons import equal_comparisons
from results.services.aa_schedules import start_due
from results.services.conclude_comparison import conclude_ready
from results.services.submit_run import read_run_document, submit_run
from tests.conftest import Clock
from tests.factories import catalogue, run_json
from tests.results.services.test_conclude_comparison import finish
from tests.results.services.test_start_comparison import host

pytestmark = pytest.mark.django_db
DAY = 86_400.0


def command(*arguments: Any) -> str:
    out = io.StringIO()
    call_command("aa_schedule", *map(str, arguments), stdout=out)
    return out.getvalue().strip()


@pytest.fixture
def run(hinted: list[str], clock: Clock) -> Run:
    catalogue()
    host()
    return submit_run(document=read_run_document(run_json()))


def seeds(comparison: Comparison) -> set[Any]:
    runs = comparison.members.values_list("run__document__client__seed", flat=True)
    return set(runs)


def test_a_schedule_starts_equal_interleaved_runs_and_repeats_them_differently(
    run: Run, clock: Clock
) -> None:
    Run.objects.filter(id=run.id).update(state="cancelled", ended_at=clock.time)
    shown = command("add", "weekly", "--run", run.id, "--host", "bench", "--metrics", "ttft_p50")
    assert shown == "weekly\tbench\tevery 7 d\tnext 2026-11-01T12:00:00Z\t0 so far\t-"
    assert start_due(now=clock.time) == ["weekly"]
    first = Comparison.objects.get()
    assert first.baseline_id == first.candidate_id == run.recipe_id
    assert (first.members.count(), first.declared_before_running) == (10, True)
    # While it runs nothing more is queued, however late it is.
    assert start_due(now=clock.advance(8 * DAY)) == []
    finish(first, 1.0)
    conclude_ready()
    assert equal_comparisons()[0].comparison == str(first.id)
    assert start_due(now=clock.time) == ["weekly"]
    second = Comparison.objects.exclude(id=first.id).get()
    assert second.plan["seed"] != first.plan["seed"]
    assert seeds(first).isdisjoint(seeds(second))
    finish(second, 1.0)
    conclude_ready()
    assert start_due(now=clock.advance(6 * DAY)) == []
    assert command("pause", "weekly").split("\t")[3] == "paused"
    assert start_due(now=clock.advance(30 * DAY)) == []
    assert command("remove", "weekly") == ""
    assert Comparison.objects.filter(schedule=None).count() == 2


def test_a_host_that_is_not_ready_is_said_and_tried_again(run: Run, clock: Clock) -> None:
    command("add", "weekly", "--run", run.id, "--host", "bench")
    Host.objects.update(state="retired")
    assert start_due(now=clock.time) == []
    assert "no ready host" in AaSchedule.objects.get().problem
    Host.objects.update(state="ready")
    assert start_due(now=clock.advance(60)) == []
    assert start_due(now=clock.advance(3600)) == ["weekly"]
    assert AaSchedule.objects.get().problem == ""


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"--host": "nobody"}, "--host: no host is called nobody"),
        ({"--run": "00000000-0000-0000-0000-000000000000"}, "--run: no run that was executed here"),
        ({"--blocks": "2"}, "--blocks: "),
        ({"--metrics": "speed"}, "--metrics: "),
        ({"--every-days": "0"}, "--every-days: 1 to 365 days"),
    ],
)
def test_mistakes_are_one_line(run: Run, changes: dict[str, str], words: str) -> None:
    given = {"--run": run.id, "--host": "bench"} | changes
    with pytest.raises(CommandError, match=words) as caught:
        command("add", "weekly", *(part for pair in given.items() for part in pair))
    assert caught.value.returncode == 2
    with pytest.raises(CommandError, match="name: no schedule is called weekly"):
        command("pause", "weekly")
