"""Real attempts for the system tests: ``python -m workers run`` as a child, its events as they come."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.system.processes import ROOT, descendants, eventually, outside

Event = dict[str, Any]


def environments() -> str:
    """Where engines and client are installed: what ``make setup`` made, or what a first run makes there."""
    return os.environ.get("NORTHSTAR_ENVS") or str(ROOT / "var" / "envs")


def workers(*arguments: object, var: Path) -> str:
    """Output of a short command of ``python -m workers``."""
    argv = [sys.executable, "-m", "workers", *map(str, arguments), "--var", str(var)]
    variables = outside(NORTHSTAR_ENVS=environments())
    return subprocess.run(argv, cwd=ROOT, env=variables, stdout=subprocess.PIPE, text=True, check=True).stdout


class RunningAttempt:
    """An attempt in its own folder ``home``; ``events`` grows while it runs."""

    def __init__(self, home: Path, document: Event, var: Path, *, before: tuple[str, ...] = ()) -> None:
        home.mkdir(parents=True, exist_ok=True)
        self.bundle = home / "bundle"
        self.events: list[Event] = []
        file = home / "run.json"
        file.write_text(json.dumps(document))
        argv = [*before, sys.executable, "-m", "workers", "run", str(file), "--bundle", str(self.bundle),
                "--var", str(var), "--parent-pipe"]  # fmt: skip
        with (home / "stderr.log").open("wb") as errors:
            self.process = subprocess.Popen(
                argv, cwd=ROOT, env=outside(NORTHSTAR_ENVS=environments()), text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
            )  # fmt: skip
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def __enter__(self) -> "RunningAttempt":
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.end()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.events.append(json.loads(line))

    def wait_for(self, condition: Callable[[Event], bool], seconds: float = 120.0) -> None:
        def happened() -> bool:
            return any(condition(event) for event in list(self.events)) or self.process.poll() is not None

        assert eventually(happened, seconds), self.events[-3:]
        assert any(condition(event) for event in self.events), self.events[-3:]

    def in_phase(self, phase: str) -> list[int]:
        """Wait until it measures in ``phase``; the processes that live then."""
        self.wait_for(lambda event: event["event"] == "progress" and event["phase"] == phase)
        return descendants(self.process.pid)

    def end(self, seconds: float = 240.0) -> int:
        """Exit code, after everything it said has been read."""
        code = self.process.wait(seconds)
        self._reader.join(10)
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()
        return code

    def read(self, name: str) -> Any:
        return json.loads((self.bundle / name).read_text())
