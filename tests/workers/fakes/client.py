"""Stands in for AIPerf in tests of the supervisor: writes its log lines and files. Measures nothing.

The environment variable FAKE_CLIENT chooses the behaviour.
"""

import json
import os
import sys
import time
from pathlib import Path


def say(text: str) -> None:
    sys.stdout.write(f"06:00:00.000 {text} (runner.py:1)\n")
    sys.stdout.flush()


def record(error: object) -> str:
    metadata = {"request_start_ns": 1, "request_end_ns": 2, "benchmark_phase": "warmup"}
    return json.dumps({"metadata": metadata, "metrics": {}, "error": error}) + "\n"


def main() -> None:
    behaviour = Path(__file__).with_name("behaviour").read_text()
    output = Path(sys.argv[sys.argv.index("--output-artifact-dir") + 1])
    output.mkdir(parents=True)
    say("NOTICE   Phase agentic.warmup (warmup) started | target: 1")
    if behaviour == "warmup_fails":
        error = {"code": 404, "type": "Not Found", "message": "no such model"}
        (output / "profile_export.jsonl").write_text(record(error))
        say("WARNING  Terminal warmup failure for trace cpu-8k-0001; aborting run early")
        say("ERROR    No profile results to export")
        sys.exit(1)
    say("NOTICE   Phase profiling (profiling) started | target")
    if behaviour == "crashes":
        say("WARNING  --failed-request-threshold exceeded: 3/10 = 0.300 > 0.100")
        os._exit(1)
    if behaviour == "hangs":
        time.sleep(600)
    say("NOTICE   Phase profiling (profiling) complete | completed=1")
    if behaviour != "leaves_nothing":
        (output / "profile_export.jsonl").write_text(json.dumps({"metadata": {}, "metrics": {}}) + "\n")
        (output / "profile_export_aiperf.json").write_text("{}")


if __name__ == "__main__":
    main()
