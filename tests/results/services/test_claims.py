import threading
from datetime import timedelta

import pytest
from django.db import connection

from results.models import Attempt, Host, Recipe, Run, State
from results.services.claims import Claim, claim_attempt, waiting_for
from results.services.hosts import clean_host, mark_dirty, register_host, retire_host
from tests.conftest import Clock
from tests.results.services.stage import Stage, states


def test_claim_of_nothing_is_none(stage: Stage) -> None:
    assert claim_attempt(host="h1") is None


def test_claim_by_an_unknown_host_is_none(stage: Stage) -> None:
    stage.run()
    assert claim_attempt(host="nobody") is None


def test_a_host_with_too_few_devices_leaves_the_run_to_another(stage: Stage) -> None:
    run = stage.run(hardware="h200")
    Recipe.objects.filter(id=run.recipe_id).update(gpu_count=8)
    for name, devices in (("small", {"h200": 4}), ("silent", {}), ("large", {"h200": 8})):
        facts = {"devices": devices}
        register_host(name=name, hardware_slugs=["cpu", "h200"], engines=["llamacpp"], facts=facts)
    assert [waiting_for(host).count() for host in Host.objects.order_by("id")] == [0, 0, 1, 1]
    assert claim_attempt(host="small") is None
    assert stage.claim("large").run == run.id


def test_claim_gives_lease_deadline_and_document(stage: Stage, clock: Clock) -> None:
    run = stage.run()
    claim = stage.claim()
    row = Attempt.objects.get(id=claim.attempt)
    assert (claim.run, claim.number, claim.document, claim.loads) == (run.id, 0, run.document, (1, 2))
    assert row.lease_expires_at == clock.now() + timedelta(seconds=90)
    assert row.deadline_at == clock.now() + timedelta(seconds=600 + 60)
    assert states(run) == ["claimed", "claimed"]


def test_claims_are_first_in_first_out(stage: Stage) -> None:
    first, second = stage.run(), stage.run()
    register_host(name="h2", hardware_slugs=["cpu"], engines=["llamacpp"], facts={})
    assert [stage.claim("h2").run, stage.claim("h1").run] == [first.id, second.id]


def test_claim_skips_what_another_host_was_asked_for(stage: Stage) -> None:
    register_host(name="h2", hardware_slugs=["cpu"], engines=["llamacpp"], facts={})
    stage.run(host="h2")
    mine = stage.run()
    assert stage.claim("h1").run == mine.id


def test_claim_takes_what_this_host_was_asked_for(stage: Stage) -> None:
    run = stage.run(host="h1")
    assert stage.claim("h1").run == run.id


@pytest.mark.parametrize("misfit", [{"hardware": "h200"}, {"engine": "vllm"}])
def test_claim_skips_hardware_and_engines_it_lacks(stage: Stage, misfit: dict[str, str]) -> None:
    stage.run(**misfit)
    assert claim_attempt(host="h1") is None


def test_claim_skips_a_run_that_is_to_be_cancelled(stage: Stage) -> None:
    stage.want_cancel(stage.run())
    assert claim_attempt(host="h1") is None


def test_dirty_host_claims_nothing_until_cleaned(stage: Stage) -> None:
    stage.run()
    mark_dirty(name="h1", reason="process 12 still holds the GPU")
    assert claim_attempt(host="h1") is None
    clean_host(name="h1", actor="operator")
    assert claim_attempt(host="h1") is not None


def test_retired_host_claims_nothing_even_when_its_worker_starts_again(stage: Stage) -> None:
    stage.run()
    retire_host(name="h1", actor="operator")
    register_host(name="h1", hardware_slugs=["cpu"], engines=["llamacpp"], facts={})
    assert claim_attempt(host="h1") is None


@pytest.mark.parametrize("state", [State.CLAIMED, State.RUNNING, State.UPLOADING])
def test_busy_host_claims_nothing(stage: Stage, state: State) -> None:
    stage.attempt(state)
    stage.run()
    assert claim_attempt(host="h1") is None


@pytest.mark.parametrize("state", [State.SUCCEEDED, State.FAILED, State.CANCELLED])
def test_free_host_claims_the_next(stage: Stage, state: State) -> None:
    stage.attempt(state)
    after = stage.run()
    assert stage.claim().run == after.id


def race(hosts: list[str]) -> list[Claim]:
    """All hosts claim at the same moment, each in a thread with a connection of its own."""
    barrier = threading.Barrier(len(hosts))
    won: list[Claim] = []
    broken: list[BaseException] = []

    def claim(host: str) -> None:
        try:
            barrier.wait(timeout=30)
            claimed = claim_attempt(host=host)
            if claimed is not None:
                won.append(claimed)
        except Exception as error:  # noqa: BLE001 - shown to the test below
            broken.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=claim, args=(host,)) for host in hosts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert broken == []
    return won


@pytest.mark.django_db(transaction=True)
def test_concurrent_claims_of_one_attempt_by_twenty_hosts_give_one(stage: Stage) -> None:
    names = [f"r{number:02}" for number in range(20)]
    for name in names:
        register_host(name=name, hardware_slugs=["cpu"], engines=["llamacpp"], facts={})
    run = stage.run()
    won = race(names)
    assert [claim.run for claim in won] == [run.id]
    assert states(run) == ["claimed", "claimed"]


@pytest.mark.django_db(transaction=True)
def test_concurrent_claims_by_twenty_workers_of_one_host_give_one(stage: Stage) -> None:
    for _ in range(5):
        stage.run()
    assert len(race(["h1"] * 20)) == 1
    assert Attempt.objects.filter(state=State.CLAIMED).count() == 1


@pytest.mark.django_db(transaction=True)
def test_twenty_hosts_and_twenty_runs_are_all_paired(stage: Stage) -> None:
    names = [f"r{number:02}" for number in range(20)]
    for name in names:
        register_host(name=name, hardware_slugs=["cpu"], engines=["llamacpp"], facts={})
    runs = [stage.run() for _ in names]
    won = race(names)
    for name in names:  # who lost a row to another in the same instant gets one at the next hint
        while (claim := claim_attempt(host=name)) is not None:
            won.append(claim)
    assert sorted(claim.run for claim in won) == sorted(run.id for run in runs)
    assert Host.objects.filter(attempts__state=State.CLAIMED).distinct().count() == 20
    assert set(Run.objects.values_list("state", flat=True)) == {"claimed"}
