"""Archives: what comes out of good ones, and how bad ones are refused."""

import bz2
import gzip
import hashlib
import io
import lzma
import stat
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from results.ingest.archive_streams import ArchiveError, Budget, Limits
from results.ingest.archives import Contents, archive_kind, unpack

FILES = {"a.json": b'{"a": 1}', "deep/b.jsonl": b"1\n2\n", "empty": b""}
SMALL = Limits(total=4_000_000, file=2_000_000, files=50, ratio=20, free=100_000)


def tar_of(files: dict[str, bytes], compression: str = "") -> bytes:
    body = io.BytesIO()
    with tarfile.open(fileobj=body, mode=f"w:{compression}") as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return body.getvalue()


def zip_of(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return body.getvalue()


def noise(seed: str, size: int) -> bytes:
    """Bytes that do not compress, the same every time."""
    return hashlib.shake_128(seed.encode()).digest(size)


MAKERS: dict[str, Callable[[dict[str, bytes]], bytes]] = {
    "tar": tar_of,
    "tar.gz": lambda files: tar_of(files, "gz"),
    "tar.bz2": lambda files: tar_of(files, "bz2"),
    "tar.xz": lambda files: tar_of(files, "xz"),
    "zip": zip_of,
}


def opened(folder: Path, body: bytes, limits: Limits = SMALL) -> Contents:
    """Unpacked whatever it is called."""
    location = Path(tempfile.mkdtemp(dir=folder), "results.json")
    location.write_bytes(body)
    kind = archive_kind(location)
    assert kind is not None
    return unpack(location, kind, location.parent, Budget(len(body), limits))


def contents(found: Contents) -> dict[str, bytes]:
    return {member.name: member.location.read_bytes() for member in found.members}


def refusals(found: Contents) -> dict[str, str]:
    return {row.pointer: row.reason for row in found.refused}


@pytest.mark.parametrize("kind", MAKERS)
def test_members_come_out_whatever_the_archive_is_called(tmp_path: Path, kind: str) -> None:
    location = tmp_path / "wrong.csv"
    location.write_bytes(MAKERS[kind](FILES))
    assert archive_kind(location) == kind
    found = unpack(location, kind, tmp_path, Budget(location.stat().st_size))
    assert contents(found) == FILES
    assert found.refused == []


@pytest.mark.parametrize("pack", [bz2.compress, lzma.compress], ids=["bz2", "xz"])
def test_a_compressed_file_without_tar_comes_out_alone(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    assert contents(opened(tmp_path, pack(b"[1]"))) == {"": b"[1]"}


def test_xz_streams_with_padding_follow_each_other(tmp_path: Path) -> None:
    body = lzma.compress(b"[1,") + b"\0" * 8 + lzma.compress(b"2]") + b"\0" * 4
    assert contents(opened(tmp_path, body)) == {"": b"[1,2]"}


@pytest.mark.parametrize(
    "body",
    [b"", b"{}", gzip.compress(b"{}"), b"\x1f\x8b" + b"no gzip" * 9, b"\0" * 1024, b"PK", b"a" * 600],
    ids=["empty", "json", "gzipped json", "broken gzip", "zeros", "short", "text"],
)
def test_other_files_are_no_archives(tmp_path: Path, body: bytes) -> None:
    location = tmp_path / "results.zip"
    location.write_bytes(body)
    assert archive_kind(location) is None


@pytest.mark.parametrize("head", [b"\x28\xb5\x2f\xfd", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07\x01\x00"])
def test_archives_that_cannot_be_opened_say_what_to_send(tmp_path: Path, head: bytes) -> None:
    with pytest.raises(ArchiveError, match="not opened here; send zip, tar"):
        opened(tmp_path, head + bytes(100))


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("share", [0.1, 0.5, 0.7])
def test_a_cut_archive_is_refused_as_a_whole(tmp_path: Path, kind: str, share: float) -> None:
    body = MAKERS[kind]({name: noise(name, 10_240) for name in "abc"})
    with pytest.raises(ArchiveError, match="damaged or cut off"):
        opened(tmp_path, body[: int(share * len(body))])


def test_a_tar_cut_between_two_members_is_refused(tmp_path: Path) -> None:
    """Nothing but the end mark tells that the rest is missing."""
    body = tar_of({name: bytes(10_240) for name in "abc"})
    with pytest.raises(ArchiveError, match="damaged or cut off"):
        opened(tmp_path, body[: 512 + 10_240])


def test_a_damaged_header_in_the_middle_is_no_end(tmp_path: Path) -> None:
    body = bytearray(tar_of({"a": b"x" * 512, "b": b"y"}))
    body[1024] ^= 1
    with pytest.raises(ArchiveError, match="damaged or cut off"):
        opened(tmp_path, bytes(body))


@pytest.mark.parametrize("kind", ["tar.gz", "tar.xz", "zip"])
def test_flipped_content_fails_its_checksum(tmp_path: Path, kind: str) -> None:
    body = bytearray(MAKERS[kind]({"a": bytes(range(256)) * 64}))
    body[len(body) // 3] ^= 0x55
    with pytest.raises(ArchiveError, match="damaged or cut off"):
        opened(tmp_path, bytes(body))


def info(name: str, **facts: object) -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    for key, value in facts.items():
        setattr(made, key, value)
    return made


@pytest.mark.parametrize(
    ("hostile", "reason"),
    [
        (info("/etc/passwd"), "has an absolute path"),
        (info("../outside"), "has a path that leaves the archive"),
        (info("x/../../outside"), "has a path that leaves the archive"),
        (info("..\\outside"), "has a path that leaves the archive"),
        (info("C:\\windows"), "has an absolute path"),
        (info("link", type=tarfile.SYMTYPE, linkname="/etc/passwd"), "is a link"),
        (info("hard", type=tarfile.LNKTYPE, linkname="a.json"), "is a link"),
        (info("device", type=tarfile.CHRTYPE, devmajor=1, devminor=3), "is no regular file"),
        (info("pipe", type=tarfile.FIFOTYPE), "is no regular file"),
        (info("./a.json"), "stands twice in the archive"),
        (info("n" * 401), "has a name of more than 400 characters"),
    ],
    ids=lambda value: ascii(getattr(value, "name", ""))[:20],
)
def test_hostile_members_stay_inside_and_the_rest_comes_out(
    tmp_path: Path, hostile: tarfile.TarInfo, reason: str
) -> None:
    body = io.BytesIO()
    with tarfile.open(fileobj=body, mode="w") as archive:
        for member, content in ((info("a.json", size=2), b"{}"), (hostile, b""), (info("z", size=1), b"z")):
            archive.addfile(member, io.BytesIO(content))
    found = opened(tmp_path, body.getvalue())
    assert contents(found) == {"a.json": b"{}", "z": b"z"}
    assert [row.reason for row in found.refused] == [reason]
    assert {path.name for path in tmp_path.rglob("*") if path.is_file()} == {"results.json", "1", "3"}


@pytest.mark.parametrize("name", ["/etc/passwd", "../outside", "C:/x", "a\\..\\..\\b"])
def test_a_zip_cannot_leave_its_folder(tmp_path: Path, name: str) -> None:
    found = opened(tmp_path, zip_of({name: b"x", "good": b"y"}))
    assert contents(found) == {"good": b"y"}
    assert len(found.refused) == 1


def test_links_and_encrypted_members_of_a_zip_are_refused(tmp_path: Path) -> None:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as archive:
        link = zipfile.ZipInfo("link")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("secret", b"x")
        archive.writestr("lzma", b"x", zipfile.ZIP_LZMA)
        archive.writestr("good", b"y")
    raw = bytearray(body.getvalue())
    place = raw.index(b"secret", raw.index(b"PK\x01\x02")) - 46
    raw[place + 8] |= 1
    found = opened(tmp_path, bytes(raw))
    assert contents(found) == {"good": b"y"}
    assert refusals(found) == {
        "link": "is a link",
        "secret": "is encrypted",
        "lzma": "is compressed by method 14, which is not read here",
    }


def test_names_in_odd_encodings_are_shown_and_cost_no_file(tmp_path: Path) -> None:
    body = io.BytesIO()
    with tarfile.open(fileobj=body, mode="w", format=tarfile.GNU_FORMAT, encoding="latin-1") as archive:
        for name in ("gr\xfc\xdfe.json", "new\nline", "a\\b", "./c"):
            archive.addfile(info(name, size=2), io.BytesIO(b"{}"))
    assert set(contents(opened(tmp_path, body.getvalue()))) == {
        "gr\ufffd\ufffde.json",
        "new\ufffdline",
        "a/b",
        "c",
    }


@pytest.mark.parametrize("kind", ["tar.gz", "tar.bz2", "tar.xz", "zip"])
def test_a_bomb_stops_at_its_ratio(tmp_path: Path, kind: str) -> None:
    body = MAKERS[kind]({f"{number}": bytes(1_000_000) for number in range(3)})
    with pytest.raises(ArchiveError, match="more than 20 times its size"):
        opened(tmp_path, body)
    assert sum(path.stat().st_size for path in tmp_path.rglob("*")) < 1_000_000


def test_a_zip_that_lies_about_its_sizes_yields_no_more_than_it_says(tmp_path: Path) -> None:
    body = bytearray(zip_of({"a": bytes(1_000_000)}))
    for place in (body.index(b"PK\x03\x04") + 22, body.index(b"PK\x01\x02") + 24):
        body[place : place + 4] = (10).to_bytes(4, "little")
    with pytest.raises(ArchiveError, match="damaged or cut off"):
        opened(tmp_path, bytes(body))


def test_members_that_share_their_bytes_are_counted_each_time(tmp_path: Path) -> None:
    """One deflated megabyte under twenty names (overlapping entries) is twenty megabytes."""
    whole = zip_of({"a": zlib.compress(bytes(1_900_000), 0)})
    start, end = whole.index(b"PK\x01\x02"), whole.index(b"PK\x05\x06")
    entry, tail = whole[start:end], bytearray(whole[end:])
    entries = b"".join(entry.replace(b"a", b"%c" % (97 + number), 1) for number in range(20))
    tail[8:12] = (20).to_bytes(2, "little") * 2
    tail[12:16] = len(entries).to_bytes(4, "little")
    with pytest.raises(ArchiveError):
        opened(tmp_path, whole[:start] + entries + bytes(tail))


def test_single_large_members_and_too_many_are_refused(tmp_path: Path) -> None:
    body = tar_of({"large": bytes(2_000_001), "small": b"x"})
    found = opened(tmp_path, body)
    assert refusals(found) == {"large": "has 2000001 bytes, more than 2000000"}
    assert contents(found) == {"small": b"x"}
    with pytest.raises(ArchiveError, match="more than 50 members"):
        opened(tmp_path, zip_of({str(number): b"" for number in range(51)}))
    with pytest.raises(ArchiveError, match="more than 4000000 bytes"):
        opened(tmp_path, tar_of({str(number): bytes(1_900_000) for number in range(3)}))


def test_a_huge_extended_header_is_not_read_into_memory(tmp_path: Path) -> None:
    header = info("pax", type=tarfile.XHDTYPE, size=1_500_000).tobuf(tarfile.USTAR_FORMAT)
    with pytest.raises(ArchiveError, match="claims 1500000 bytes"):
        opened(tmp_path, header + bytes(2_000_000))


def test_a_huge_table_of_contents_is_not_read_into_memory(tmp_path: Path) -> None:
    body = zip_of({f"{number:0100}": b"" for number in range(40)})
    with pytest.raises(ArchiveError, match="table of contents"):
        opened(tmp_path, body, Limits(directory=1000))


def test_an_xz_dictionary_has_a_limit(tmp_path: Path) -> None:
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 2**25, "preset": 0}]
    body = lzma.compress(b"[1]", filters=filters)
    with pytest.raises(ArchiveError, match="emory usage limit"):
        opened(tmp_path, body, Limits(xz_memory=2**20))


def test_a_sparse_file_cannot_swell(tmp_path: Path) -> None:
    block = bytearray(info("big", size=512, type=tarfile.GNUTYPE_SPARSE).tobuf(tarfile.GNU_FORMAT))
    block[386:410] = b"00000000000\0" + b"00000001000\0"
    block[483:495] = b"77777777777\0"
    block[148:156] = b" " * 8
    block[148:156] = f"{sum(block):06o}\0 ".encode()
    found = opened(tmp_path, bytes(block) + bytes(512) + bytes(1024))
    assert refusals(found) == {"big": "is a sparse file"}
    assert found.members == []


FUZZ = settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@FUZZ
@given(
    kind=st.sampled_from(sorted(MAKERS)),
    edits=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), max_size=12),
    cut=st.floats(0, 1),
)
def test_damage_of_any_kind_is_named_or_harmless(
    tmp_path: Path, kind: str, edits: list[tuple[float, int]], cut: float
) -> None:
    body = bytearray(MAKERS[kind]({"a.json": b'{"a": [1, 2, 3]}' * 20, "b/c": b"x" * 700}))
    for place, value in edits:
        body[int(place * len(body))] = value
    survive(tmp_path, bytes(body[: max(1, int(cut * len(body)))]))


@FUZZ
@given(
    head=st.sampled_from([b"PK\x03\x04", b"PK\x05\x06", b"BZh9", b"\xfd7zXZ\0", b"\x1f\x8b\x08", b""]),
    rest=st.binary(max_size=900),
)
def test_bytes_that_only_begin_like_an_archive(tmp_path: Path, head: bytes, rest: bytes) -> None:
    survive(tmp_path, head + rest)


def survive(folder: Path, body: bytes) -> None:
    location = Path(tempfile.mkdtemp(dir=folder), "f")
    location.write_bytes(body)
    kind = archive_kind(location)
    if kind is None:
        return
    try:
        unpack(location, kind, location.parent, Budget(len(body), SMALL))
    except ArchiveError as error:
        assert "\n" not in str(error)
