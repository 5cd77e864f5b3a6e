"""The live table: one line per run, output tokens per second and median TTFT at each load."""

from collections.abc import Mapping, Sequence
from typing import Any

from dashboard.demo.screen import bar, duration

Json = dict[str, Any]
_CELL = 15


def table(
    runs: Sequence[Json], points: Mapping[str, Sequence[Json]], loads: Sequence[int], seconds: float
) -> list[str]:
    """Lines for the terminal; ``points`` by run id, ``seconds`` since the job began."""
    width = max((len(run["label"]) for run in runs), default=6)
    heads = "".join(f"{f'load {load}':>{_CELL}}" for load in loads)
    units = "".join(f"{'tok/s   TTFT':>{_CELL}}" for _load in loads)
    lines = [f"{'recipe':<{width}} block  {'state':<28}{heads}", f"{'':<{width}}        {'':<28}{units}"]
    lines += [_line(run, points.get(str(run["id"]), ()), loads, width) for run in runs]
    return [*lines, _footer(runs, seconds)]


def _line(run: Json, points: Sequence[Json], loads: Sequence[int], width: int) -> str:
    values = {point["load"]: point["values"] for point in points}
    cells = "".join(f"{_cell(values.get(load, {})):>{_CELL}}" for load in loads)
    block = "-" if run["block"] is None else str(run["block"])
    return f"{run['label']:<{width}} {block:>5}  {_state(run):<28}{cells}"


def _state(run: Json) -> str:
    """Phase and progress while it runs, the cause when it has failed."""
    if run["failure"]:
        return f"{run['state']} ({run['failure']['class']})"
    if run["state"] != "running" or not run["phase"]:
        return str(run["state"])
    load = f" {run['phase_load']}" if run["phase_load"] else ""
    share = run["progress"]
    return (
        f"{run['phase']}{load}" if share is None else f"{run['phase']}{load:<3} {bar(share, 8)} {share:4.0%}"
    )


def _cell(values: Mapping[str, float]) -> str:
    if "output_throughput" not in values or "ttft_p50" not in values:
        return "-"
    return f"{values['output_throughput']:.1f} {values['ttft_p50'] * 1000:5.0f} ms"


def _footer(runs: Sequence[Json], seconds: float) -> str:
    done = sum(run["state"] == "succeeded" for run in runs)
    return f"{done} of {len(runs)} runs done, {duration(seconds)} passed"
