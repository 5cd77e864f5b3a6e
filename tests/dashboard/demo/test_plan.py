from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from dashboard.demo.plan import may_stand_for, order
from tests.dashboard.demo.answers import run

DOCUMENT = {"label": "prefix-cache", "block": 1, "loads": [1, 2]}


def test_one_block_runs_the_recipes_in_their_order() -> None:
    assert order(["off", "on", "tier"], 1) == [(1, "off"), (1, "on"), (1, "tier")]


def test_no_recipe_is_always_first() -> None:
    assert [label for _block, label in order(["off", "on", "tier"], 3)][::3] == ["off", "on", "tier"]


@given(st.integers(1, 5), st.integers(1, 9))
def test_every_block_measures_every_recipe_once(recipes: int, blocks: int) -> None:
    labels = [f"r{number}" for number in range(recipes)]
    counted = Counter(order(labels, blocks))
    assert counted == {(block, label): 1 for block in range(1, blocks + 1) for label in labels}


def test_a_run_stands_only_for_what_it_is() -> None:
    assert may_stand_for(run(), DOCUMENT)
    assert may_stand_for(run(state="queued"), DOCUMENT)
    assert not may_stand_for(run(state="failed"), DOCUMENT)
    assert not may_stand_for(run(state="cancelled"), DOCUMENT)
    assert not may_stand_for(run(point_count=1), DOCUMENT)
    assert not may_stand_for(run(block=2), DOCUMENT)
    assert not may_stand_for(run(label="other"), DOCUMENT)
    assert not may_stand_for(run(loads=[1, 2, 4]), DOCUMENT)
