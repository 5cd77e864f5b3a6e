import json
import tarfile
import time
from pathlib import Path

import pytest

from workers.offline import queue
from workers.offline.outcome import Result
from workers.offline.queue import Budget, Place, Queue, fresh, needed, places, said


def document(folder: Path, name: str, window: int = 10) -> Path:
    path = folder / f"{name}.json"
    path.write_text(json.dumps({"loads": [1, 2], "client": {"window_seconds": window, "grace_seconds": 5}}))
    return path


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the bundles that were begun; each run leaves an attempt that succeeded."""
    begun: list[str] = []

    def supervise(_document: Path, bundle: Path, place: Place, _envs: Path, _seconds: float) -> int:
        bundle.mkdir(parents=True)
        (bundle / "attempt.json").write_text(json.dumps({"outcome": "succeeded"}))
        begun.append(bundle.name)
        return 0

    monkeypatch.setattr(queue, "supervise", supervise)
    return begun


def run(folder: Path, documents: list[Path], seconds: float = 1000.0) -> list[Result]:
    (folder / "out").mkdir(exist_ok=True)
    work = Queue(iter(documents), folder, folder / "out", Budget(time.time() + seconds))
    return work.work([Place(folder / "var")])


def test_the_time_a_run_needs() -> None:
    client = {"window_seconds": 30}
    assert needed({"loads": [1], "client": client}) == 60 + 30 + 30 + 15
    assert needed({"loads": [1, 2], "client": {**client, "grace_seconds": 0}}) == 60 + 2 * 45


def test_what_does_not_fit_is_not_begun(tmp_path: Path, ran: list[str]) -> None:
    long, short = document(tmp_path, "1", window=600), document(tmp_path, "2")
    first, second = run(tmp_path, [long, short])
    assert (first.outcome, first.well, second.outcome) == ("not begun", False, "succeeded")
    assert first.detail is not None and "s needed" in first.detail
    assert ran == ["2-0"]


def test_a_second_call_goes_on(tmp_path: Path, ran: list[str]) -> None:
    documents = [document(tmp_path, "1"), document(tmp_path, "2")]
    run(tmp_path, documents[:1])
    assert [result.outcome for result in run(tmp_path, documents)] == ["done before", "succeeded"]
    assert ran == ["1-0", "2-0"]
    with tarfile.open(tmp_path / "out" / "results.tar.gz") as tar:
        assert "2-0/attempt.json" in tar.getnames()
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert [entry["name"] for entry in summary] == ["1", "2"]


def test_a_failed_run_leaves_its_evidence_and_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def supervise(_document: Path, bundle: Path, *_: object) -> int:
        bundle.mkdir(parents=True)
        return -9

    monkeypatch.setattr(queue, "supervise", supervise)
    for number in range(2):
        (result,) = run(tmp_path, [document(tmp_path, "1")])
        assert (result.outcome, result.well) == ("no attempt.json, exit code -9", False)
        assert result.bundle == tmp_path / "bundles" / f"1-{number}"


def test_an_outcome_is_what_the_attempt_says(tmp_path: Path) -> None:
    (tmp_path / "attempt.json").write_text('{"outcome": "cancelled"}')
    assert said(tmp_path, 3) == "cancelled"
    (tmp_path / "attempt.json").write_text("[")
    assert said(tmp_path, 1) == "no attempt.json, exit code 1"


def test_bundles_are_never_written_twice(tmp_path: Path) -> None:
    fresh(tmp_path / "a").mkdir()
    assert fresh(tmp_path / "a").name == "a-1"


def test_places_share_devices_and_processors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue.os, "sched_getaffinity", lambda _: set(range(5)), raising=False)
    assert places(tmp_path, "") == [Place(tmp_path / "var")]
    assert places(tmp_path, "1") == [Place(tmp_path / "var", "1")]
    assert places(tmp_path, "0,3") == [
        Place(tmp_path / "var-0", "0", frozenset({0, 1})),
        Place(tmp_path / "var-3", "3", frozenset({2, 3})),
    ]
    assert places(tmp_path, "0,3")[1].environment == {"CUDA_VISIBLE_DEVICES": "3"}
