from pathlib import Path

import pytest

from workers.offline.errors import OfflineError
from workers.offline.have import Have, canonical, read_have
from workers.offline.resolve import locked_pins, pins


def test_names_and_versions_of_the_target(tmp_path: Path) -> None:
    file = tmp_path / "packages.txt"
    file.write_text("# the target\ntorch==2.11.0+cu130\nTyping_Extensions\n\nnumpy==2.5.2  # as it is\n")
    have = read_have(file)
    assert have.versions == {"torch": "2.11.0", "typing-extensions": None, "numpy": "2.5.2"}
    assert have.overrides == ["numpy==2.5.2", "torch==2.11.0"]


def test_an_empty_target() -> None:
    assert read_have(None) == Have({})


@pytest.mark.parametrize("line", ["torch>=2", "torch @ file:///x", "-e .", "a b", "torch=="])
def test_other_lines_are_refused_with_their_number(tmp_path: Path, line: str) -> None:
    file = tmp_path / "packages.txt"
    file.write_text(f"numpy\n{line}\n")
    with pytest.raises(OfflineError, match=r"packages\.txt:2: .*neither NAME nor NAME==VERSION"):
        read_have(file)


def test_names_are_compared_as_indexes_do() -> None:
    assert {canonical(name) for name in ("A.b", "a_b", "A--B")} == {"a-b"}


def test_the_locks_versions_hold_unless_the_target_has_another(tmp_path: Path) -> None:
    lock = tmp_path / "lock.txt"
    lock.write_text(
        "# made\nnumpy==2.3.5 \\\n    --hash=sha256:00\nPyYAML==6.0.4 ; python_version < '4' \\\n"
    )
    assert locked_pins(lock, Have({"numpy": None})) == ["PyYAML==6.0.4"]
    assert pins(lock.read_text()) == {"numpy": "2.3.5", "pyyaml": "6.0.4"}
