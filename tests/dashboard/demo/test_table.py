from dashboard.demo.table import table
from tests.dashboard.demo.answers import point, run


def test_every_load_has_its_measured_numbers_or_a_dash() -> None:
    runs = [run(), run("host-tier", "queued")]
    lines = table(runs, {runs[0]["id"]: [point(1, 80.04, 0.5214), point(2, 91.0, None)]}, [1, 2], 187.0)
    assert lines[2].split() == ["prefix-cache", "1", "succeeded", "80.0", "521", "ms", "-"]
    assert lines[3].split() == ["host-tier", "1", "queued", "-", "-"]
    assert lines[-1] == "1 of 2 runs done, 3:07 passed"


def test_a_running_run_shows_phase_load_and_progress() -> None:
    row = table([run(state="running", phase="profile", phase_load=2, progress=0.5)], {}, [1], 0.0)[2]
    assert "profile 2" in row
    assert "[####    ]  50%" in row


def test_a_failed_run_shows_why() -> None:
    failure = {"class": "server_start", "line": "cannot bind"}
    assert "failed (server_start)" in table([run(state="failed", failure=failure)], {}, [1], 0.0)[2]


def test_columns_line_up() -> None:
    runs = [run("a"), run("a-much-longer-name", "queued")]
    lines = table(runs, {runs[0]["id"]: [point(1, 1.0, 0.1), point(2, 1234.5, 12.0)]}, [1, 2], 0.0)
    assert len({len(line) for line in lines[:-1]}) == 1
