"""The leaky bucket: how much passes, when the rest may, and that a race passes no more."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.db import connection

from results.models import RateBucket
from results.services.rate_limits import forget_full_buckets, take
from tests.conftest import Clock


def passed(clock: Clock, tries: int, per_minute: int, key: str = "k") -> int:
    return [take(key=key, per_minute=per_minute, now=clock.now()) for _try in range(tries)].count(None)


@pytest.mark.django_db
@pytest.mark.parametrize("per_minute", [1, 7, 60, 600])
def test_a_minutes_allowance_passes_at_once_and_no_more(clock: Clock, per_minute: int) -> None:
    assert passed(clock, per_minute + 5, per_minute) == per_minute


@pytest.mark.django_db
def test_waiting_as_long_as_told_is_enough(clock: Clock) -> None:
    passed(clock, 6, 6)
    seconds = take(key="k", per_minute=6, now=clock.now())
    assert seconds is not None
    assert seconds == pytest.approx(10, abs=1e-3)
    clock.advance(seconds - 0.01)
    assert take(key="k", per_minute=6, now=clock.now()) is not None
    clock.advance(0.02)
    assert passed(clock, 3, 6) == 1


@pytest.mark.django_db
def test_refused_requests_cost_nothing(clock: Clock) -> None:
    passed(clock, 500, 6)
    clock.advance(60)
    assert passed(clock, 10, 6) == 6


@pytest.mark.django_db
def test_clients_do_not_share(clock: Clock) -> None:
    assert passed(clock, 3, 2, "one") == passed(clock, 3, 2, "two") == 2


@pytest.mark.django_db
def test_full_buckets_are_forgotten(clock: Clock) -> None:
    passed(clock, 1, 1, "idle")
    clock.advance(61)
    passed(clock, 1, 1, "busy")
    assert forget_full_buckets(now=clock.now()) == 1
    assert [bucket.key for bucket in RateBucket.objects.all()] == ["busy"]
    assert RateBucket.objects.get().full_at == clock.now() + timedelta(minutes=1)


@pytest.mark.django_db(transaction=True)
def test_a_race_passes_no_more_than_the_limit(clock: Clock) -> None:
    barrier = Barrier(8)

    def racer(_number: int) -> int:
        try:
            barrier.wait(timeout=30)
            return passed(clock, 10, 20)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(racer, range(8))) == 20
