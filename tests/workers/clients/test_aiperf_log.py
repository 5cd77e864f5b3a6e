from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from results.documents.failures import FailureClass
from workers.clients.aiperf_log import LogFollower, causal_line, failure

LOG = """\
06:10:53.415 INFO     AIPerf System is CONFIGURED (system_controller.py:539)
06:10:53.420 NOTICE   Phase agentic.warmup (warmup) started | target: 4 requests (runner.py:660)
06:10:57.698 NOTICE   Phase profiling (profiling) started | phase_index=0 (runner.py:660)
06:11:12.701 NOTICE   Phase profiling (profiling) sending complete | sent=40 (runner.py:1103)
06:11:13.111 NOTICE   Phase profiling (profiling) complete | completed=40 (runner.py:1226)
"""


@given(cuts=st.lists(st.integers(0, len(LOG)), max_size=6))
def test_phases_are_seen_once_however_the_log_grows(cuts: list[int], tmp_path_factory: object) -> None:
    path = Path(tmp_path_factory.mktemp("log")) / "client.log"  # type: ignore[attr-defined]
    follower, seen = LogFollower(path), []
    for cut in [*sorted(cuts), len(LOG)]:
        path.write_text(LOG[:cut])
        seen += follower.poll()
    assert seen == ["warmup", "profile", "drain", "export"]
    assert follower.phase == "export"


def test_no_log_yet() -> None:
    assert LogFollower(Path("nowhere/client.log")).poll() == []


def test_the_cause_is_named_without_time_and_source(tmp_path: Path) -> None:
    log = tmp_path / "client.log"
    log.write_text(
        "06:10:38.1 INFO     Starting (a.py:1)\n"
        "06:10:39.1 ERROR    something else broke (b.py:2)\n"
        "06:10:40.1 ERROR    HTTP 404 for model tiny (c.py:3)\n"
    )
    assert causal_line(log) == "HTTP 404 for model tiny"
    found = failure(log, "warmup", 1)
    assert found.failure == FailureClass.WARMUP
    assert found.line == "client: HTTP 404 for model tiny (exit code 1, phase warmup)"


def test_an_empty_log_says_so(tmp_path: Path) -> None:
    assert causal_line(tmp_path / "none.log") == "no output"
