"""The shipped catalogue, and what a bad file does."""

import io
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from results.documents.parameters import ARGUMENTS
from results.models import Alias, Engine, Hardware, LanguageModel
from results.services.load_catalogue import load_catalogue

pytestmark = pytest.mark.django_db


def test_loading_twice_changes_nothing() -> None:
    first, second = load_catalogue(), load_catalogue()
    assert first["created"] == second["unchanged"] > 100
    assert (second["created"], second["updated"]) == (0, 0)


def test_the_shipped_catalogue_is_complete() -> None:
    load_catalogue()
    wanted = {"h100", "h200", "b200", "b300", "gb200", "gb300", "rtx-pro-6000", "mi300x", "mi325x", "mi350x",
              "mi355x", "tpu-v7", "cpu"}  # fmt: skip
    assert set(Hardware.objects.values_list("slug", flat=True)) == wanted
    executable = Engine.objects.filter(executable=True).values_list("slug", flat=True)
    assert set(executable) == set(ARGUMENTS)
    assert LanguageModel.objects.filter(slug="northstar-tiny").exists()
    for hardware in Hardware.objects.all():
        assert (hardware.memory_gb is None) == (hardware.memory_source == ""), hardware
    assert not Alias.objects.filter(source="").exists()


def test_no_alias_hides_a_canonical_name() -> None:
    load_catalogue()
    tables = {"hardware": Hardware, "engine": Engine, "model": LanguageModel}
    for kind, table in tables.items():
        spellings = Alias.objects.filter(kind=kind).values_list("spelling", flat=True)
        assert not table._default_manager.filter(slug__in=spellings).exists()


def test_a_changed_entry_updates_its_row(tmp_path: Path) -> None:
    file = tmp_path / "engines.yaml"
    entry = "engines: [{{slug: x, name: {}, repository: '', executable: false}}]"
    file.write_text(entry.format("Old"))
    load_catalogue(folder=tmp_path)
    key = Engine.objects.get().id
    file.write_text(entry.format("New"))
    assert load_catalogue(folder=tmp_path) == {"created": 0, "updated": 1, "unchanged": 0}
    assert (Engine.objects.get().id, Engine.objects.get().name) == (key, "New")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("engines: [{slug: x}]", "bad.yaml: /engines/0/name"),
        ("engines: [{slug: 'X Y', name: n, repository: '', executable: false}]", "bad.yaml: /engines/0/slug"),
        ("colours: []", "bad.yaml: /colours"),
        ("engines: [", "bad.yaml: not YAML"),
        ("- a list", "bad.yaml: /"),
        (
            "aliases: [{kind: model, spelling: a, canonical: nobody, source: s}]",
            "bad.yaml: /aliases/0/canonical",
        ),
        ("engines: [{slug: good, name: twice, repository: '', executable: false}]", "good.yaml: /engines/0"),
    ],
)
def test_a_bad_file_is_named_and_loads_nothing(tmp_path: Path, text: str, place: str) -> None:
    good = "engines: [{slug: good, name: Good, repository: '', executable: false}]"
    (tmp_path / "good.yaml").write_text(good)
    (tmp_path / "bad.yaml").write_text(text)
    with pytest.raises(CommandError) as caught:
        call_command("load_catalogue", str(tmp_path), stdout=io.StringIO())
    assert caught.value.returncode == 2
    assert str(caught.value).startswith(place)
    assert "\n" not in str(caught.value)
    assert not Engine.objects.exists()
