"""``python -m workers.traces``."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.workers.traces.conftest import session
from workers.traces.__main__ import main
from workers.traces.corpora import corpus_sha256, folder_sha256
from workers.traces.reading import load_traces
from workers.traces.summary import summarize


def test_generate_a_corpus_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--slug", "mine", "--seed", "3", "--sessions", "2", "--bursts-per-turn", "1/10"]
    assert main(["generate", "cpu-8k", "--out", str(tmp_path), *options]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'mine'}\n"
    assert [trace.id for trace in load_traces(tmp_path / "mine")] == ["mine-0001", "mine-0002"]
    description = json.loads((tmp_path / "mine.json").read_bytes())
    assert (description["plan"]["seed"], description["plan"]["bursts_per_turn"]) == (3, "1/10")
    assert description["sha256"] == folder_sha256(tmp_path / "mine")


def test_check_sums_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.json").write_text(json.dumps(session()), encoding="utf-8")
    assert main(["check", str(tmp_path)]) == 0
    assert capsys.readouterr().out == (
        "s-1: 3 turns, 1 sub-agents, 5 requests, input 8 to 12, peak 17, hit 41.7 %\n"
        "1 traces, prefix hit rate 41.7 %\n"
    )


def test_fit_writes_sessions_that_fit(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(session()), encoding="utf-8")
    assert main(["fit", str(tmp_path), "--context", "9", "--out", str(tmp_path / "out")]) == 0
    (fitted,) = load_traces(tmp_path / "out")
    assert summarize(fitted).peak_context <= 9


def test_list_shows_versions(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    assert f"cpu-8k {corpus_sha256('cpu-8k')}\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "COMMAND"),
        (["generate", "cpu-8k"], "--out"),
        (["generate", "gpu-8k", "--out", "{out}"], "gpu-8k"),
        (["generate", "cpu-8k", "--out", "{out}", "--seed", "x"], "--seed"),
        (["generate", "cpu-8k", "--out", "{out}", "--seed", "5"], "slug"),
        (["generate", "cpu-8k", "--out", "{out}", "--slug", "a", "--sessions", "0"], "sessions"),
        (["generate", "cpu-8k", "--out", "{out}", "--slug", "a", "--turn-scale", "1/0"], "--turn-scale"),
        (["generate", "cpu-8k", "--out", "{out}", "--slug", "a", "--turn-scale", "nan"], "--turn-scale"),
        (["generate", "cpu-8k", "--out", "{out}/trace.json"], "trace.json"),
        (["check", "{out}/absent"], "absent"),
        (["check", "{out}"], "/id"),
        (["fit", "{out}/good", "--context", "3", "--out", "{out}/new"], "s-1"),
        (["fit", "{out}/good", "--context", "9", "--out", "{out}/good"], "out"),
    ],
)
def test_bad_input_gives_code_2_and_one_line(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "trace.json").write_text("{}", encoding="utf-8")
    (tmp_path / "good").mkdir()
    (tmp_path / "good" / "a.json").write_text(json.dumps(session()), encoding="utf-8")
    with pytest.raises(SystemExit) as caught:
        main([argument.replace("{out}", str(tmp_path)) for argument in arguments])
    shown = capsys.readouterr()
    assert (caught.value.code, shown.out) == (2, "")
    assert shown.err.count("\n") == 1 and said in shown.err


def test_it_is_a_program() -> None:
    shown = subprocess.run([sys.executable, "-m", "workers.traces", "list"], capture_output=True, text=True)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout.splitlines()[1].startswith("cpu-8k ")
