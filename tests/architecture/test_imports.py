"""Who may import whom. The packages stay small houses with one direction."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OURS = {"dashboard", "results", "workers"}
ALLOWED = {"results": set[str](), "dashboard": {"results"}, "workers": {"results"}}
PURE = ["results/analysis", "results/documents", "results/metrics.py", "workers/traces"]
FRAMEWORKS = {"django", "rest_framework", "celery"}


def modules(*places: str) -> Iterator[Path]:
    for place in places:
        path = ROOT / place
        yield from path.rglob("*.py") if path.is_dir() else [path]


def imported(path: Path) -> Iterator[str]:
    """Dotted names that a module imports, wherever in the file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield str(node.module)


def roots(path: Path) -> set[str]:
    return {name.partition(".")[0] for name in imported(path)}


@pytest.mark.parametrize("package", sorted(OURS))
def test_packages_import_in_one_direction(package: str) -> None:
    for path in modules(package):
        foreign = (roots(path) & OURS) - {package} - ALLOWED[package]
        assert not foreign, f"{path.relative_to(ROOT)} imports {foreign}"


@pytest.mark.parametrize("place", PURE)
def test_pure_code_knows_no_framework(place: str) -> None:
    for path in modules(place):
        assert not roots(path) & FRAMEWORKS, path.relative_to(ROOT)


@pytest.mark.parametrize("module", ["workers.supervisor", "workers.__main__", "results.documents.run"])
def test_supervisor_loads_neither_django_nor_celery(module: str) -> None:
    code = f"import {module}, sys; print(sorted({FRAMEWORKS!r} & set(sys.modules)))"
    shown = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_only_services_write_run_state() -> None:
    """``state=`` in an update, or an assignment to ``.state``, belongs in results.services alone."""
    for path in modules("results", "dashboard", "workers"):
        if "services" in path.parts or "migrations" in path.parts:
            continue
        assert not list(state_writes(path)), path.relative_to(ROOT)


def state_writes(path: Path) -> Iterator[int]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr == "update" and any(word.arg == "state" for word in node.keywords):
                yield node.lineno
        elif isinstance(node, ast.Assign):
            targets = (target for target in node.targets if isinstance(target, ast.Attribute))
            yield from (node.lineno for target in targets if target.attr == "state")


def test_no_shell_and_no_naive_time() -> None:
    for path in modules("results", "dashboard", "workers"):
        text = path.read_text(encoding="utf-8")
        assert "shell=True" not in text, path
        assert "utcnow(" not in text, path


def test_rooms_have_no_lumber() -> None:
    names = {path.name for path in modules("results", "dashboard", "workers")}
    assert not names & {"utils.py", "helpers.py", "misc.py", "common.py"}
