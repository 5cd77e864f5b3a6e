"""AIPerf 0.13: the command of one load, and where its files go.

The traps that the options guard against were all met in practice; each is named where it is handled.
"""

import shutil
from dataclasses import dataclass
from pathlib import Path

from results.documents.failures import FailureClass
from results.documents.run import PUBLIC_CORPORA, AgenticScenario, Client
from workers.failures import ExecutionFailure

TOKENIZER = "northstar/served-model"
#: Files of a load that are kept, under these names.
RECORDS = "profile_export.jsonl"
SUMMARY = "profile_export_aiperf.json"
SERVER_METRICS = "server_metrics_export.json"
KEPT = (RECORDS, SUMMARY, SERVER_METRICS)


@dataclass(frozen=True, slots=True)
class Target:
    """Where the load goes: API root, model name on the wire, tokenizer's repository name, trace folder."""

    url: str
    model: str
    tokenizer: str
    traces: Path | None


def command(script: Path, load: int, target: Target, scenario: AgenticScenario, client: Client,
            output: Path) -> list[str]:  # fmt: skip
    """The argv list for one load."""
    argv = [
        str(script), "profile",
        "--scenario", "inferencex-agentx-mvp",
        "--url", target.url,
        "--model", target.model,
        "--tokenizer", target.tokenizer,
        "--endpoint-type", "chat",
        "--streaming",
        "--concurrency", str(load),
        "--benchmark-duration", str(client.window_seconds),
        "--random-seed", str(client.seed),
        # Reuse inside a session tree is what is measured; reuse between loads would falsify it.
        "--cache-bust", "first-turn-prefix",
        # Text of random weights does not tokenize back to what was generated, so the server counts.
        "--use-server-token-count",
        "--extra-inputs", "ignore_eos:true",
        "--trajectory-start-min-ratio", str(client.start_ratio[0]),
        "--trajectory-start-max-ratio", str(client.start_ratio[1]),
        "--failed-request-threshold", str(client.failed_request_threshold),
        # llama.cpp closes kept-alive sockets; a pooled client then reports ServerDisconnectedError.
        "--connection-reuse-strategy", "never",
        "--slice-duration", "1",
        "--export-level", "records",
        "--server-metrics-formats", "json",
        "--ui", "none",
        "--no-gpu-telemetry",
        "--output-artifact-dir", str(output),
    ]  # fmt: skip
    if client.idle_gap_cap_seconds is not None:
        argv += ["--trace-idle-gap-cap-seconds", str(client.idle_gap_cap_seconds)]
    if client.grace_seconds is not None:
        argv += ["--benchmark-grace-period", str(client.grace_seconds)]
    if client.unsafe_override:
        argv += ["--unsafe-override"]
    return argv + _corpus(scenario, target)


def _corpus(scenario: AgenticScenario, target: Target) -> list[str]:
    if scenario.corpus in PUBLIC_CORPORA:
        return ["--public-dataset", scenario.corpus]
    return ["--input-file", str(target.traces), "--custom-dataset-type", "weka_trace"]


def environment(hf_home: Path, cache: Path, *, offline: bool) -> dict[str, str]:
    """Variables of the client's process.

    Its trace loaders set HF_HUB_OFFLINE themselves, and then a local tokenizer path fails: the tokenizer is
    therefore shown as a repository of a cache of our own (see workers.tiny_model.hub_cache).
    """
    variables = {
        "HF_HOME": str(hf_home),
        # Its default is in the user's home and is shared between unrelated runs.
        "AIPERF_DATASET_MMAP_CACHE_DIR": str(cache),
        "AIPERF_DATASET_CONFIGURATION_TIMEOUT": "1800",
        "AIPERF_SERVICE_PROFILE_CONFIGURE_TIMEOUT": "1800",
        # Replays recorded answers; live output is measured and then dropped.
        "AIPERF_DATASET_WEKA_LIVE_ASSISTANT_RESPONSES": "0",
        "AIPERF_HTTP_TCP_USER_TIMEOUT": "900000",
        "NO_COLOR": "1",
        "COLUMNS": "160",
    }
    return variables | ({"HF_HUB_OFFLINE": "1"} if offline else {})


def collect(output: Path, load_folder: Path) -> None:
    """Move what is kept out of AIPerf's folder and drop the rest; missing files are looked at later."""
    for name in KEPT:
        found = next(iter(sorted(output.rglob(name))), None)
        if found is not None:
            shutil.move(found, load_folder / name)
    shutil.rmtree(output, ignore_errors=True)


def require_records(load_folder: Path) -> None:
    """Raise ``result_missing`` unless the client left records and a summary."""
    for name in (RECORDS, SUMMARY):
        path = load_folder / name
        if not path.exists() or path.stat().st_size == 0:
            raise ExecutionFailure(FailureClass.RESULT_MISSING, f"the client left no {name}")
