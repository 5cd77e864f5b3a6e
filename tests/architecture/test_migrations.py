"""Models and migrations agree, and migrations form one line."""

import pytest
from django.core.management import call_command
from django.db.migrations.loader import MigrationLoader

from results.metrics import METRICS
from results.models import Point


@pytest.mark.django_db
def test_no_migration_is_missing() -> None:
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)


def test_migrations_are_linear() -> None:
    graph = MigrationLoader(None).graph
    assert len(graph.leaf_nodes("results")) == 1
    for node in graph.nodes:
        assert node[0] != "results" or len(graph.node_map[node].children) <= 1


def test_every_metric_has_its_column() -> None:
    columns = {field.name for field in Point._meta.get_fields()}
    assert set(METRICS) <= columns
