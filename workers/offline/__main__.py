"""``python -m workers.offline``: build a bundle for a host without a network (docs/air-gapped.md).

Bad input gives exit code 2 and one line on standard error.
"""

import argparse
import sys
from pathlib import Path
from typing import NoReturn

from workers.offline.build import Order, build
from workers.offline.errors import OfflineError
from workers.offline.have import read_have
from workers.offline.programs import PROGRAMS
from workers.offline.resolve import Target


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"offline: {message}\n")


def parser() -> argparse.ArgumentParser:
    top = _Parser(prog="python -m workers.offline", description=(__doc__ or "").partition("\n")[0])
    top.add_argument("--engine", required=True, choices=sorted(PROGRAMS))
    top.add_argument("--python", required=True, metavar="3.12", help="version of the target's Python")
    top.add_argument("--platform", default="x86_64-manylinux_2_35", help="as uv names it")
    top.add_argument("--cuda", metavar="13.0", help="CUDA of the target's torch; the engine must fit it")
    top.add_argument("--have", type=Path, help="packages of the target: pip list --format=freeze")
    top.add_argument("--documents", type=Path, required=True, help="folder of run documents, run by name")
    top.add_argument("--var", type=Path, default=Path("var"), help="where models and corpora are")
    top.add_argument("--part-mib", type=int, default=57, metavar="MIB")
    top.add_argument("--out", type=Path, required=True, help="new folder for the parts and run.sh")
    return top


def say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


def main() -> int:
    top = parser()
    chosen = top.parse_args()
    try:
        order = Order(
            engine=chosen.engine, target=Target(chosen.python, chosen.platform), cuda=chosen.cuda,
            have=read_have(chosen.have), documents=chosen.documents, var=chosen.var.resolve(),
            part_bytes=chosen.part_mib * 2**20, out=chosen.out.resolve(),
        )  # fmt: skip
        bundle = build(order, say)
    except OfflineError as error:
        top.error(" ".join(str(error).split()))
    except OSError as error:
        top.error(f"{error.filename}: {error.strerror}")
    sizes = [part["bytes"] / 2**20 for part in bundle["parts"]]
    each = ", ".join(f"{size:.1f}" for size in sizes)
    sys.stdout.write(f"{len(sizes)} parts, {sum(sizes):.1f} MiB: {each}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
