import lzma
import os
import tarfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from workers.offline import pack
from workers.offline.unpack import Parts


def tree(folder: Path, time: int) -> Path:
    for name in ("b/x.py", "a.so", "a/tests/t.py", "a/types.pyi", "a/__pycache__/x.pyc", "run"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
        os.utime(path, (time, time))
    (folder / "run").chmod(0o755)
    (folder / "link").symlink_to("run")
    return folder


def test_equal_files_make_equal_archives(tmp_path: Path) -> None:
    archives = []
    for number, time in enumerate((1, 2_000_000_000)):
        folder = tree(tmp_path / str(number), time)
        archives.append(tmp_path / f"{number}.tar.xz")
        pack.pack(archives[-1], folder, pack.contents(folder))
    assert archives[0].read_bytes() == archives[1].read_bytes()
    with tarfile.open(archives[0]) as tar:
        assert {entry.name: entry.mode for entry in tar} == {
            "a.so": 0o644, "a/tests/t.py": 0o644, "a/types.pyi": 0o644, "b/x.py": 0o644, "run": 0o755,
        }  # fmt: skip


def test_what_is_left_out_by_pattern(tmp_path: Path) -> None:
    found = pack.contents(tree(tmp_path, 1), ["*/tests/*", "*.pyi", "a.so"])
    assert [path.relative_to(tmp_path).as_posix() for path in found] == ["b/x.py", "run"]


def test_a_listing_tells_contents_apart(tmp_path: Path) -> None:
    folder = tree(tmp_path, 1)
    before = pack.listing(folder, pack.contents(folder))
    (folder / "a.so").write_text("other")
    after = pack.listing(folder, pack.contents(folder))
    assert [line.endswith("  a.so") for line in set(after.splitlines()) - set(before.splitlines())] == [True]


@settings(max_examples=25)
@given(sizes=st.lists(st.integers(0, 3000), min_size=1, max_size=4), part=st.integers(1, 2000))
def test_parts_join_to_what_was_cut(tmp_path_factory: object, sizes: list[int], part: int) -> None:
    folder = tmp_path_factory.mktemp("parts")  # type: ignore[attr-defined]
    members = []
    for number, size in enumerate(sizes):
        members.append(folder / f"{number}.tar.xz")
        members[-1].write_bytes(lzma.compress(os.urandom(size)))
    pack.bundle(folder / "whole", members)
    parts = pack.split(folder / "whole", folder, part)
    assert all(path.stat().st_size == part for path in parts[:-1])
    with Parts(parts) as stream:
        assert stream.readall() == (folder / "whole").read_bytes()
