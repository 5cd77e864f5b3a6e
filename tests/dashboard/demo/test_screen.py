import io
from collections.abc import Sequence

import pytest

from dashboard.demo.screen import Screen, bar, duration


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def visible(text: str) -> list[str]:
    """What a terminal shows after the two control sequences that Screen uses."""
    rows: list[str] = []
    for line in text.split("\n"):
        text_left = line
        while text_left.startswith("\033["):
            up, _, text_left = text_left[2:].partition("A\033[J")
            del rows[len(rows) - int(up) :]
        rows.append(text_left)
    return rows


def drawn(*blocks: Sequence[str]) -> list[str]:
    stream = Terminal()
    screen = Screen(stream)
    for block in blocks:
        screen.show(block)
    screen.say("stays")
    screen.show(blocks[-1], final=True)
    return [row for row in visible(stream.getvalue()) if row]


def test_a_terminal_shows_only_the_newest_block_below_what_stays() -> None:
    assert drawn(["a 1%", "b 0%"], ["a 2%", "b 0%", "c"], ["a 3%"]) == ["stays", "a 3%"]


def test_long_lines_do_not_wrap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    assert drawn(["x" * 50]) == ["stays", "x" * 19]


def test_elsewhere_changed_lines_are_printed_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    stream = io.StringIO()
    screen = Screen(stream)
    for seconds, lines in [(0, ["a 1%", "b"]), (1, ["a 2%", "b"]), (10, ["a 3%", "b"]), (1, ["a 4%", "c"])]:
        now[0] += seconds
        screen.show(lines)
    screen.show(["a 5%", "c"], final=True)
    assert stream.getvalue().splitlines() == ["a 1%", "b", "a 3%", "a 5%", "c"]


def test_bar_and_duration() -> None:
    assert [bar(share, 4) for share in (0, 0.5, 1, 7)] == ["[    ]", "[##  ]", "[####]", "[####]"]
    assert [duration(seconds) for seconds in (0, 59.9, 187)] == ["0:00", "0:59", "3:07"]
