"""Make ``.venv`` from the locked requirements: ``python3 -I dashboard/setup.py [--dev]``.

Runs before anything is installed, so it uses the standard library only and says what an old Python lacks.
A stamp with the locks' digest makes a second call a matter of milliseconds.
"""

import sys

if not (3, 11) <= sys.version_info[:2] <= (3, 13):
    sys.stderr.write(
        "setup: %s is Python %d.%d; 3.11, 3.12 or 3.13 is needed, for example: make PYTHON=python3.12 demo\n"  # noqa: UP031
        % ((sys.executable,) + sys.version_info[:2])  # noqa: RUF005
    )
    sys.exit(2)

import argparse
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
STAMP = VENV / "northstar-setup.sha256"
LOG = Path(os.environ.get("NORTHSTAR_VAR") or ROOT / "var").absolute() / "log" / "setup.log"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
#: What the packages take when they are unpacked, with room for pip's temporary copies.
NEEDED_MB = {False: 700, True: 1500}
#: What pip's log says, and what it means to a reader. The first that matches is the cause.
CAUSES = (
    (r"No space left on device|Disk quota exceeded", "the disk is full"),
    (
        r"NewConnectionError|NameResolutionError|Temporary failure in name resolution|ProxyError|"
        r"Network is unreachable|ConnectTimeout|ReadTimeout|Connection refused|SSLError",
        "no network: the package index cannot be reached",
    ),
    (r"DO NOT MATCH THE HASHES", "a downloaded package is not the locked one"),
    (r"No matching distribution found for (\S+)", "the package index offers no fitting \\1"),
)
Share = Callable[[], float | None]


def fail(text: str) -> NoReturn:
    sys.stderr.write(f"setup: {text}\n")
    sys.exit(2)


class Progress:
    """One bar on a terminal; elsewhere a line when a tenth more is done or ten seconds have passed."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._start = self._shown_at = time.monotonic()
        self._tenth = -1
        self._terminal = sys.stdout.isatty()

    def show(self, share: float | None) -> None:
        if self._terminal:
            sys.stdout.write(f"\r\033[K{self._text(share)}")
        elif self._is_due(share):
            sys.stdout.write(f"{self._text(share)}\n")
        sys.stdout.flush()

    def done(self) -> None:
        prefix, seconds = "\r\033[K" if self._terminal else "", time.monotonic() - self._start
        sys.stdout.write(f"{prefix}{self._what}: done in {seconds:.0f} s\n")
        sys.stdout.flush()

    def _text(self, share: float | None) -> str:
        passed = time.monotonic() - self._start
        if share is None:
            return f"{self._what}: {passed:.0f} s"
        bar = "#" * round(share * 24)
        left = f", about {passed / share - passed:.0f} s left" if share > 0.05 else ""
        return f"{self._what}: [{bar:<24}] {share:4.0%}, {passed:.0f} s{left}"

    def _is_due(self, share: float | None) -> bool:
        tenth, now = int((share or 0) * 10), time.monotonic()
        if tenth <= self._tenth and now - self._shown_at < 10:
            return False
        self._tenth, self._shown_at = tenth, now
        return True


def logged(argv: Sequence[str], what: str, share: Share = lambda: None) -> bool:
    """Run with a progress display and the output in LOG; whether it succeeded."""
    progress = Progress(what)
    environment = os.environ | {"PIP_USER": "0", "DEBIAN_FRONTEND": "noninteractive"}
    LOG.parent.mkdir(parents=True, exist_ok=True)
    with LOG.open("wb") as log:
        child = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, env=environment
        )
        while True:
            try:
                code = child.wait(0.3)
                break
            except subprocess.TimeoutExpired:
                progress.show(share())
    if code == 0:
        progress.done()
    elif sys.stdout.isatty():
        sys.stdout.write("\r\033[K")
    return code == 0


def cause() -> str:
    """One line for the reason that LOG gives."""
    text = LOG.read_text(encoding="utf-8", errors="replace")
    for pattern, meaning in CAUSES:
        found = re.search(pattern, text)
        if found:
            return f"{found.expand(meaning)} (details: {LOG})"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return f"{(errors or lines or ['no reason given'])[-1][:200]} (details: {LOG})"


def locks(dev: bool) -> list[Path]:
    names = ("runtime", "dev") if dev else ("runtime",)
    return [ROOT / "requirements" / f"{name}.txt" for name in names]


def digest(files: Sequence[Path]) -> str:
    """Of all that decides what .venv must contain; its place counts because scripts in it name it."""
    parts = [path.read_bytes() for path in files] + [sys.version.encode(), os.fsencode(ROOT)]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def is_complete(dev: bool) -> bool:
    """The developers' set contains the run-time set, so its stamp will do for both."""
    if not (VENV / "bin" / "python").exists() or not STAMP.exists():
        return False
    stamp = STAMP.read_text(encoding="ascii").strip()
    return stamp in {digest(locks(True)), digest(locks(dev))}


def check_disk(dev: bool) -> None:
    free = shutil.disk_usage(ROOT).free // 2**20
    if free < NEEDED_MB[dev]:
        fail(f"the disk is full: {free} MB free in {ROOT}, {NEEDED_MB[dev]} MB needed")


def is_usable_venv() -> bool:
    """Whether .venv has a working pip and was made by this very Python."""
    try:
        settings = (VENV / "pyvenv.cfg").read_text(encoding="utf-8")
    except FileNotFoundError:
        return False
    return f"version = {sys.version.split()[0]}\n" in settings and (VENV / "bin" / "pip").exists()


def make_venv() -> None:
    if is_usable_venv():
        return
    argv = [sys.executable, "-m", "venv", "--clear", str(VENV)]
    if not logged(argv, "Virtual environment"):
        if "ensurepip" not in LOG.read_text(encoding="utf-8", errors="replace"):
            fail(f"virtual environment: {cause()}")
        if not (apt("python3-venv") and logged(argv, "Virtual environment")):
            fail("this Python has no ensurepip; install it (Debian and Ubuntu: apt install python3-venv)")


def install(files: Sequence[Path]) -> None:
    total = sum(len(re.findall(r"^\S+==", path.read_text(encoding="utf-8"), re.M)) for path in files)
    before = installed()

    def share() -> float:
        """Half for what is fetched, half for what is unpacked; markers leave a few packages out."""
        fetched = len(re.findall(rb"^(?:Collecting|Requirement already) ", LOG.read_bytes(), re.M))
        return min(0.99, (fetched + installed() - before) / (2 * total - before))

    argv = [str(VENV / "bin" / "python"), "-m", "pip", "install", "--no-deps", "--require-hashes",
            "--progress-bar=off", "--disable-pip-version-check", "--no-input", "--retries=2"]  # fmt: skip
    for path in files:
        argv += ["-r", str(path)]
    if not logged(argv, f"Python packages ({total})", share):
        fail(cause())


def installed() -> int:
    return sum(1 for _ in VENV.glob("lib/python*/site-packages/*.dist-info"))


def apt(package: str) -> bool:
    """Install a system package; False where that is not ours to do."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return False
    logged(["apt-get", "-q", "update"], "System package lists")
    return logged(["apt-get", "-q", "-y", "--no-install-recommends", "install", package], package)


def ensure_browser() -> None:
    """For the browser tests; in continuous integration its absence is an error."""
    if any(shutil.which(name) for name in BROWSERS) or apt("chromium"):
        return
    text = "no Chromium for the browser tests; install one (Debian: apt install chromium)"
    if os.environ.get("CI"):
        fail(text)
    sys.stdout.write(f"setup: {text}; they are skipped\n")


def set_up(dev: bool) -> None:
    if is_complete(dev):
        return
    check_disk(dev)
    with locks(dev)[0].open("rb") as only_one:
        fcntl.flock(only_one, fcntl.LOCK_EX)
        if not is_complete(dev):
            STAMP.unlink(missing_ok=True)
            make_venv()
            install(locks(dev))
            STAMP.write_text(digest(locks(dev)) + "\n", encoding="ascii")


def main() -> None:
    parser = argparse.ArgumentParser(prog="setup", description="make .venv from the locked requirements")
    parser.add_argument("--dev", action="store_true", help="also what checking and testing need")
    dev = parser.parse_args().dev
    try:
        set_up(dev)
        if dev:
            ensure_browser()
    except OSError as error:
        fail(f"{error.filename or ROOT}: {error.strerror}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
