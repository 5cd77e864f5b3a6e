import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from workers.leftovers import Known, end, family, recall, remember
from workers.workspace import Workspace, workspaces

PARENT = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"], start_new_session=True)
print(child.pid, flush=True)
time.sleep(300)
"""


@pytest.fixture
def pair() -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A process and its child, which has a session of its own."""
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        yield parent, int(parent.stdout.readline())
        end(family(parent.pid))


def test_family_names_parent_and_child(pair: tuple[subprocess.Popen[str], int]) -> None:
    parent, child = pair
    assert [known.pid for known in family(parent.pid)] == [parent.pid, child]


def test_remembered_orphan_is_ended(pair: tuple[subprocess.Popen[str], int], tmp_path: Path) -> None:
    parent, child = pair
    remember(tmp_path / "processes.json", family(parent.pid))
    parent.kill()
    parent.wait()
    known = recall(tmp_path / "processes.json")
    assert [item.living() is not None for item in known] == [False, True]
    assert end(known) == []
    assert known[1].living() is None
    assert known[1].pid == child


def test_a_number_that_is_used_again_is_not_touched(pair: tuple[subprocess.Popen[str], int]) -> None:
    parent, _child = pair
    impostor = Known(parent.pid, family(parent.pid)[0].started - 10)
    assert impostor.living() is None
    assert end([impostor]) == []
    assert parent.poll() is None


def test_it_never_ends_itself() -> None:
    assert end(family(os.getpid())[:1]) == []


@pytest.mark.parametrize("content", ["", "{", "[[1]]", '[["a", "b"]]'])
def test_a_torn_list_is_no_list(tmp_path: Path, content: str) -> None:
    path = tmp_path / "processes.json"
    assert recall(path) == []
    path.write_text(content)
    assert recall(path) == []


def test_a_workspace_is_held_by_one(tmp_path: Path) -> None:
    run = uuid4()
    first, second = Workspace(tmp_path, run, 0), Workspace(tmp_path, run, 0)
    with first.held() as free:
        assert free
        with second.held() as also_free:
            assert not also_free
    with second.held() as free:
        assert free


def test_workspaces_are_found_and_other_things_are_not(tmp_path: Path) -> None:
    run = uuid4()
    for number in (1, 0):
        Workspace(tmp_path, run, number).prepare({})
    (tmp_path / "notes" / "0").mkdir(parents=True)
    (tmp_path / str(run) / "draft").mkdir()
    assert [(space.run, space.number) for space in workspaces(tmp_path)] == [(run, 0), (run, 1)]


def test_removing_the_last_workspace_of_a_run_removes_its_folder(tmp_path: Path) -> None:
    run = uuid4()
    spaces = [Workspace(tmp_path, run, number) for number in (0, 1)]
    for space in spaces:
        space.prepare({})
    spaces[0].remove()
    assert (tmp_path / str(run)).exists()
    spaces[1].remove()
    assert list(tmp_path.iterdir()) == []
