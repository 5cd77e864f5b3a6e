"""Terminal output: lines that stay, and below them a block that is redrawn."""

import shutil
import time
from collections.abc import Sequence
from typing import TextIO

_PLAIN_EVERY_SECONDS = 10.0


class Screen:
    """On a terminal the block is redrawn in place; elsewhere its changed lines are printed now and then."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._terminal = stream.isatty()
        self._drawn = 0
        self._printed: list[str] = []
        self._printed_at = float("-inf")

    def say(self, line: str) -> None:
        """A line that stays."""
        self._erase()
        self._stream.write(f"{line}\n")
        self._stream.flush()

    def show(self, lines: Sequence[str], *, final: bool = False) -> None:
        """Replace the block; ``final`` leaves it where it is."""
        if self._terminal:
            width = shutil.get_terminal_size().columns - 1
            self._erase()
            self._stream.write("".join(f"{line[:width]}\n" for line in lines))
            self._drawn = 0 if final else len(lines)
            self._stream.flush()
        elif final or time.monotonic() - self._printed_at >= _PLAIN_EVERY_SECONDS:
            self._print_changes(lines)

    def _print_changes(self, lines: Sequence[str]) -> None:
        changed = [line for line in lines if line not in self._printed]
        self._stream.write("".join(f"{line}\n" for line in changed))
        self._stream.flush()
        if changed:
            self._printed_at = time.monotonic()
        self._printed = list(lines)

    def _erase(self) -> None:
        if self._drawn:
            self._stream.write(f"\033[{self._drawn}A\033[J")
            self._drawn = 0


def bar(share: float, width: int = 24) -> str:
    """``share`` from 0 to 1 as text."""
    return f"[{'#' * round(min(1.0, max(0.0, share)) * width):<{width}}]"


def duration(seconds: float) -> str:
    """Minutes and seconds, for example ``3:07``."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"
