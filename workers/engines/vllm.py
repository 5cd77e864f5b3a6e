"""vLLM: the CUDA build where a GPU is present, the CPU build elsewhere."""

from pathlib import Path

from results.documents.failures import FailureClass
from results.documents.parameters import VllmArguments
from results.documents.recipe import Recipe
from workers import environments, probe
from workers.engines.base import Launch
from workers.engines.identity import check_identity, offload_mode
from workers.engines.llamacpp import find_model
from workers.environments import Progress
from workers.failures import ExecutionFailure
from workers.tiny_model import NAME, SHAPE

CPU_VERSION = "0.32.0"
CUDA_VERSION = "0.25.1"
#: KV cache of the CPU build when the recipe names none.
CPU_KV_GIB = 2
#: Precision in a recipe -> what vLLM calls it; its KV cache has the same.
DTYPES = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16"}
#: Offload backend in a recipe (names of the AgentX harness) -> environment that chooses its connector.
OFFLOAD_BACKENDS: dict[str, dict[str, str]] = {
    "vllm-native": {},
    "native": {},
    "vllm-simple": {"VLLM_USE_SIMPLE_KV_OFFLOAD": "1"},
}


def flags(arguments: VllmArguments, on_gpu: bool) -> list[str]:
    """Command-line flags of ``vllm serve`` for the recipe's arguments."""
    caching = "--enable-prefix-caching" if arguments.enable_prefix_caching else "--no-enable-prefix-caching"
    result = [
        "--max-model-len", str(arguments.max_model_len),
        "--load-format", arguments.load_format,
        "--tensor-parallel-size", str(arguments.tensor_parallel_size),
        # Without it the answers do not say how many prompt tokens came from the cache.
        "--enable-prompt-tokens-details",
        caching,
    ]  # fmt: skip
    if arguments.max_num_seqs is not None:
        result += ["--max-num-seqs", str(arguments.max_num_seqs)]
    if arguments.enforce_eager:
        result += ["--enforce-eager"]
    if arguments.gpu_memory_utilization is not None:
        result += ["--gpu-memory-utilization", str(arguments.gpu_memory_utilization)]
    if on_gpu and arguments.kv_cache_memory_gib is not None:
        result += ["--kv-cache-memory-bytes", str(int(arguments.kv_cache_memory_gib * 2**30))]
    if not on_gpu and arguments.tensor_parallel_size == 1:
        # One process less to start, and a CPU has no device that a worker of its own could drive.
        result += ["--distributed-executor-backend", "uni"]
    if arguments.kv_offloading_gib is not None:
        result += ["--kv-offloading-size", str(arguments.kv_offloading_gib),
                   "--kv-offloading-backend", "native"]  # fmt: skip
    return result


class Vllm:
    def __init__(self, recipe: Recipe, var: Path) -> None:
        self._recipe = recipe
        self._var = var
        self._arguments = VllmArguments.model_validate(recipe.arguments)
        self._on_gpu = probe.has_nvidia_gpu()
        self.served_model = recipe.model.name

    def prepare(self, progress: Progress) -> None:
        wanted, here = self._recipe.engine.version, CUDA_VERSION if self._on_gpu else CPU_VERSION
        if wanted != here:
            line = f"/recipe/engine/version: this host has {here}, not {wanted}"
            raise ExecutionFailure(FailureClass.ENVIRONMENT, line)
        if self._arguments.kv_offloading_gib is not None and not self._on_gpu:
            line = "/recipe/arguments/kv_offloading_gib: the CPU build has no KV offload"
            raise ExecutionFailure(FailureClass.BAD_DOCUMENT, line)
        if not self._on_gpu and (self._arguments.kv_cache_memory_gib or CPU_KV_GIB) % 1:
            line = "/recipe/arguments/kv_cache_memory_gib: the CPU build takes whole GiB only"
            raise ExecutionFailure(FailureClass.BAD_DOCUMENT, line)
        self._check_identity()
        name = "vllm-cuda" if self._on_gpu else "vllm-cpu"
        self._environment = environments.ensure(name, self._var, progress)
        self._model = find_model(self._recipe, self._var, progress, self._models())

    def _models(self) -> tuple[str, ...]:
        """A model without weights serves where the engine makes random ones."""
        return (NAME, SHAPE) if self._arguments.load_format == "dummy" else (NAME,)

    def _check_identity(self) -> None:
        recipe = self._recipe
        if recipe.precision not in DTYPES:
            line = f"/recipe/precision: one of {', '.join(DTYPES)}"
            raise ExecutionFailure(FailureClass.BAD_DOCUMENT, line)
        check_identity(recipe, {
            "kv_dtype": recipe.precision,
            "kv_offload/mode": offload_mode(self._arguments.kv_offloading_gib),
            "roles/serve/tp": self._arguments.tensor_parallel_size,
        })  # fmt: skip
        if recipe.kv_offload.mode != "none" and recipe.kv_offload.backend not in OFFLOAD_BACKENDS:
            line = f"/recipe/kv_offload/backend: one of {', '.join(OFFLOAD_BACKENDS)}"
            raise ExecutionFailure(FailureClass.BAD_DOCUMENT, line)

    def launch(self, port: int) -> Launch:
        argv = [
            str(self._environment.script("vllm")), "serve", str(self._model.hf_dir),
            "--host", "127.0.0.1", "--port", str(port), "--served-model-name", self.served_model,
            "--dtype", DTYPES[self._recipe.precision],
            *flags(self._arguments, self._on_gpu),
        ]  # fmt: skip
        return Launch(argv, self._variables())

    def _variables(self) -> dict[str, str]:
        variables = {
            "HF_HUB_OFFLINE": "1",
            "VLLM_NO_USAGE_STATS": "1",
            "DO_NOT_TRACK": "1",
            # Compiled graphs; its default is in the user's home.
            "VLLM_CACHE_ROOT": str(self._var / "cache" / "vllm"),
        }
        if self._on_gpu:
            # FlashInfer's sampler is compiled at start, which needs a CUDA compiler on the host.
            chosen = OFFLOAD_BACKENDS.get(self._recipe.kv_offload.backend or "", {})
            return variables | {"VLLM_USE_FLASHINFER_SAMPLER": "0"} | chosen
        gibibytes = int(self._arguments.kv_cache_memory_gib or CPU_KV_GIB)
        return variables | {"VLLM_CPU_KVCACHE_SPACE": str(gibibytes)}

    def base_url(self, port: int) -> str:
        return f"http://127.0.0.1:{port}"

    def health_path(self) -> str:
        return "/health"

    def tokenizer(self) -> Path:
        return self._model.hf_dir

    def versions(self) -> dict[str, str]:
        return {"engine": str(self._recipe.engine.version), "package": self._environment.name}
