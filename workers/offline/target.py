"""Second step on the target: environments where ``workers.environments`` looks for them.

The worker then finds them complete and installs nothing. Each sees the bundle's packages first and the
target's own after them, so the target's torch serves an engine that needs it.
"""

import json
import shutil
from collections.abc import Iterator
from importlib.metadata import EntryPoint, distributions
from pathlib import Path

from workers import environments
from workers.offline.unpack import HOST, STAMP, make_python

_SCRIPT = """#!{python}
import sys
from {module} import {function}

if __name__ == "__main__":
    sys.exit({call}())
"""


def make_environments(prefix: Path) -> list[str]:
    """Make or renew the environment of every unpacked program but the worker's; their names."""
    host = json.loads((prefix / HOST).read_text(encoding="utf-8"))
    made = []
    for folder in sorted(path.parent for path in prefix.glob(f"*/{STAMP}")):
        if environments.lock_of(folder.name).is_file():
            make_environment(folder, environments.expected(folder.name, prefix / "envs"), host)
            made.append(folder.name)
    return made


def make_environment(packages: Path, environment: environments.Environment, host: list[str]) -> None:
    """Unless it was made from these very packages."""
    stamp = environment.path / environments.STAMP
    digest = (packages / STAMP).read_text(encoding="ascii")
    if stamp.is_file() and stamp.read_text(encoding="ascii") == digest:
        return
    make_python(environment.path, packages, host)
    for entry in entry_points(packages):
        path = environment.script(entry.name)
        path.write_text(script(entry, environment.python), encoding="utf-8")
        path.chmod(0o755)
    stamp.write_text(digest, encoding="ascii")


def entry_points(packages: Path) -> Iterator[EntryPoint]:
    """Commands that the packages declare."""
    for distribution in distributions(path=[str(packages)]):
        yield from distribution.entry_points.select(group="console_scripts")


def script(entry: EntryPoint, python: Path) -> str:
    return _SCRIPT.format(
        python=python, module=entry.module, function=entry.attr.partition(".")[0], call=entry.attr
    )


def share_data(prefix: Path, var: Path) -> None:
    """Models and corpora of the bundle, where the worker looks for them."""
    for source in sorted((prefix / "data").glob("*/*/*")):
        if source.parts[-3] in ("models", "corpora"):
            place = var / source.relative_to(prefix / "data")
            place.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, place, dirs_exist_ok=True)
            else:
                shutil.copyfile(source, place)
