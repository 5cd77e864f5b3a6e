"""``python -m workers``: measure on this host, with or without a database.

Exit codes: 0 succeeded, 1 failed, 2 bad input (one line says which field), 3 cancelled.
"""

import argparse
import json
import logging
import os
import sys
import uuid
from pathlib import Path
from typing import NoReturn

from pydantic import ValidationError

from results.documents.base import one_line
from results.documents.run import RunDocument, check_executable
from workers import environments, examples, gpu_plan
from workers.bundle import Bundle
from workers.cancellation import Stop
from workers.ceilings.report import report, summary
from workers.events import to_stdout
from workers.failures import ExecutionFailure
from workers.probe import has_nvidia_gpu
from workers.supervisor import Supervisor
from workers.tiny_model import ensure_tiny_model
from workers.traces.errors import CorpusError

ENVIRONMENTS = ("llamacpp", "aiperf", "vllm", "vllm-cpu", "vllm-cuda")
EXIT = {"succeeded": 0, "failed": 1, "cancelled": 3}


class BadInput(Exception):
    """One line for standard error; the exit code is 2."""


class OneLineParser(argparse.ArgumentParser):
    """Says what is wrong, without the usage before it."""

    def error(self, message: str) -> NoReturn:
        raise BadInput(message)


#: The line that progress wrote last.
_shown: list[str] = []


def default_var() -> Path:
    return Path(os.environ.get("NORTHSTAR_VAR") or Path(__file__).parents[1] / "var").resolve()


def progress(text: str, share: float | None) -> None:
    """A line on standard error for each step and each new per cent."""
    line = text if share is None else f"{text} ({share:.0%})"
    if line not in _shown[-1:]:
        _shown[:] = [line]
        sys.stderr.write(f"{line}\n")


def read_document(path: Path) -> RunDocument:
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        return check_executable(RunDocument.model_validate(raw))
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from error
    except ValidationError as error:
        raise BadInput(f"{path}: {one_line(error)}") from error
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path}: not JSON: {error}") from error


def empty_bundle(path: Path) -> Bundle:
    try:
        if path.exists() and any(path.iterdir()):
            raise BadInput(f"--bundle: {path} is not empty")
        return Bundle(path)
    except OSError as error:
        raise BadInput(f"--bundle: {path}: {error.strerror}") from error


def run(arguments: argparse.Namespace) -> int:
    document = read_document(arguments.document)
    bundle = empty_bundle(arguments.bundle)
    stop = Stop(document.hard_limit_seconds)
    stop.on_signals()
    if arguments.parent_pipe:
        stop.on_parent_end()
    supervisor = Supervisor(
        document=document,
        bundle=bundle,
        var=arguments.var,
        run_id=str(arguments.run_id),
        attempt=arguments.attempt,
        emit=to_stdout,
        stop=stop,
    )
    return EXIT[supervisor.execute().name]


def example(arguments: argparse.Namespace) -> int:
    possible = examples.labels(arguments.engine)
    if arguments.label not in possible:
        raise BadInput(f"--label: one of {', '.join(possible)} on this host")
    try:
        document = examples.example(
            arguments.engine, arguments.label, arguments.loads, arguments.window, arguments.block,
            arguments.var, progress,
        )  # fmt: skip
    except ValidationError as error:
        raise BadInput(one_line(error)) from error
    print(json.dumps(document.to_json(), indent=1))
    return 0


def probe(arguments: argparse.Namespace) -> int:
    found = report()
    if arguments.json:
        print(json.dumps(found, indent=1, allow_nan=False))
        return 0
    print("\n".join(summary(found)))
    return 0


def plan(arguments: argparse.Namespace) -> int:
    chosen = gpu_plan.Plan(
        hardware=arguments.hardware, window=arguments.window, seed=arguments.seed, blocks=arguments.blocks,
        loads=tuple(arguments.loads), cliff_blocks=arguments.cliff_blocks,
        again_loads=tuple(arguments.again_loads), cliff_loads=tuple(arguments.cliff_loads),
        cliff_repeats=tuple(arguments.cliff_repeats), tier_loads=tuple(arguments.tier_loads),
    )  # fmt: skip
    try:
        paths = gpu_plan.write(chosen, arguments.var, arguments.out, progress)
    except (ValidationError, CorpusError) as error:
        text = one_line(error) if isinstance(error, ValidationError) else str(error)
        raise BadInput(text) from error
    print("\n".join(map(str, paths)))
    return 0


def labels(arguments: argparse.Namespace) -> int:
    print("\n".join(examples.labels(arguments.engine)))
    return 0


def model(arguments: argparse.Namespace) -> int:
    print(ensure_tiny_model(arguments.var, progress).revision)
    return 0


def environment_name(text: str) -> str:
    """vLLM has one environment per kind of host."""
    if text == "vllm":
        return "vllm-cuda" if has_nvidia_gpu() else "vllm-cpu"
    if text not in ENVIRONMENTS:
        raise argparse.ArgumentTypeError(f"{text!r} is not one of {', '.join(ENVIRONMENTS)}")
    return text


def provision(arguments: argparse.Namespace) -> int:
    for name in arguments.environments:
        environments.ensure(name, arguments.var, progress)
    ensure_tiny_model(arguments.var, progress)
    return 0


def loads(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of numbers like 1,2,4") from None


def loads_or_none(text: str) -> list[int]:
    return [] if text == "none" else loads(text)


def attempt_number(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0")
    return int(text)


def folder(text: str) -> Path:
    """Absolute, because engines and clients are started in folders of their own."""
    return Path(text).resolve()


def parser() -> argparse.ArgumentParser:
    top = OneLineParser(prog="python -m workers", description=(__doc__ or "").partition("\n")[0])
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    common = OneLineParser(add_help=False)
    common.add_argument("--var", type=folder, default=default_var(), help="data folder (NORTHSTAR_VAR)")

    running = commands.add_parser("run", parents=[common], help="execute one run document")
    running.add_argument("document", type=Path, metavar="RUN.json")
    running.add_argument("--bundle", type=folder, required=True, help="folder for everything that is written")
    running.add_argument("--run-id", type=uuid.UUID, default=uuid.uuid4())
    running.add_argument("--attempt", type=attempt_number, default=0)
    running.add_argument("--parent-pipe", action="store_true", help="stop when standard input ends")
    running.set_defaults(action=run)

    showing = commands.add_parser("example", parents=[common], help="print a run document for this host")
    showing.add_argument("--label", required=True)
    showing.add_argument("--engine", choices=["llamacpp", "vllm"], default="llamacpp")
    showing.add_argument("--loads", type=loads, default=[1, 2, 4], metavar="1,2,4")
    showing.add_argument("--window", type=int, default=40, help="seconds")
    showing.add_argument("--block", type=int)
    showing.set_defaults(action=example)

    probing = commands.add_parser("probe", help="measure what this host's GPUs can do at best")
    probing.add_argument("--json", action="store_true", help="everything, for a machine")
    probing.set_defaults(action=probe)

    planning = commands.add_parser("plan", parents=[common], help="write the run documents of a GPU host")
    planning.add_argument("--out", type=folder, required=True, help="folder for the documents")
    planning.add_argument("--hardware", default="h200", help="slug in the catalogue")
    planning.add_argument("--window", type=int, default=30, help="seconds")
    planning.add_argument("--seed", type=int, default=1)
    planning.add_argument("--blocks", type=int, default=3)
    planning.add_argument("--loads", type=loads, default=[2, 4, 8], metavar="2,4,8")
    planning.add_argument(
        "--again-loads", type=loads_or_none, default=[4], metavar="4", help="of the A/A arm, or none"
    )
    planning.add_argument("--cliff-blocks", type=int, default=1)
    planning.add_argument("--cliff-loads", type=loads_or_none, default=[1, 2, 4, 8, 16], metavar="1,2,4,8,16")
    planning.add_argument("--cliff-repeats", type=loads_or_none, default=[4, 8], metavar="4,8")
    planning.add_argument(
        "--tier-loads", type=loads_or_none, default=[], metavar="4,8", help="the other connector"
    )
    planning.set_defaults(action=plan)

    listing = commands.add_parser("labels", parents=[common], help="print the example labels of this host")
    listing.add_argument("--engine", choices=["llamacpp", "vllm"], default="llamacpp")
    listing.set_defaults(action=labels)

    making = commands.add_parser("model", parents=[common], help="make the tiny model, print its revision")
    making.set_defaults(action=model)

    preparing = commands.add_parser("provision", parents=[common], help="install engines and client")
    # A type and not "choices", which argparse would also hold against the default list as a whole.
    preparing.add_argument(
        "environments", nargs="*", type=environment_name, default=["llamacpp", "aiperf"], metavar="NAME"
    )
    preparing.set_defaults(action=provision)
    return top


def main() -> int:
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s")
    try:
        arguments = parser().parse_args()
        return int(arguments.action(arguments))
    except BadInput as problem:
        sys.stderr.write(" ".join(str(problem).split()) + "\n")
        return 2
    except ExecutionFailure as failure:
        sys.stderr.write(f"{failure.failure}: {failure.line}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
