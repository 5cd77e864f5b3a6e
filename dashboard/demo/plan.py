"""What the demo measures: every recipe once per block, the order turned from block to block."""

from collections.abc import Iterable, Sequence
from typing import Any

Json = dict[str, Any]
#: States in which a run needs nobody to submit it again.
STANDING = frozenset({"queued", "claimed", "running", "uploading", "succeeded"})


def order(labels: Sequence[str], blocks: int) -> list[tuple[int, str]]:
    """(block, label) in order of execution; each block starts one recipe further, so drift hits all alike."""
    turned = []
    for block in range(1, blocks + 1):
        shift = (block - 1) % len(labels)
        turned += [(block, label) for label in (*labels[shift:], *labels[:shift])]
    return turned


def may_stand_for(run: Json, document: Json) -> bool:
    """Whether a listed run looks like ``document`` and is still of use; its document decides."""
    return (
        run["state"] in STANDING
        and run["label"] == document["label"]
        and run["block"] == document["block"]
        and run["loads"] == document["loads"]
        and (run["state"] != "succeeded" or run["point_count"] >= len(document["loads"]))
    )


def newest_first(runs: Iterable[Json]) -> list[Json]:
    return sorted(runs, key=lambda run: str(run["created_at"]), reverse=True)
