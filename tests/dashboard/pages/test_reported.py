"""More of what users of other dashboards reported: what is hidden, laid over, copied, linked."""

import csv
import io
import json
import re

import pytest
from django.test import Client

from results.models import Point, Recipe
from tests.dashboard.pages.explored import points, recipe
from tests.dashboard.pages.test_explore_plane import Y, marks, page, rows

pytestmark = pytest.mark.django_db


def test_two_digests_of_one_image_tag_are_two_recipes(client: Client) -> None:
    for digest, y in (("a", 100.0), ("b", 120.0)):
        image = f"vllm/vllm-openai:v1@sha256:{digest * 64}"
        points(recipe(engine={"name": "vllm", "version": "1.0", "image": image}), {1: (80, y)})
    assert Recipe.objects.count() == 2
    assert {(row["fingerprint"], row[Y]) for row in rows(client)} == set(
        zip(Recipe.objects.order_by("id").values_list("fingerprint", flat=True), (100.0, 120.0), strict=True)
    )


def test_a_hidden_series_is_not_drawn_and_sets_no_axis(client: Client) -> None:
    points(recipe("b200"), {1: (80, 100), 2: (60, 150)})
    points(recipe("mi355x"), {1: (0.001, 1e6), 2: (0.0005, 2e6)})
    key = next(row["fingerprint"][:12] for row in rows(client) if row["hardware"] == "MI355X")
    assert len(marks(client)) == 2
    hidden = client.get(f"/figure.json?y={Y}&yscale=log&xscale=log&hide={key}").json()
    assert {y for trace in hidden["data"] for y in trace["y"]} <= {100, 150} | {
        y for trace in hidden["data"] if trace["mode"] == "lines" for y in trace["y"]
    }
    assert max(hidden["layout"]["yaxis"]["tickvals"]) < 1e5
    assert min(hidden["layout"]["xaxis"]["tickvals"]) > 0.1


def test_a_pinned_card_shows_the_metric_that_was_chosen_last(client: Client) -> None:
    made = points(recipe(), {1: (80, 100)}, ttft_p50=1.25)[0]
    before, after = page(client, f"y={Y}&point={made.id}"), page(client, f"y=ttft_p50&point={made.id}")
    cards = [text[text.index('id="card-') : text.index("</section>", text.index('id="card-'))]
             for text in (before, after)]  # fmt: skip
    assert 'value="100"' in cards[0] and 'value="1.25"' not in cards[0]
    assert 'value="1.25"' in cards[1] and 'value="100"' not in cards[1]


def test_what_lies_over_it_honours_every_filter_and_the_percentile(client: Client) -> None:
    for day in (1, 9):
        points(recipe("b200"), {1: (80, 100.0 + day)}, day=day, interactivity_p90=40.0 + day)
        points(recipe("mi355x"), {1: (70, 50.0 + day)}, day=day, interactivity_p90=20.0 + day)
    found = rows(client, "over_as_of=2026-10-04&hardware=b200&percentile=p90")
    assert [(one["layer"], one["hardware"], one["interactivity_p90"]) for one in found] == [
        ("first", "B200", 49.0), ("over", "B200", 41.0),
    ]  # fmt: skip
    # Each row leads to the run that measured it, whichever layer it is in.
    assert {row["point"]: row["run"] for row in found} == {
        point.id: str(point.run_id) for point in Point.objects.filter(id__in=[row["point"] for row in found])
    }
    text = page(client, f"y={Y}&over_as_of=2026-10-04&hardware=b200&percentile=p90")
    for row in found:
        assert re.search(rf'id="pin-{row["point"]}".*?href="/runs/{row["run"]}/"', text)


def test_a_day_before_the_first_measurement_says_that_there_is_nothing(client: Client) -> None:
    points(recipe(), {1: (80, 100)}, day=5)
    assert "Over it, thin: as of 2026-10-01, 0 points" in page(client, f"y={Y}&over_as_of=2026-10-01")
    assert "was published by 2026-10-01 UTC" in page(client, f"y={Y}&as_of=2026-10-01")


def test_chart_table_and_file_keep_value_and_unit_from_a_millionth_to_a_million(client: Client) -> None:
    values = [1.2345678901234e-6 * 10**power for power in range(13)]
    points(recipe(), {load: (100.0 - load, value) for load, value in enumerate(values, start=1)})
    drawn = {y for trace in marks(client) for y in trace["y"]}
    table = page(client, f"y={Y}")
    filed = list(csv.DictReader(io.StringIO(client.get(f"/explore.csv?y={Y}").content.decode())))
    shown = {float(value) for value in re.findall(r'<data value="([^"]+)" title="[^"]+ tok/s/GPU">', table)}
    assert drawn == set(values) == {float(row[Y]) for row in filed} == shown
    assert {row[f"{Y}_unit"] for row in filed} == {"tok/s/GPU"}
    assert '<span class="unit">tok/s/GPU</span>' in table
    axis = client.get(f"/figure.json?y={Y}").json()["layout"]["yaxis"]["title"]["text"]
    assert "(tok/s/GPU)" in axis


def test_a_copied_address_gives_the_same_figure_in_another_browser(client: Client) -> None:
    for tp in (4, 8):
        points(recipe(tp=tp), {1: (80, 100.0 * tp), 2: (60, 150.0 * tp)})
    text = page(client, f"y={Y}&gpus=4&facet=hardware&xscale=log&at=70&over_as_of=2026-10-09&labels=none")
    copied = re.search(r'href="/\?([^"]+)" data-copy-link', text)
    assert copied is not None
    own = re.search(r'<script id="figure" type="application/json">(.*?)</script>', text, re.S)
    assert own is not None
    query = copied[1].replace("&amp;", "&")
    assert Client().get(f"/figure.json?{query}").json() == json.loads(own[1])
    # Points are told apart by their number of GPUs, and the address keeps the choice.
    assert {row["gpus"] for row in rows(client, "gpus=4")} == {4}
    assert "gpus=4" in query
