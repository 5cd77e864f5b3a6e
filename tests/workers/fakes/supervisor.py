"""Speaks the supervisor's protocol and measures nothing: ``BEHAVIOUR TEMPLATE run-arguments...``.

``TEMPLATE`` is a finished bundle whose files it hands out. A step that waits looks for a file in ``--var``.
"""

import argparse
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from workers.bundle import Bundle

STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(300)"


def say(**event: Any) -> None:
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.write(json.dumps(event) + "\n")
        sys.stdout.flush()


def phase(name: str, load: int | None = None) -> None:
    say(event="phase", phase=name, load=load, at="2026-11-01T12:00:00.000+00:00")


class Fake:
    def __init__(self, arguments: argparse.Namespace) -> None:
        self.template: Path = arguments.template
        self.arguments = arguments
        self.bundle = Bundle(arguments.bundle)
        self.stopped = self.orphaned = False
        signal.signal(signal.SIGTERM, self._stop)
        threading.Thread(target=self._watch_parent, daemon=True).start()

    def _stop(self, *_: object) -> None:
        self.stopped = True

    def _watch_parent(self) -> None:
        while os.read(sys.stdin.fileno(), 4096):
            pass
        self.stopped = self.orphaned = True

    def cancelled(self) -> int:
        return self.end("cancelled", "worker_lost" if self.orphaned else "cancelled", "stopped")

    def measure(self, load: int, share: float = 0.5) -> None:
        phase("profile", load)
        say(event="progress", phase="profile", load=load, done=share, eta_seconds=3.0, telemetry={"x": 1})
        name = f"loads/c{load:04d}"
        shutil.copytree(self.template / name, self.bundle.root / name)
        say(event="load", load=load, path=name)

    def wait_for(self, name: str) -> None:
        """Until the test makes the file, or somebody asks us to stop, or the worker dies."""
        while not (self.arguments.var / name).exists() and not self.stopped:
            time.sleep(0.02)

    def end(self, outcome: str, failure: str | None = None, line: str = "") -> int:
        text = {"class": failure, "line": line, "detail": ""} if failure else None
        known = json.loads((self.template / "attempt.json").read_text())
        known |= {"run_id": self.arguments.run_id, "attempt": self.arguments.attempt}
        for name in ("run.json", "host.json"):
            shutil.copy(self.template / name, self.bundle.root / name)
        self.bundle.server_log.write_text("listening\n")
        self.bundle.write("attempt.json", known | {"outcome": outcome, "failure": text})
        self.bundle.write_manifest()
        say(event="end", outcome=outcome, failure=text)
        return {"succeeded": 0, "failed": 1, "cancelled": 3}[outcome]

    def succeed(self) -> int:
        for load in (1, 2):
            self.measure(load)
        return self.end("succeeded")

    def gate(self) -> int:
        """Load 1, then a pause until ``go``, then load 2."""
        self.measure(1)
        self.wait_for("go")
        if self.stopped:
            return self.cancelled()
        self.measure(2)
        return self.end("succeeded")

    def gate_in(self, name: str) -> int:
        """A pause in the phase called ``name``."""
        phase(name)
        self.wait_for("go")
        return self.cancelled() if self.stopped else self.succeed()

    def fail(self, failure: str) -> int:
        self.measure(1)
        return self.end("failed", failure, "engine: killed by signal 9")

    def broken(self) -> int:
        self.measure(1)
        self.measure(2)
        (self.bundle.root / "loads/c0002/profile_export_aiperf.json").write_text("{ no json")
        (self.bundle.root / "loads/c0002/profile_export.jsonl").write_text("{ no json\n")
        return self.end("succeeded")

    def forgetful(self) -> int:
        """Claims success without the second load."""
        self.measure(1)
        return self.end("succeeded")

    def silent(self) -> int:
        self.measure(1)
        sys.stderr.write("MemoryError: no room\n")
        sys.stderr.flush()
        os.kill(os.getpid(), signal.SIGKILL)
        return 0

    def refuse(self) -> int:
        sys.stderr.write("run.json: /loads: not increasing\n")
        return 2

    def stubborn(self) -> int:
        """Neither it nor its child, which has a session of its own, obeys SIGTERM."""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        child = subprocess.Popen([sys.executable, "-c", STUBBORN], start_new_session=True)
        (self.arguments.var / "stubborn").write_text(f"{os.getpid()} {child.pid}")
        phase("profile", 1)
        time.sleep(300)
        return 0

    def orphaning(self) -> int:
        """Dies and leaves a child in a session of its own."""
        child = subprocess.Popen([sys.executable, "-c", STUBBORN], start_new_session=True)
        phase("profile", 1)
        self.wait_for("go")
        (self.arguments.var / "orphan").write_text(str(child.pid))
        os.kill(os.getpid(), signal.SIGKILL)
        return 0

    def babbling(self) -> int:
        """Says things that are no events between the right ones."""
        sys.stdout.write("hello\n[1]\n{}\n")
        say(event="phase")
        say(event="progress", done="much")
        say(event="progress", phase="profile", load=1, done=7.5, eta_seconds=-1, telemetry={"bad\x00key": 1})
        say(event="log", line="a line with \x00 in it")
        return self.succeed()


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("behaviour")
    parser.add_argument("template", type=Path)
    parser.add_argument("document", type=Path)
    parser.add_argument("--bundle", type=Path)
    parser.add_argument("--run-id")
    parser.add_argument("--attempt", type=int)
    parser.add_argument("--var", type=Path)
    parser.add_argument("--parent-pipe", action="store_true")
    arguments = parser.parse_args()
    json.loads(arguments.document.read_text())
    verb, _, argument = arguments.behaviour.partition(":")
    return int(getattr(Fake(arguments), verb)(*[argument][: bool(argument)]))


if __name__ == "__main__":
    sys.exit(main())
