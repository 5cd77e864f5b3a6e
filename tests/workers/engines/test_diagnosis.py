from pathlib import Path

import pytest

from workers.engines.diagnosis import first_causal_line


@pytest.mark.parametrize(
    ("log", "line"),
    [
        ("starting\nggml: failed to allocate buffer\nerror: exiting\n", "ggml: failed to allocate buffer"),
        ("error: could not warm up\nterminate: std::bad_alloc\n", "terminate: std::bad_alloc"),
        (
            'Traceback (most recent call last):\n  File "x.py", line 1\n    raise\nValueError: bad shape\n',
            "ValueError: bad shape",
        ),
        ("INFO 0 errors so far\nbye\n", "bye"),
        ("", ""),
        ("main: couldn't bind HTTP socket 8000\n", "main: couldn't bind HTTP socket 8000"),
    ],
)  # fmt: skip
def test_the_most_telling_line(tmp_path: Path, log: str, line: str) -> None:
    path = tmp_path / "server.log"
    path.write_text(log)
    assert first_causal_line(path) == line


def test_a_missing_log_has_no_line(tmp_path: Path) -> None:
    assert first_causal_line(tmp_path / "none.log") == ""


def test_binary_and_endless_lines_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    path.write_bytes(b"\xff\xfe\n" + b"error " + b"x" * 10_000 + b"\n")
    assert len(first_causal_line(path)) == 300
