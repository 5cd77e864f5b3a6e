import json
from pathlib import Path

import pytest

from results.documents.run import RunDocument
from workers.offline.core import copy_core
from workers.offline.data import collect, read_documents
from workers.offline.errors import OfflineError
from workers.offline.programs import PROGRAMS, check_cuda, programs_of
from workers.tiny_model import TinyModel
from workers.traces.corpora import corpus_sha256


@pytest.mark.parametrize("engine", sorted(PROGRAMS))
def test_the_worker_comes_last_and_every_lock_is_there(engine: str) -> None:
    programs = programs_of(engine)
    assert programs[-1].name == "worker"
    assert all(program.lock.is_file() and program.requirements for program in programs)


def test_an_unknown_engine_is_named() -> None:
    with pytest.raises(OfflineError, match="--engine: one of llamacpp, vllm"):
        programs_of("sglang")


def test_an_engine_for_another_cuda_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.so").write_bytes(b"\0libcudart.so.13\0")
    check_cuda(tmp_path, "13.0")
    with pytest.raises(OfflineError, match=r"linked with CUDA 13, not 12\.8"):
        check_cuda(tmp_path, "12.8")


def test_the_core_has_what_a_run_imports_and_no_pages(tmp_path: Path) -> None:
    copy_core(tmp_path)
    assert (tmp_path / "workers" / "offline" / "run.sh").is_file()
    assert (tmp_path / "results" / "documents" / "run.py").is_file()
    assert not (tmp_path / "results" / "models").exists()
    assert not (tmp_path / "dashboard").exists()


def document(**changes: object) -> dict[str, object]:
    return {
        "label": "a",
        "recipe": {
            "roles": {"serve": {"hardware": "cpu", "gpus": 1}},
            "engine": {"name": "llamacpp", "version": "1"},
            "model": {"name": "northstar-tiny", "revision": "sha256:" + "a" * 64},
            "precision": "fp16",
            "kv_dtype": "fp16",
        },
        "scenario": {"kind": "agentic", "corpus": "cpu-8k", "version": corpus_sha256("cpu-8k")},
        "loads": [1],
        "client": {"window_seconds": 10, "unsafe_override": True},
        **changes,
    }


def test_documents_are_read_by_name(tmp_path: Path) -> None:
    for name in ("2.json", "1.json"):
        (tmp_path / name).write_text(json.dumps(document()))
    assert list(read_documents(tmp_path)) == ["1.json", "2.json"]
    (tmp_path / "3.json").write_text(json.dumps(document(loads=[2, 1])))
    with pytest.raises(OfflineError, match=r"3\.json.*increasing"):
        read_documents(tmp_path)


def test_a_folder_without_documents_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OfflineError, match="holds no"):
        read_documents(tmp_path)


def test_model_and_corpus_travel_with_the_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = TinyModel(tmp_path / "model", "a" * 64)
    (model.path / "hf").mkdir(parents=True)
    (model.path / "hf" / "config.json").write_text("{}")
    monkeypatch.setattr("workers.offline.data.find_tiny_model", lambda *_: model)
    wanted = {"1.json": RunDocument.model_validate(document())}
    collect(tmp_path / "data", wanted, tmp_path / "var")
    found = {path.relative_to(tmp_path / "data").as_posix() for path in (tmp_path / "data").rglob("*.json")}
    # The worker brings the shipped corpora itself.
    assert found == {"documents/1.json", f"models/northstar-tiny/{'a' * 64}/hf/config.json"}


def test_a_model_that_is_not_here_is_named(tmp_path: Path) -> None:
    wanted = {"1.json": RunDocument.model_validate(document())}
    with pytest.raises(OfflineError, match=r"/recipe/model: .* holds no northstar-tiny"):
        collect(tmp_path / "data", wanted, tmp_path / "var")


def test_a_corpus_that_would_be_downloaded_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = TinyModel(tmp_path / "model", "a" * 64)
    model.path.mkdir()
    monkeypatch.setattr("workers.offline.data.find_tiny_model", lambda *_: model)
    scenario = {"kind": "agentic", "corpus": "semianalysis_cc_traces_weka_062126"}
    wanted = {"1.json": RunDocument.model_validate(document(scenario=scenario))}
    with pytest.raises(OfflineError, match="replays local corpora only"):
        collect(tmp_path / "data", wanted, tmp_path / "var")
