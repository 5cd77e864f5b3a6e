"""YAML with the types of JSON, and nothing that grows or runs."""

import pytest

from results.ingest.rows import FormatError
from results.ingest.yaml_text import MAX_DEPTH, parse_yaml


def test_types_are_those_of_json() -> None:
    found = parse_yaml(
        "day: 2025-01-01\nswitch: on\nclock: 1:30\nnorway: no\nversion: '0.2'\nn: -12\nx: .5\ny: 1e5\n"
        "octal: 0o7\nzero: 007\nempty:\nyes: true\nlist: [a, 1]\n"
    )

    assert found == {
        "day": "2025-01-01", "switch": "on", "clock": "1:30", "norway": "no", "version": "0.2", "n": -12,
        "x": 0.5, "y": 100000.0, "octal": "0o7", "zero": "007", "empty": None, "yes": True, "list": ["a", 1],
    }  # fmt: skip


def test_aliases_and_merges_within_reason() -> None:
    found = parse_yaml("base: &b {a: 1}\nnext:\n  <<: *b\n  c: 2\nagain: *b\n")

    assert found == {"base": {"a": 1}, "next": {"a": 1, "c": 2}, "again": {"a": 1}}


def test_infinities_only_for_who_asks() -> None:
    assert parse_yaml("a: .inf", finite=False) == {"a": float("inf")}
    with pytest.raises(FormatError, match="/a: not a finite number"):
        parse_yaml("a: .inf")


def laughs() -> str:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    return "\n".join(rows)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (laughs(), "after expansion of aliases"),
        (f"a: &a {'x' * 100_000}\nb: [{', '.join(['*a'] * 200)}]", "after expansion of aliases"),
        ("a: &a [*a]", "alias 'a' has no finished anchor"),
        ("a: *b", "alias 'b' has no finished anchor"),
        ("a: 1\nb: 2\na: 3", "line 3: the key 'a' stands twice"),
        ("1: a", "line 1: a key that is no text"),
        ("[a, b]: c", "line 1: a key that is no text"),
        ("a: !!python/object/apply:os.system [x]", "could not determine a constructor"),
        ("a: !!binary aGk=", "could not determine a constructor"),
        ("a: !!int x", "not YAML"),
        ("a: 99999999999999999999", "64 bits"),
        ("a: [1", "line 2: not YAML"),
        ("--- 1\n--- 2", "not YAML"),
        ("a: \x07", "not YAML"),
        ("[" * MAX_DEPTH + "]" * MAX_DEPTH, "nested deeper"),
        ("[" * 100_000, "nest"),
    ],
)
def test_refusals(content: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        parse_yaml(content)
