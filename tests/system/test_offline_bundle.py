"""A bundle is built, cut, unpacked and run where no network is; its result is ingested."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from django.core.management import call_command

from results.models import Artifact, Point
from tests.system.attempts import environments, workers
from tests.system.processes import ROOT

pytestmark = [
    pytest.mark.system,
    pytest.mark.minutes,
    pytest.mark.xdist_group("offline"),
    pytest.mark.django_db,
]

#: Starts a program in a network without any way out; only its own loopback is up.
_ALONE = """
import fcntl, os, socket, struct, sys
with socket.socket() as end:
    fcntl.ioctl(end, 0x8914, struct.pack("16sh", b"lo", 0x1 | 0x40))
os.execvp(sys.argv[1], sys.argv[1:])
"""


def without_network() -> list[str]:
    """Command that puts the rest of a line into a network of its own; empty where the kernel refuses."""
    argv = ["unshare", "--net", "--map-root-user", sys.executable, "-c", _ALONE]
    if shutil.which("unshare") is None:
        return []
    return argv if subprocess.run([*argv, "true"], capture_output=True).returncode == 0 else []


def no_way_out() -> dict[str, str]:
    """For hosts where the kernel refuses: pip has no index, and proxies lead nowhere."""
    nowhere = "http://127.0.0.1:9"
    return {"PIP_NO_INDEX": "1", "UV_OFFLINE": "1", "HTTP_PROXY": nowhere, "HTTPS_PROXY": nowhere}


@pytest.fixture(scope="module")
def var(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("var")
    workers("provision", var=folder)
    return folder


@pytest.fixture(scope="module")
def target_python() -> Path:
    """A Python with most of what the client needs, as a GPU host has most of what an engine needs."""
    return next(Path(environments()).glob("aiperf-*/bin/python"))


@pytest.fixture(scope="module")
def bundle(var: Path, target_python: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("offline")
    argv = [str(target_python), "-m", "pip", "list", "--format=freeze", "--disable-pip-version-check"]
    listed = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    kept = [line for line in listed.splitlines() if line.split("==")[0] not in ("aiperf", "pip", "pydantic")]
    (home / "packages.txt").write_text("\n".join(kept))
    document = json.loads(
        workers("example", "--label", "prefix-cache", "--loads", "1", "--window", 5, var=var)
    )
    document["recipe"]["arguments"]["threads"] = 1
    document["client"] |= {"start_ratio": [0.0, 0.1], "grace_seconds": 5}
    (home / "documents").mkdir()
    (home / "documents" / "01-first.json").write_text(json.dumps(document))
    version = subprocess.run([str(target_python), "-V"], capture_output=True, text=True, check=True).stdout
    command = [sys.executable, "-m", "workers.offline", "--engine", "llamacpp", "--part-mib", "8",
               "--python", ".".join(version.split()[1].split(".")[:2]), "--var", str(var),
               "--have", str(home / "packages.txt"), "--documents", str(home / "documents"),
               "--out", str(home / "bundle")]  # fmt: skip
    subprocess.run(command, cwd=ROOT, check=True)
    return home / "bundle"


def run(bundle: Path, home: Path, python: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the bundle as a stranger would: no variable of ours, no network."""
    alone = without_network()
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(home), "PYTHON": str(python), "PREFIX": str(home / "prefix"),
        "OUT": str(home / "out"), **({} if alone else no_way_out()), **variables,
    }  # fmt: skip
    argv = [*alone, "sh", str(bundle / "run.sh")]
    return subprocess.run(argv, env=environment, cwd=home, capture_output=True, text=True)


def test_a_bundle_runs_without_a_network_and_is_ingested(
    bundle: Path, target_python: Path, tmp_path: Path, db: None
) -> None:
    parts = json.loads((bundle / "BUNDLE.json").read_text())["parts"]
    assert len(parts) > 1
    assert all((bundle / part["name"]).stat().st_size <= 8 * 2**20 for part in parts)
    done = run(bundle, tmp_path, target_python, BUDGET_SECONDS="400")
    assert done.returncode == 0, done.stderr[-2000:]
    with tarfile.open(tmp_path / "out" / "results.tar.gz") as tar:
        tar.extractall(tmp_path / "results", filter="data")
    call_command("load_catalogue")
    call_command("ingest_bundle", str(tmp_path / "results" / "01-first-0"))
    (point,) = Point.objects.values("load", "requests_successful")
    assert point["load"] == 1
    assert (point["requests_successful"] or 0) >= 1
    assert Artifact.objects.count() >= 10

    again = run(bundle, tmp_path, target_python, BUDGET_SECONDS="400")
    assert "nothing new" in again.stdout
    assert "done before" in again.stderr


def test_a_damaged_part_is_named(bundle: Path, target_python: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(bundle, tmp_path / "copy"))
    part = copy / "part-01"
    part.write_bytes(part.read_bytes()[:-1] + b"\0")
    done = run(copy, tmp_path, target_python)
    assert (done.returncode, done.stderr) == (1, "unpack: part-01 is damaged\n")
    part.unlink()
    assert run(copy, tmp_path, target_python).stderr == "unpack: part-01 is missing\n"


def test_another_python_is_refused(bundle: Path, target_python: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(bundle, tmp_path / "copy"))
    document = json.loads((copy / "BUNDLE.json").read_text())
    (copy / "BUNDLE.json").write_text(json.dumps({**document, "python": "3.9"}))
    assert "the bundle is for Python 3.9" in run(copy, tmp_path, target_python).stderr
