from typing import Any

import pytest

from results.analysis.labels import gpus_of, recipe_label, role_label
from results.documents.recipe import Recipe, Role


def role(**sizes: Any) -> Role:
    return Role(**{"hardware": "b200", "gpus": 8, **sizes})


def recipe(**roles: Role) -> Recipe:
    return Recipe.model_validate(
        {
            "roles": {name: sizes.model_dump() for name, sizes in roles.items()},
            "engine": {"name": "vllm", "version": "1"},
            "model": {"name": "m"},
            "precision": "fp8",
            "kv_dtype": "fp8",
        }
    )


@pytest.mark.parametrize(
    ("sizes", "label"),
    [
        ({}, "TP1"),
        ({"tp": 8}, "TP8"),
        ({"tp": 8, "dp_attention": True}, "DPATP8"),
        ({"tp": 8, "ep": 8}, "TEP8"),
        ({"tp": 8, "ep": 8, "dp_attention": True}, "DEP8"),
        ({"tp": 8, "ep": 4}, "TP8EP4"),
        ({"tp": 1, "ep": 8}, "EP8"),
        ({"tp": 1, "ep": 8, "dp_attention": True}, "DPAEP8"),
        ({"tp": 2, "ep": 8, "dp_attention": True}, "DPATP2EP8"),
        ({"tp": 4, "pp": 2}, "TP4PP2"),
        ({"tp": 8, "ep": 8, "dcp": 4, "pcp": 2}, "TEP8DCP4PCP2"),
        ({"tp": 8, "ep": 8, "pp": 3, "dp_attention": True}, "DEP8PP3"),
    ],
)
def test_grammar_of_one_role(sizes: dict[str, Any], label: str) -> None:
    assert role_label(role(**sizes)) == label


def test_different_sizes_never_read_the_same() -> None:
    labels: dict[str, tuple[int, ...]] = {}
    for tp in (1, 2, 8):
        for ep in (1, 2, 8):
            for attention in (False, True):
                for pp, dcp, pcp in ((1, 1, 1), (2, 1, 1), (1, 2, 1), (1, 1, 2)):
                    sizes = role(tp=tp, ep=ep, dp_attention=attention, pp=pp, dcp=dcp, pcp=pcp)
                    key = (tp, ep, attention, pp, dcp, pcp)
                    assert labels.setdefault(role_label(sizes), key) == key


def test_prefill_and_decode_keep_their_own_sizes() -> None:
    """DCP and PCP of the two roles were once swapped, and PP lost (InferenceX-app 745, 634)."""
    found = recipe_label(
        recipe(
            decode=role(tp=16, ep=16, dcp=4, gpus=16),
            prefill=role(tp=4, ep=4, dp_attention=True, pcp=2, pp=2, workers=3, gpus=48),
        )
    )
    assert found == "3xDEP4PP2PCP2+1xTEP16DCP4"


@pytest.mark.parametrize(("workers", "label"), [(1, "TP8"), (2, "2xTP8")])
def test_an_aggregated_deployment_never_reads_as_a_disaggregated_one(workers: int, label: str) -> None:
    """Two nodes were once shown as prefill and decode, as in "TP8+0xTP0" (InferenceX-app 650)."""
    assert recipe_label(recipe(serve=role(tp=8, workers=workers, gpus=8 * workers))) == label


@pytest.mark.parametrize(
    ("sizes", "gpus"),
    [
        ({"tp": 8, "ep": 8}, 8),
        ({"tp": 4, "pp": 2}, 8),
        ({"tp": 4, "pp": 2, "pcp": 1, "ep": 4, "dcp": 2}, 8),
        ({"tp": 2, "ep": 2, "workers": 3}, 6),
        ({"tp": 4, "pcp": 2}, 8),
    ],
)
def test_experts_and_decode_context_share_gpus(sizes: dict[str, Any], gpus: int) -> None:
    assert gpus_of(role(**sizes)) == gpus


def test_a_stated_gpu_count_stands() -> None:
    """Data parallelism of 4 replicates TP2 on 8 GPUs, which no other size says."""
    found = recipe(serve=role(tp=2, ep=8, dp_attention=True, gpus=8))
    assert found.total_gpus == 8 and gpus_of(found.roles["serve"]) == 2
