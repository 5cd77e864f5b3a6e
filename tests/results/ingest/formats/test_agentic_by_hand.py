"""Values of shared files, worked out by hand from the raw file: key, value, unit, denominator."""

import csv

import pytest

from results.ingest.formats import FORMATS
from results.ingest.rows import Result
from results.metrics import METRICS
from tests.results.ingest.formats.folders import SHARED, stored

SWEEP = "inferencex_ci/tp4_sweep_29003473063"
CONC1 = "tp4-dcp1-pcp1-ep1-dpafalse_disagg-false_spec-none_conc1_mi355x-amds_01"
APRIL = "inferencex_ci/multiturn_2026-04"
B200 = "fp4_vllm_tp4-ep4-dpafalse_disagg-false_spec-none"
FILES = {
    "retry": "inferencex_api/retry/h100-retry_attempt1.json",
    "april": f"{APRIL}/agg/agg_dsr1_tp4_users8_offloadon_{B200}_conc8_b200-nb_1.json",
    "april-summary": f"{APRIL}/summary.csv",
    "detailed": f"{APRIL}/detailed/agentic_dsr1_tp4_bs12_offloadoff_{B200}_conc12_b200-dgxc-slurm_8.csv",
    "february": "inferencex_ci/multiturn_2026-02/experiment_summary.csv",
    "chat": "inferencex_ci/multiturn_2026-02/tp1_bs32_offloadoff/metrics_client_metrics.csv",
    "nested": f"{SWEEP}/bmk_agentic_kimik2.7_tp4_conc1_kvnone_fp4_vllm_{CONC1}/"
    f"kimik2.7_tp4_conc1_kvnone_fp4_vllm_{CONC1}.json",
    "aiperf": f"{SWEEP}/agentic_kimik2.7_tp4_conc1_kvnone_fp4_vllm_{CONC1}/aiperf_artifacts/"
    "profile_export_aiperf.json",
}
pytestmark = pytest.mark.skipif(not SHARED.exists(), reason="the files of other people are not at hand")


def point(name: str, pointer: str) -> Result:
    source = stored(SHARED / FILES[name])
    (reader,) = (reader for reader in FORMATS if reader.detect(source))
    (found,) = (row for row in reader.read(source) if row.pointer == pointer)
    assert isinstance(found, Result)
    return found


@pytest.mark.parametrize(
    ("file", "pointer", "key", "value", "unit", "denominator"),
    [
        # 3242.21439 tok/s of 8 GPUs (tp 8, pp 1, pcp 1)
        ("retry", "", "total_throughput_per_gpu", 405.2768, "tok/s/GPU", "all GPUs"),
        # 8609784.934 J / 112 requests
        ("retry", "", "joules_per_request", 76873.079769, "J/req", "request"),
        ("retry", "", "gpu_energy", 8609784.934, "J", "deployment"),
        # 4025600 of 11116069 prompt tokens
        ("retry", "", "gpu_cache_hit_rate", 0.36214, "1", "input token"),
        ("retry", "", "e2e_norm_interactivity_p90", 0.61802, "tok/s/user", "request"),
        # 156 records less 44 of the warm-up and 112 answers
        ("retry", "", "requests_failed", 0, "req", "point"),
        # 1 / 0.024517174618205986 s
        ("april", "", "interactivity_p90", 40.7877341321956, "tok/s/user", "request"),
        # 8478.040471841094 / 4; tp * ep would be 16
        ("april", "", "total_throughput_per_gpu", 2119.5101179602735, "tok/s/GPU", "all GPUs"),
        ("april", "", "theoretical_cache_hit_rate", 0.9032853025936599, "1", "input token"),
        # 182 / 1764.7681736946106 s
        ("april", "", "request_throughput", 0.1031296930173984, "req/s", "deployment"),
        # 3250.415577618984 / 4, and 60 / 0.03438050022646608
        ("april-summary", "line 4", "total_throughput_per_gpu", 812.603894404746, "tok/s/GPU", "all GPUs"),
        ("april-summary", "line 4", "duration", 1745.175307943, "s", "point"),
        # 849.5441675186157 ms
        ("april-summary", "line 4", "ttft_p50", 0.8495441675186157, "s", "request"),
        # third of 26.18, 56.41, 72.87, 74.01, 75.14 s
        ("detailed", "", "ttft_p50", 72.87073874473572, "s", "request"),
        # (1134 + 1695 + 1815 + 2075 + 2879) / (1776752200.1769 - 1776752011.8456564)
        ("detailed", "", "output_throughput", 50.9634, "tok/s", "deployment"),
        # no block of these five was issued before; 5835 of 7264 stood in the traces
        ("detailed", "", "theoretical_cache_hit_rate", 0.0, "1", "input token"),
        # (11013.629591437408 - 8427.770829631849) / 2
        ("february", "line 4", "output_throughput_per_gpu", 1292.9293809028, "tok/s/GPU", "all GPUs"),
        # 1000 / 50.049 ms
        ("february", "line 4", "interactivity_p50", 19.98041918919459, "tok/s/user", "request"),
        ("february", "line 4", "e2e_latency_p999", 202.37036977800142, "s", "request"),
        # 750576 tokens in 585.2441830000878 s
        ("chat", "", "output_throughput", 1282.5005727, "tok/s", "deployment"),
        # highest of 1560 scrapes: 18.98 %
        ("chat", "", "gpu_kv_usage_max", 0.1898, "1", "KV pool"),
        ("nested", "", "output_throughput_per_gpu", 15.03161, "tok/s/GPU", "all GPUs"),
        # 195 / 3542.81861 s
        ("nested", "", "request_throughput", 0.0550409212, "req/s", "deployment"),
        ("nested", "", "kv_cache_pool_tokens", 1854204, "tok", "deployment"),
        # 18921176 tokens / 3542.81860992 s, not the client's own 5212.44
        ("aiperf", "", "input_throughput", 5340.712602959726, "tok/s", "deployment"),
        # 1 / 0.01436529737163944 s
        ("aiperf", "", "interactivity_p90", 69.61220322345996, "tok/s/user", "request"),
        # 17690047 of 17690047 + 1439448 prompt tokens
        ("aiperf", "", "gpu_cache_hit_rate", 0.92475243, "1", "input token"),
        # 273995 of 295295 blocks
        ("aiperf", "", "theoretical_cache_hit_rate", 0.927868741, "1", "input token"),
    ],
)
def test_a_value_by_hand(
    file: str, pointer: str, key: str, value: float, unit: str, denominator: str
) -> None:
    assert point(file, pointer).values[key] == pytest.approx(value, rel=1e-6, abs=1e-12)
    assert (METRICS[key].unit, METRICS[key].denominator) == (unit, denominator)


def test_what_is_no_metric_of_ours_stays_under_its_name() -> None:
    assert point("april", "").extra["server_gpu_cache_hit_rate"] == 0.9071319451187996
    assert "gpu_cache_hit_rate" not in point("april", "").values
    assert point("retry", "").extra["p90_power_w"] == 325.17


@pytest.mark.parametrize(("name", "column", "scale"), [("chat", "ttft_ms", 1000), ("detailed", "ttft", 1)])
def test_means_follow_from_the_cells(name: str, column: str, scale: int) -> None:
    usual = csv.field_size_limit(2**24)
    try:
        with (SHARED / FILES[name]).open(newline="") as file:
            cells = [float(row[column]) / scale for row in csv.DictReader(file)]
    finally:
        csv.field_size_limit(usual)
    assert point(name, "").values["ttft_mean"] == pytest.approx(sum(cells) / len(cells), rel=1e-12)
