"""What each engine would start, without starting it."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from results.documents.failures import FailureClass
from results.documents.parameters import ARGUMENTS, VllmArguments
from results.documents.recipe import Recipe
from tests.factories import run_json
from workers import probe
from workers.engines import ENGINES, llamacpp, make_engine, vllm, vllm_cpu
from workers.environments import Environment, quiet
from workers.failures import ExecutionFailure
from workers.tiny_model import TinyModel


def recipe(engine: str, version: str, **arguments: Any) -> Recipe:
    """Honest about the offload that its arguments ask for."""
    document = run_json()["recipe"]
    changes: dict[str, Any] = {"engine": {"name": engine, "version": version}, "arguments": arguments}
    if arguments.get("cache_ram_mib") or arguments.get("kv_offloading_gib"):
        changes["kv_offload"] = {"mode": "dram", "backend": "native"}
    return Recipe.model_validate({**document, **changes})


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A host without GPU on which every environment and the model are already there."""
    model = TinyModel(tmp_path / "model", "0" * 64)
    monkeypatch.setattr(llamacpp, "find_model", lambda *_: model)
    monkeypatch.setattr(vllm, "find_model", lambda *_: model)
    monkeypatch.setattr(
        "workers.environments.ensure", lambda name, *_: Environment(name, tmp_path / "envs" / name)
    )
    monkeypatch.setattr(probe, "has_nvidia_gpu", lambda: False)
    return tmp_path


def test_every_executable_engine_has_arguments_and_a_module() -> None:
    assert set(ENGINES) == set(ARGUMENTS)


def test_llamacpp_passes_the_recipe_as_data(host: Path) -> None:
    engine = make_engine(recipe("llamacpp", llamacpp.VERSION, parallel=4, cache_ram_mib=64), host)
    engine.prepare(quiet)
    launch = engine.launch(8123)
    assert launch is not None
    options = json.loads(launch.argv[-1])
    assert options == {
        "model": str(host / "model" / "model.gguf"), "alias": "northstar-tiny", "host": "127.0.0.1",
        "port": 8123, "context": 8192, "parallel": 4, "cache_prompt": True, "cache_ram_mib": 64,
        "threads": None,
    }  # fmt: skip


@pytest.mark.parametrize("engine", ["llamacpp", "vllm"])
def test_another_version_than_the_hosts_is_refused(host: Path, engine: str) -> None:
    with pytest.raises(ExecutionFailure) as caught:
        make_engine(recipe(engine, "0.0.1"), host).prepare(quiet)
    assert caught.value.failure == FailureClass.ENVIRONMENT
    assert caught.value.line.startswith("/recipe/engine/version: this host has ")


@pytest.mark.parametrize(
    ("engine", "arguments", "change", "line"),
    [
        ("llamacpp", {}, {"precision": "bf16"},
         "/recipe/precision: bf16 is written, but the arguments serve fp16"),
        ("llamacpp", {}, {"kv_dtype": "fp8"},
         "/recipe/kv_dtype: fp8 is written, but the arguments serve fp16"),
        ("llamacpp", {"cache_ram_mib": 64}, {"kv_offload": {"mode": "none"}},
         "/recipe/kv_offload/mode: none is written, but the arguments serve dram"),
        ("vllm", {}, {"precision": "fp4"}, "/recipe/precision: one of fp32, fp16, bf16"),
        ("vllm", {}, {"precision": "bf16"},
         "/recipe/kv_dtype: fp16 is written, but the arguments serve bf16"),
        ("vllm", {"tensor_parallel_size": 2}, {},
         "/recipe/roles/serve/tp: 1 is written, but the arguments serve 2"),
    ],
)  # fmt: skip
def test_a_recipe_that_is_not_what_is_served_is_refused(
    host: Path, engine: str, arguments: dict[str, Any], change: dict[str, Any], line: str
) -> None:
    version = {"llamacpp": llamacpp.VERSION, "vllm": vllm.CPU_VERSION}[engine]
    document = recipe(engine, version, **arguments).model_dump(mode="json") | change
    with pytest.raises(ExecutionFailure) as caught:
        make_engine(Recipe.model_validate(document), host).prepare(quiet)
    assert (caught.value.failure, caught.value.line) == (FailureClass.BAD_DOCUMENT, line)


def test_vllm_serves_the_precision_of_the_recipe(host: Path) -> None:
    document = recipe("vllm", vllm.CPU_VERSION).model_dump(mode="json")
    document |= {"precision": "bf16", "kv_dtype": "bf16"}
    engine = make_engine(Recipe.model_validate(document), host)
    engine.prepare(quiet)
    launch = engine.launch(8123)
    assert launch is not None
    assert launch.argv[launch.argv.index("--dtype") + 1] == "bfloat16"


def test_vllm_flags() -> None:
    arguments = VllmArguments(
        enable_prefix_caching=False, max_num_seqs=8, kv_cache_memory_gib=2, kv_offloading_gib=64
    )
    on_gpu = vllm.flags(arguments, on_gpu=True)
    assert "--no-enable-prefix-caching" in on_gpu
    assert "--enable-prompt-tokens-details" in on_gpu
    assert on_gpu[on_gpu.index("--kv-cache-memory-bytes") + 1] == str(2 * 2**30)
    assert on_gpu[on_gpu.index("--kv-offloading-size") + 1] == "64.0"
    assert "--kv-cache-memory-bytes" not in vllm.flags(arguments, on_gpu=False)


def test_vllm_on_a_cpu_reads_its_cache_size_from_the_environment(host: Path) -> None:
    engine = make_engine(recipe("vllm", vllm.CPU_VERSION, kv_cache_memory_gib=3), host)
    engine.prepare(quiet)
    launch = engine.launch(8123)
    assert launch is not None
    assert launch.environment["VLLM_CPU_KVCACHE_SPACE"] == "3"
    assert launch.environment["HF_HUB_OFFLINE"] == "1"


def test_vllm_has_no_offload_on_a_cpu(host: Path) -> None:
    with pytest.raises(ExecutionFailure, match="the CPU build has no KV offload"):
        make_engine(recipe("vllm", vllm.CPU_VERSION, kv_offloading_gib=1), host).prepare(quiet)


@pytest.mark.parametrize(("backend", "chosen"), [("vllm-native", None), ("vllm-simple", "1")])
def test_the_offload_backend_of_the_recipe_chooses_the_connector(
    host: Path, monkeypatch: pytest.MonkeyPatch, backend: str, chosen: str | None
) -> None:
    monkeypatch.setattr(probe, "has_nvidia_gpu", lambda: True)
    document = recipe("vllm", vllm.CUDA_VERSION, kv_offloading_gib=1).model_dump(mode="json")
    document["kv_offload"]["backend"] = backend
    engine = make_engine(Recipe.model_validate(document), host)
    engine.prepare(quiet)
    launch = engine.launch(8123)
    assert launch is not None
    assert launch.environment.get("VLLM_USE_SIMPLE_KV_OFFLOAD") == chosen


def test_an_offload_backend_that_is_not_served_is_refused(
    host: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe, "has_nvidia_gpu", lambda: True)
    document = recipe("vllm", vllm.CUDA_VERSION, kv_offloading_gib=1).model_dump(mode="json")
    document["kv_offload"]["backend"] = "lmcache"
    with pytest.raises(ExecutionFailure, match="backend: one of vllm-native, native, vllm-simple"):
        make_engine(Recipe.model_validate(document), host).prepare(quiet)


def test_the_cpu_build_takes_whole_gibibytes(host: Path) -> None:
    with pytest.raises(ExecutionFailure, match="whole GiB only"):
        make_engine(recipe("vllm", vllm.CPU_VERSION, kv_cache_memory_gib=1.5), host).prepare(quiet)


def test_the_metadata_wheel_is_what_vllm_looks_for(tmp_path: Path) -> None:
    with zipfile.ZipFile(vllm_cpu.metadata_wheel(tmp_path)) as wheel:
        names = wheel.namelist()
        metadata = wheel.read(names[0]).decode()
    assert all(name.startswith("vllm-0.32.0+cpu.dist-info/") for name in names)
    assert "Version: 0.32.0+cpu" in metadata


@pytest.mark.parametrize(
    ("product", "slug"),
    [
        ("NVIDIA H200", "h200"),
        ("NVIDIA H100 80GB HBM3", "h100"),
        ("NVIDIA GB300", "gb300"),
        ("NVIDIA RTX PRO 6000 Blackwell Server Edition", "rtx-pro-6000"),
        ("AMD Instinct MI355X", "mi355x"),
        ("NVIDIA GeForce RTX 3090", None),
    ],
)
def test_products_are_named_as_in_the_catalogue(product: str, slug: str | None) -> None:
    assert probe.slug_of(product) == slug
