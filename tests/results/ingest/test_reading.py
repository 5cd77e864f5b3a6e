"""Bytes of foreign files made safe: encodings, compression, JSON, JSON Lines, CSV."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from results.ingest import reading
from results.ingest.json_scanner import Scanner
from results.ingest.json_stream import _elements, json_members, json_rows, outline
from results.ingest.reading import csv_rows, head, json_document, json_lines, lines, text
from results.ingest.rows import FormatError, Rejected, Source
from results.ingest.yaml_text import yaml_document
from tests.results.ingest.sources import source_of

OBJECT = '{"name": "gr\u00f6\u00dfe", "n": 12}'
VALUE = {"name": "gr\u00f6\u00dfe", "n": 12}
fuzz = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def refusal(source: Source, **options: bool) -> FormatError:
    with pytest.raises(FormatError) as caught:
        json_document(source, **options)
    return caught.value


@pytest.mark.parametrize(
    "content",
    [
        OBJECT.encode(),
        OBJECT.encode("utf-8-sig"),
        OBJECT.encode("utf-16"),
        b"\xfe\xff" + OBJECT.encode("utf-16-be"),
        OBJECT.replace(" ", "\r\n").encode(),
        gzip.compress(OBJECT.encode(), mtime=0),
        gzip.compress(OBJECT.encode("utf-16"), mtime=0),
        gzip.compress(OBJECT[:9].encode(), mtime=0) + gzip.compress(OBJECT[9:].encode(), mtime=0),
    ],
)
def test_reads_the_same_value_from_every_encoding(content: bytes, tmp_path: Path) -> None:
    assert json_document(source_of(content, folder=tmp_path)) == VALUE


@pytest.mark.parametrize(
    ("content", "pointer", "reason"),
    [
        (b"", "", "the file is empty"),
        (gzip.compress(b"", mtime=0), "", "the file is empty"),
        (b"  \n", "", "not JSON"),
        (OBJECT.encode("utf-16-le"), "", "not utf-8"),
        (OBJECT.encode("utf-32"), "", "UTF-32"),
        (OBJECT.encode("latin-1"), "", "not utf-8 near byte 12"),
        (OBJECT.encode()[:-1], "", "not JSON"),
        (OBJECT.encode("utf-16")[:-1], "", "not utf-16"),
        (gzip.compress(OBJECT.encode(), mtime=0)[:-9], "", "damaged or truncated gzip"),
        (gzip.compress(gzip.compress(OBJECT.encode(), mtime=0), mtime=0), "", "not utf-8"),
        (b'{"a": {"b": 1, "b": 2}}', "/a/b", "stands twice"),
        (b'{"a": [1, NaN]}', "/a/1", "finite"),
        (b'{"a": -Infinity}', "/a", "finite"),
        (b'{"a": 1e999}', "/a", "finite"),
        (b'{"a/b": 9223372036854775808}', "/a~1b", "64 bits"),
        (b'{"a": ' + b"9" * 5000 + b"}", "/a", "64 bits"),
        (b"[" * 40 + b"]" * 40, "/0" * 32, "nested deeper"),
        (b"[" * 100_000, "", "nested too deep"),
        (b'{"a": "\\u0000"}', "/a", "NUL"),
        (b'{"a": "\\ud800"}', "/a", "surrogate"),
        (b'{"a": 1} {"a": 2}', "", "not JSON: Extra data"),
    ],
)
def test_refuses_with_place_and_reason(content: bytes, pointer: str, reason: str, tmp_path: Path) -> None:
    error = refusal(source_of(content, folder=tmp_path))

    assert (error.pointer, reason in error.reason) == (pointer, True), error


def test_integers_of_64_bits_stay_exact(tmp_path: Path) -> None:
    exact = json_document(source_of('{"ns": 1781156668572624201, "low": -9223372036854775808}'))

    assert exact == {"ns": 1781156668572624201, "low": -(2**63)}


def test_leaves_infinities_to_a_caller_that_knows_them() -> None:
    source = source_of('{"request_rate": Infinity}')

    assert json_document(source, finite=False) == {"request_rate": float("inf")}
    assert refusal(source_of('{"a": Infinity, "b": 1, "b": 2}'), finite=False).pointer == "/b"


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = gzip.compress(b"[" + b" " * (reading.LARGEST_DOCUMENT + 1) + b"]", mtime=0)
    source = source_of(packed, folder=tmp_path)

    assert len(packed) < 100_000
    assert "more than" in refusal(source).reason


def test_a_file_that_is_gone_is_refused(tmp_path: Path) -> None:
    source = Source("gone.json", tmp_path / "gone.json")

    assert "cannot be opened" in refusal(source).reason
    assert head(source) == ""
    assert outline(source).kind == "other"


def test_lines_end_with_line_feeds_only() -> None:
    source = source_of("a\u2028b\r\nc\x0bd\n\ne")

    assert list(lines(source)) == [(1, "a\u2028b"), (2, "c\x0bd"), (3, ""), (4, "e")]


def test_a_line_without_end_is_refused() -> None:
    source = source_of("x" * 50 + "\n" + "y" * 51)

    with pytest.raises(FormatError, match="line 2: longer than 50"):
        list(lines(source, longest=50))


def test_a_bad_line_does_not_lose_the_others() -> None:
    source = source_of('{"a": 1}\n\n{"a": NaN}\n{"a"\n{"a": 2}')

    found = list(json_lines(source))

    assert found[0] == ("line 1", {"a": 1})
    assert found[1] == Rejected("line 3, /a", "not a finite number of 64 bits")
    assert isinstance(found[2], Rejected)
    assert found[2].pointer == "line 4"
    assert found[3] == ("line 5", {"a": 2})


def test_a_bad_row_does_not_lose_the_others() -> None:
    found = list(json_rows(source_of('[{"a": 1}, {"a": [NaN]}, {"a": 1, "a": 2}, 7]')))

    assert found == [
        ("/0", {"a": 1}),
        Rejected("/1/a/0", "not a finite number of 64 bits"),
        Rejected("/2/a", "the key stands twice"),
        ("/3", 7),
    ]


def test_a_truncated_array_gives_what_it_holds_and_says_so() -> None:
    rows = json_rows(source_of('[{"a": 1}, {"a": 2}, {"a"'))

    assert [next(rows), next(rows)] == [("/0", {"a": 1}), ("/1", {"a": 2})]
    with pytest.raises(FormatError, match="/2: not JSON"):
        next(rows)


@pytest.mark.parametrize("content", ["[1] x", "[1,]", "[1 2]", "[", "[1", '{"a": 1}}', ""])
def test_rows_of_broken_texts_are_refused(content: str) -> None:
    with pytest.raises(FormatError):
        list(json_rows(source_of(content)))


def test_rows_under_a_key_skip_what_stands_around() -> None:
    source = source_of('{"meta": {"data": [0]}, "data": [{"a": 1}, {"a": 2}], "end": "]"}')

    assert list(json_rows(source, "data")) == [("/data/0", {"a": 1}), ("/data/1", {"a": 2})]
    with pytest.raises(FormatError, match="/rows: an array is missing"):
        list(json_rows(source, "rows"))


def test_members_are_read_past_unless_named() -> None:
    source = source_of('{"a": {"b": 1}, "many": [{"c": NaN}, []], "none": [], "d": [2]}')

    assert json_members(source, frozenset({"a", "d", "e"})) == {"a": {"b": 1}, "d": [2]}
    with pytest.raises(FormatError, match="/many/0/c"):
        json_members(source, frozenset({"many"}))
    with pytest.raises(FormatError, match="/many/1"):
        json_members(source_of('{"many": [1, }'), frozenset())


def test_an_object_is_one_row_and_lines_are_many() -> None:
    assert list(json_rows(source_of('{\n"a": 1}'))) == [("", {"a": 1})]
    assert list(json_rows(source_of('{"a": 1}\n{"a": 2}'))) == [
        ("line 1", {"a": 1}), ("line 2", {"a": 2}),
    ]  # fmt: skip


def test_rows_longer_than_a_piece_of_the_file_are_read() -> None:
    rows = [{"text": '\\"x,' * 200_000, "n": -1.25e-3}, 123456, [[], {}], "end", None, True]

    found = list(json_rows(source_of(json.dumps(rows))))

    assert found == [(f"/{index}", row) for index, row in enumerate(rows)]


def test_outline_of_each_kind() -> None:
    one = outline(source_of('{"v": 1, "deep": {"a": [1]}, "rows": [{"b": 2}], "list": [1]}'))

    assert one.kind == "object"
    assert one.keys == {"v", "deep", "rows", "list"}
    assert one.scalars == {"v": 1}
    assert one.nested == {"deep": {"a"}, "rows": {"b"}}
    assert outline(source_of('[{"a": 1}, {"b": 2}]')).keys == {"a"}
    assert outline(source_of('{"a": 1}\n{"b": 2}\n')).kind == "lines"
    assert outline(source_of("time,power\n1,2\n")).kind == "other"


def test_outline_of_a_truncated_file_shows_its_beginning() -> None:
    found = outline(source_of('{"lm_eval_version": "0.4.9", "results": {"gsm8k": '))

    assert found.keys == {"lm_eval_version", "results"}


def test_csv_cells_by_column() -> None:
    source = source_of('a, b\r\n1, "x, y"\r\n\r\n2\r\n3,"two\r\nlines"\r\n')

    assert list(csv_rows(source)) == [
        ("line 2", {"a": "1", "b": "x, y"}),
        Rejected("line 4", "1 cells under 2 columns"),
        ("line 6", {"a": "3", "b": "two\nlines"}),
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,a\n1,2\n", "line 1: column 'a' stands twice"),
        ('a\n"x', "line 2: not CSV"),
        ("a\nx\0\n", "line 2: a NUL"),
        ("a\nx\ry\n", "line 2: not CSV"),
        ("a\n" + "x" * 200_000, "line 2: not CSV"),
    ],
)
def test_csv_refusals(content: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        list(csv_rows(source_of(content)))


words = st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=5)
numbers = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
json_values = st.recursive(
    st.none() | st.booleans() | numbers | words,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=4),
    max_leaves=12,
)


@fuzz
@given(rows=st.lists(json_values, max_size=5), indent=st.sampled_from([None, 1]), piece=st.integers(1, 9))
def test_streamed_rows_equal_the_whole_document(rows: list[Any], indent: int | None, piece: int) -> None:
    content = json.dumps(rows, indent=indent)
    pieces = [content[at : at + piece] for at in range(0, len(content), piece)]

    assert list(_elements(Scanner(iter(pieces)), "", True)) == [(f"/{n}", row) for n, row in enumerate(rows)]


@fuzz
@given(content=st.binary(max_size=300) | st.text(max_size=100).map(str.encode), packed=st.booleans())
def test_arbitrary_bytes_raise_format_errors_only(content: bytes, packed: bool, tmp_path: Path) -> None:
    source = source_of(gzip.compress(content, mtime=0) if packed else content, folder=tmp_path)
    readers: tuple[Callable[[Source], object], ...] = (
        text, json_document, yaml_document, lambda found: list(lines(found)),
        lambda found: list(json_lines(found)), lambda found: list(json_rows(found)),
        lambda found: list(csv_rows(found)),
    )  # fmt: skip
    for read in readers:
        try:
            read(source)
        except FormatError as error:
            assert error.reason
    head(source)
    outline(source)


@fuzz
@given(
    rows=st.lists(json_values, max_size=3), at=st.integers(0, 200), letter=st.sampled_from('{}[]",:\\n1\0')
)
def test_damaged_json_raises_format_errors_only(
    rows: list[Any], at: int, letter: str, tmp_path: Path
) -> None:
    content = json.dumps(rows)
    source = source_of(content[:at] + letter + content[at + 1 :], folder=tmp_path)
    for read in (json_document, lambda found: list(json_rows(found)), yaml_document):
        try:
            read(source)
        except FormatError:
            continue
