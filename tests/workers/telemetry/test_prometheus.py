import errno
import json
import sys
import time
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from workers.launchers.process import ManagedProcess, free_port
from workers.telemetry.prometheus import Scraper, live_summary, parse

FAKE_SERVER = Path(__file__).parents[1] / "fakes" / "server.py"
TEXT = """\
# HELP vllm:num_requests_running Number of requests
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="tiny"} 3.0
vllm:num_requests_running{engine="1",model_name="tiny"} 2.0
vllm:kv_cache_usage_perc{engine="0"} NaN
vllm:time_to_first_token_seconds_bucket{le="0.1"} 4.0
vllm:time_to_first_token_seconds_sum{engine="0"} 1.25 1700000000000
python_gc_objects_collected_total{generation="0"} 100.0
llamacpp:prompt_tokens_total 17
broken line without value
"""


def test_samples_by_name_and_labels() -> None:
    assert parse(TEXT) == {
        'vllm:num_requests_running{engine="0",model_name="tiny"}': 3.0,
        'vllm:num_requests_running{engine="1",model_name="tiny"}': 2.0,
        'vllm:time_to_first_token_seconds_sum{engine="0"}': 1.25,
        "llamacpp:prompt_tokens_total": 17.0,
    }


def test_the_summary_adds_up_label_sets() -> None:
    assert live_summary(parse(TEXT)) == {"running": 5.0, "prompt_tokens": 17.0}


@given(st.text())
def test_no_text_breaks_the_parser(text: str) -> None:
    json.dumps(parse(text), allow_nan=False)


def test_a_running_server_is_scraped(tmp_path: Path) -> None:
    port = free_port()
    server = ManagedProcess(
        [sys.executable, str(FAKE_SERVER), str(port), "works"], log=tmp_path / "log", environment={}
    )
    path = tmp_path / "telemetry.jsonl"
    try:
        with Scraper(f"http://127.0.0.1:{port}/metrics", path) as scraper:
            end = time.monotonic() + 15
            while not path.exists() and time.monotonic() < end:
                time.sleep(0.05)
        assert scraper.latest == {"running": 1.0, "prompt_tokens": 10.0}
    finally:
        server.stop(grace=2)
    first = json.loads(path.read_text().splitlines()[0])
    assert first["metrics"] == {"llamacpp:prompt_tokens_total": 10.0, "llamacpp:requests_processing": 1.0}
    assert abs(first["at"] - time.time()) < 60


def test_a_server_that_is_gone_leaves_no_file(tmp_path: Path) -> None:
    with Scraper(f"http://127.0.0.1:{free_port()}/metrics", tmp_path / "telemetry.jsonl") as scraper:
        pass
    assert not (tmp_path / "telemetry.jsonl").exists()
    assert scraper.error is None


def test_a_full_disk_reaches_the_supervisor(tmp_path: Path) -> None:
    port = free_port()
    server = ManagedProcess(
        [sys.executable, str(FAKE_SERVER), str(port), "works"], log=tmp_path / "log", environment={}
    )
    try:
        with Scraper(f"http://127.0.0.1:{port}/metrics", Path("/dev/full")) as scraper:
            end = time.monotonic() + 15
            while scraper.error is None and time.monotonic() < end:
                time.sleep(0.05)
    finally:
        server.stop(grace=2)
    assert scraper.error is not None
    assert scraper.error.errno == errno.ENOSPC
