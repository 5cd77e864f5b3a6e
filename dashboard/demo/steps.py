"""Commands of the worker package, run as processes while the rest goes on.

A step is a generator: every ``yield`` gives the supervisor a turn.
"""

import contextlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from pathlib import Path

from dashboard.demo.screen import Screen, bar, duration
from dashboard.embedded.process import Command, start, stop

#: ``what it does (43%)``, as ``python -m workers`` writes it on standard error.
_SHARE = re.compile(r"(.*) \(([0-9]{1,3})%\)")


class StepError(Exception):
    """The command failed; its last line says why."""


def workers(arguments: Sequence[str], *, var: Path, screen: Screen, name: str) -> Generator[None, None, str]:
    """Run ``python -m workers ...`` and return its standard output; raises StepError."""
    log, output = var / "log" / f"{name}.log", var / "log" / f"{name}.out"
    for path in (log, output):
        path.unlink(missing_ok=True)
    command = Command(
        argv=[sys.executable, "-m", "workers", *arguments],
        log=log,
        output=output,
        environment=os.environ | {"NORTHSTAR_VAR": str(var), "PYTHONUNBUFFERED": "1"},
        cwd=Path(__file__).resolve().parents[2],
    )
    began, process = time.monotonic(), start(command)
    try:
        yield from _until_ended(process, log, screen, began)
    finally:
        stop(process, grace=5.0)
    if process.returncode != 0:
        raise StepError(f"{_last(log) or 'no reason given'} ({log})")
    return output.read_text(encoding="utf-8")


def _until_ended(
    process: subprocess.Popen[bytes], log: Path, screen: Screen, began: float
) -> Generator[None, None, None]:
    while process.poll() is None:
        said = _last(log)
        if said:
            screen.show([progress_line(said, time.monotonic() - began)])
        yield


def progress_line(said: str, seconds: float) -> str:
    """A worker's progress line as bar, share and time passed."""
    found = _SHARE.fullmatch(said)
    if not found:
        return f"{said}, {duration(seconds)}"
    share = int(found[2]) / 100
    return f"{bar(share)} {share:4.0%}  {duration(seconds)}  {found[1]}"


def _last(log: Path) -> str:
    with contextlib.suppress(OSError):
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        return next((line.strip() for line in reversed(lines) if line.strip()), "")
    return ""


def parsed(text: str) -> dict[str, object]:
    """The one JSON object that a step printed; raises StepError."""
    try:
        value = json.loads(text)
    except ValueError as error:
        raise StepError(f"example: not JSON: {error}") from None
    if not isinstance(value, dict):
        raise StepError("example: not a JSON object")
    return value
