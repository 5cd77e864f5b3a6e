"""Many values as one parameter find what ``in`` finds; moments come back as they were stored."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from django.db import DataError, connection
from django.db.models import Q
from pytest_django import DjangoAssertNumQueries

from results.models import Engine
from results.queries.among import Among

pytestmark = pytest.mark.django_db


@pytest.fixture
def engines() -> list[int]:
    slugs = ("one", "two", "three")
    return [Engine.objects.create(slug=slug, name=slug).pk for slug in slugs]


def test_the_same_rows_as_in(engines: list[int]) -> None:
    chosen = engines[:2]
    for condition, same in (
        (Q(Among("id", chosen)), Q(id__in=chosen)),
        (~Q(Among("id", chosen)), ~Q(id__in=chosen)),
        (Q(Among("slug", ["three"])) | Q(Among("id", chosen)), Q(slug="three") | Q(id__in=chosen)),
        (Q(Among("id", [])) | Q(slug="one"), Q(slug="one")),
    ):
        found = Engine.objects.filter(condition).order_by("id")
        assert list(found) == list(Engine.objects.filter(same).order_by("id")) != []


def test_nothing_is_asked_for_no_values(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(0):
        assert list(Engine.objects.filter(Among("id", []))) == []


@pytest.mark.parametrize(
    "moment",
    [
        datetime(2026, 11, 30, tzinfo=UTC),
        datetime(2026, 11, 30, 23, 59, 59, 120, tzinfo=UTC),
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
        datetime(2026, 3, 1, 4, 5, 6, 700000, tzinfo=timezone(timedelta(hours=5, minutes=45))),
    ],
)
def test_moments_are_read_in_utc(moment: datetime) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s::timestamptz", [moment])
        ((found,),) = cursor.fetchall()
    assert (found, found.tzinfo) == (moment, UTC)


def test_what_is_no_moment_is_refused() -> None:
    with connection.cursor() as cursor, pytest.raises(DataError):
        cursor.execute("SELECT 'infinity'::timestamptz")
        cursor.fetchall()
