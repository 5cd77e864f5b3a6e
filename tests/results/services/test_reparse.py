"""Stored files are read again without being sent: after a mended parser, after a new alias."""

from dataclasses import replace
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from results.ingest.rows import Rejected
from results.models import Alias, Curve, Evaluation, Point, PointSource, Quarantine, Recipe, ResultFile, Run
from results.services.reparse import reparse
from tests.results.ingest.listed import RECIPE, Desk, result
from tests.results.services.test_accuracy import score

pytestmark = pytest.mark.django_db


def test_a_mended_parser_replaces_what_it_misread(listed: Desk) -> None:
    body = listed.content([result(4, values=1.0), result(8, values=2.0), Rejected("/2", "odd")])
    listed.read(body)
    before = Point.objects.get(load=4).id
    listed.format.files[body] = [result(4, values=1.0), result(8, values=3.0), result(16, pointer="/2")]
    (report,) = reparse()
    assert (report.created, report.unchanged, report.quarantined) == (2, 1, ())
    assert dict(Point.objects.values_list("load", "output_throughput")) == {4: 1.0, 8: 3.0, 16: 100.0}
    assert Point.objects.get(load=4).id == before
    assert Quarantine.objects.get().resolved_at is not None
    assert Run.objects.get().loads == [4, 8, 16]


def test_what_another_file_states_too_stays(listed: Desk) -> None:
    body = listed.content([result(4), score(0.95)])
    listed.read(body)
    listed.send(result(4, pointer="/x"), score(0.95, pointer="/y"))
    listed.format.files[body] = []
    list(reparse())
    assert PointSource.objects.get().pointer == "/x"
    evaluation = Evaluation.objects.get()
    assert [file.id for file in evaluation.files.all()] == [evaluation.file_id]
    assert Recipe.objects.get().accuracy == "pass"


def test_a_file_that_no_longer_says_anything_leaves_nothing(listed: Desk) -> None:
    body = listed.content([result(4), score(0.2)])
    listed.read(body)
    assert Recipe.objects.get().accuracy == "fail"
    listed.format.files[body] = []
    list(reparse())
    for table in (Point, Run, Curve, Evaluation):
        assert not table._default_manager.exists()
    assert Recipe.objects.get().accuracy == "unknown"


def test_a_current_observation_that_goes_makes_the_other_current(listed: Desk) -> None:
    listed.send(result(4, day=1, source_run="r", values=1.0))
    body = listed.content([result(4, day=2, source_run="r", values=2.0)])
    listed.read(body)
    assert Point.objects.get(current=True).value("output_throughput") == 2.0
    listed.format.files[body] = []
    list(reparse())
    assert (Point.objects.get().value("output_throughput"), Point.objects.get().current) == (1.0, True)


def test_one_alias_releases_every_waiting_row(listed: Desk) -> None:
    recipe = {**RECIPE, "engine": {"name": "newengine"}}
    for day in (1, 2, 3):
        listed.send(result(4, day=day, recipe=recipe), result(8, day=day))
    assert Quarantine.objects.filter(resolved_at=None).count() == 3
    Alias.objects.create(kind="engine", spelling="newengine", canonical="vllm", source="a test")
    assert sum(report.created for report in reparse()) == 3
    assert not Quarantine.objects.filter(resolved_at=None).exists()
    assert Recipe.objects.filter(engine__slug="vllm").count() == 2


def test_the_command_says_what_it_did(listed: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    listed.send(result(4))
    call_command("reparse")
    assert "total: 0 created, 1 unchanged, 0 superseded, 0 in quarantine" in capsys.readouterr().out
    sha256 = ResultFile.objects.get().artifact_id
    call_command("reparse", sha256=sha256)
    for bad in ("x", "0" * 64):
        with pytest.raises(CommandError) as caught:
            call_command("reparse", sha256=bad)
        assert caught.value.returncode == 2
    listed.send(Rejected("", "no"))
    with pytest.raises(CommandError) as caught:
        call_command("reparse")
    assert caught.value.returncode == 3


def test_a_parser_version_is_noted(listed: Desk, monkeypatch: Any) -> None:
    body = listed.content([result(4)])
    listed.read(body)
    monkeypatch.setattr(listed.format, "PARSER_VERSION", "listed/2")
    report = listed.read(body)
    assert report.unchanged == 1
    assert Point.objects.get().parser_version == "listed/2"
    assert replace(report, unchanged=0).created == 0
