from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from workers.clients.aiperf_log import LogFollower

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
