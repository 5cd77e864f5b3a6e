"""``python -m workers.traces``: generate, check, fit and list corpora of traces.

Bad input gives exit code 2 and one line on standard error.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import NoReturn

from workers.traces.corpora import corpus_sha256, list_corpora
from workers.traces.errors import TracesError
from workers.traces.fitting import fit_to_context
from workers.traces.plan import PlanError
from workers.traces.reading import load_traces
from workers.traces.shipped import PLANS
from workers.traces.summary import TraceSummary, prefix_hit_rate, summarize
from workers.traces.writing import generate_corpus, write_traces

#: Fields of a plan that the command line changes.
_WHOLE = ("seed", "sessions", "context_cap", "block_size")
_BROKEN = ("length_scale", "turn_scale", "time_scale", "bursts_per_turn")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    try:
        chosen.run(chosen)
    except TracesError as error:
        parser.error(str(error))
    except OSError as error:
        parser.error(f"{error.filename}: {error.strerror}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m workers.traces", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    command = commands.add_parser("generate", help="write a synthetic corpus and its description")
    command.add_argument("plan", choices=sorted(PLANS), help="the plan to start from")
    command.add_argument("--out", type=Path, required=True, help="folder that gets the corpus")
    command.add_argument("--slug", help="name of a corpus that differs from its plan")
    for name in _WHOLE:
        command.add_argument(_option(name), type=int)
    for name in _BROKEN:
        command.add_argument(_option(name), type=_fraction, metavar="NUMBER", help="as 0.25 or 1/4")
    command.set_defaults(run=_generate)
    command = commands.add_parser("check", help="read traces strictly and sum them up")
    command.add_argument("path", type=Path, help="a trace file or a folder of them")
    command.set_defaults(run=_check)
    command = commands.add_parser("fit", help="cut or scale recorded traces to a context")
    command.add_argument("path", type=Path)
    command.add_argument("--context", type=int, required=True, help="tokens of prompt and answer")
    command.add_argument("--out", type=Path, required=True, help="new folder for the traces")
    command.set_defaults(run=_fit)
    command = commands.add_parser("list", help="shipped corpora")
    command.set_defaults(run=_list)
    return parser


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


def _fraction(text: str) -> Fraction:
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError) as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no number such as 0.25 or 1/4") from error


def _generate(chosen: argparse.Namespace) -> None:
    shipped = PLANS[chosen.plan]
    options = {name: getattr(chosen, name) for name in (*_WHOLE, *_BROKEN)}
    changes = {name: value for name, value in options.items() if value is not None}
    plan = replace(shipped, slug=chosen.slug or shipped.slug, **changes)
    if plan != shipped and plan.slug == shipped.slug:
        raise PlanError(f"slug: a corpus that differs from {shipped.slug} needs a name of its own")
    _say(str(generate_corpus(plan, chosen.out)))


def _check(chosen: argparse.Namespace) -> None:
    traces = load_traces(chosen.path)
    for trace in traces:
        _say(_line(summarize(trace)))
    _say(f"{len(traces)} traces, prefix hit rate {_percent(prefix_hit_rate(traces))}")


def _line(summary: TraceSummary) -> str:
    return (
        f"{summary.id}: {summary.turns} turns, {summary.subagents} sub-agents, {summary.requests} requests, "
        f"input {summary.first_input} to {summary.last_input}, peak {summary.peak_context}, "
        f"hit {_percent(summary.prefix_hit_rate)}"
    )


def _percent(share: float | None) -> str:
    return "absent" if share is None else f"{100 * share:.1f} %"


def _fit(chosen: argparse.Namespace) -> None:
    traces = load_traces(chosen.path)
    fitted = [fit_to_context(trace, chosen.context) for trace in traces]
    _say(str(write_traces(fitted, chosen.out)))


def _list(_: argparse.Namespace) -> None:
    for name in list_corpora():
        _say(f"{name} {corpus_sha256(name)}")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")


if __name__ == "__main__":
    sys.exit(main())
