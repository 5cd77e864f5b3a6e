"""What does being executed by a worker cost? The same engine and client, once by a worker, once by hand.

Both arms of a pair run next to each other in alternating order, so that drift of the host hits both. Needs a
running server (``make demo``) and a token with scope submit; prints a table and one JSON line.

    python -m benchmarks.worker_overhead --url http://127.0.0.1:8000 --token ns_s_... --pairs 5
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

from results.analysis.requests import parse_records
from results.analysis.summary import summarize
from results.documents.run import AgenticScenario, RunDocument
from workers import environments
from workers.__main__ import default_var
from workers.clients import aiperf
from workers.corpus import corpus_for
from workers.engines import make_engine
from workers.engines.health import answers
from workers.environments import quiet
from workers.examples import example
from workers.launchers.process import INHERITED, free_port
from workers.tiny_model import hub_cache

METRICS = ("request_throughput", "output_throughput", "ttft_p50", "ttft_p90")
#: Two-sided 95 % quantiles of Student's t by degrees of freedom.
T95 = {2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262}


def call(url: str, token: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request = urllib.request.Request(url, data=data, headers=headers)  # noqa: S310
    with urllib.request.urlopen(request, timeout=30) as response:  # noqa: S310
        return json.load(response)


def by_worker(url: str, token: str, document: RunDocument) -> dict[str, float]:
    """Submit the run, wait for its end, read its point."""
    run = call(f"{url}/api/v1/runs/", token, document.to_json())
    while run["state"] not in ("succeeded", "failed", "cancelled"):
        time.sleep(3)
        run = call(f"{url}/api/v1/runs/{run['id']}/", token)
    assert run["state"] == "succeeded", run
    point = call(f"{url}/api/v1/points/?run={run['id']}", token)["results"][0]
    return {metric: point["values"][metric] for metric in METRICS}


def by_hand(document: RunDocument, var: Path) -> dict[str, float]:
    """Start the same server and the same client with plain subprocess calls."""
    engine = make_engine(document.recipe, var)
    engine.prepare(quiet)
    port = free_port()
    launch = engine.launch(port)
    assert launch is not None
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with (folder / "server.log").open("wb") as log:
            server = subprocess.Popen(launch.argv, env=_environment(), stdout=log, stderr=log)
        try:
            while not answers(engine.base_url(port) + engine.health_path()):
                time.sleep(0.2)
            return _client(document, engine.base_url(port), engine.tokenizer(), folder, var)
        finally:
            server.terminate()
            server.wait()


def _client(document: RunDocument, url: str, tokenizer: Any, folder: Path, var: Path) -> dict[str, float]:
    assert isinstance(document.scenario, AgenticScenario)
    hub_cache(tokenizer, aiperf.TOKENIZER, folder / "hf")
    traces = corpus_for(document.scenario.corpus, document.scenario.version, var)
    target = aiperf.Target(url, document.recipe.model.name, aiperf.TOKENIZER, traces)
    script = environments.ensure("aiperf", var).script("aiperf")
    argv = aiperf.command(
        script, document.loads[0], target, document.scenario, document.client, folder / "aiperf"
    )
    variables = aiperf.environment(folder / "hf", var / "cache" / "aiperf", offline=True)
    with (folder / "client.log").open("wb") as log:
        subprocess.run(argv, env=_environment() | variables, stdout=log, stderr=log, check=True)
    records = parse_records((folder / "aiperf" / aiperf.RECORDS).read_bytes().splitlines())
    values = summarize(records, document.recipe.total_gpus).values
    return {metric: values[metric] for metric in METRICS}


def _environment() -> dict[str, str]:
    return {name: os.environ[name] for name in INHERITED if name in os.environ}


def interval(ratios: list[float]) -> tuple[float, float, float]:
    """Geometric mean of paired ratios with its 95 % t interval on logarithms."""
    logs = [math.log(ratio) for ratio in ratios]
    mean = statistics.fmean(logs)
    half = T95[len(logs) - 1] * statistics.stdev(logs) / math.sqrt(len(logs))
    return math.exp(mean), math.exp(mean - half), math.exp(mean + half)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--url", default="http://127.0.0.1:8000")
    parser.add_argument("--token", required=True)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--load", type=int, default=2)
    parser.add_argument("--window", type=int, default=40)
    parser.add_argument("--label", default="prefix-cache")
    chosen = parser.parse_args()
    var = default_var()
    pairs = []
    for number in range(chosen.pairs):
        document = example(
            "llamacpp", chosen.label, [chosen.load], chosen.window, number + 1, var, quiet
        ).model_copy(update={"label": "overhead-benchmark"})
        arms = {
            "worker": lambda document=document: by_worker(chosen.url, chosen.token, document),
            "hand": lambda document=document: by_hand(document, var),
        }
        order = ["worker", "hand"] if number % 2 == 0 else ["hand", "worker"]
        pair = {arm: arms[arm]() for arm in order}
        pairs.append(pair)
        print(number + 1, json.dumps(pair), flush=True)
    report = {
        metric: interval([pair["worker"][metric] / pair["hand"][metric] for pair in pairs])
        for metric in METRICS
    }
    for metric, (ratio, low, high) in report.items():
        print(f"{metric:20} worker / hand = {ratio:.3f} [{low:.3f}, {high:.3f}] n={len(pairs)}")
    print(json.dumps({"pairs": pairs, "ratios": report}))


if __name__ == "__main__":
    main()
