"""The demo's benchmark: documents from the worker, runs through the API, numbers back from the API.

Generators give the supervisor a turn at every ``yield``.
"""

import time
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from dashboard.demo import steps
from dashboard.demo.api import ApiClient, ApiError
from dashboard.demo.options import LOADS, WINDOW_SECONDS, Options
from dashboard.demo.plan import Json, may_stand_for, order
from dashboard.demo.screen import Screen
from dashboard.demo.table import table

Turns = Generator[None, None, None]
#: Gives a secret that may submit, for as long as it is entered.
Token = Callable[[], AbstractContextManager[str]]
#: Between two looks at the runs.
_POLL_SECONDS = 2.0
_ENDED = frozenset({"succeeded", "failed", "cancelled"})
_ENVIRONMENTS = {"llamacpp": ["llamacpp", "aiperf"], "vllm": ["aiperf"]}


@dataclass
class Job:
    """``runs`` and ``points`` are what the API last said, in order of execution."""

    var: Path
    options: Options
    screen: Screen
    runs: list[Json] = field(default_factory=list)
    points: dict[str, list[Json]] = field(default_factory=dict)
    submitted: int = 0
    _began: float = field(default_factory=time.monotonic)

    def execute(self, token: Token) -> Turns:
        """Prepare, submit what is missing, follow it to the end; raises StepError or ApiError."""
        documents = yield from self._documents()
        self._submit(documents, token)
        yield from self._follow()

    @property
    def is_over(self) -> bool:
        return bool(self.runs) and all(run["state"] in _ENDED for run in self.runs)

    @property
    def failed(self) -> list[Json]:
        return [run for run in self.runs if run["state"] in ("failed", "cancelled")]

    def _documents(self) -> Generator[None, None, list[Json]]:
        """One run document per block and recipe; makes environments and the tiny model on first use."""
        yield from self._workers(["provision", *_ENVIRONMENTS[self.options.engine]], "provision")
        text = yield from self._workers(["labels", "--engine", self.options.engine], "labels")
        templates = {}
        for label in text.split():
            arguments = ["example", "--label", label, "--engine", self.options.engine,
                         "--loads", ",".join(map(str, LOADS)), "--window", str(WINDOW_SECONDS)]  # fmt: skip
            shown = yield from self._workers(arguments, "example")
            templates[label] = steps.parsed(shown)
        plan = order(list(templates), self.options.blocks)
        return [templates[label] | {"block": block} for block, label in plan]

    def _workers(self, arguments: list[str], name: str) -> Generator[None, None, str]:
        return (yield from steps.workers(arguments, var=self.var, screen=self.screen, name=name))

    def _submit(self, documents: list[Json], token: Token) -> None:
        """Runs that an earlier start left, finished or not, are kept."""
        reader = ApiClient(self._base)
        known = list(reader.pages("runs/?limit=200"))
        found = [self._standing(reader, known, document) for document in documents]
        self.submitted = found.count(None)
        if not self.submitted:
            self.runs = [run for run in found if run is not None]
            return
        with token() as secret:
            writer = ApiClient(self._base, secret)
            for document, run in zip(documents, found, strict=True):
                key = f"demo-{document['label']}-{document['block']}"
                self.runs.append(run or writer.submit(document, key))

    @property
    def _base(self) -> str:
        return f"http://127.0.0.1:{self.options.port}/"

    @staticmethod
    def _standing(reader: ApiClient, known: list[Json], document: Json) -> Json | None:
        for run in known:
            if may_stand_for(run, document) and reader.get(f"runs/{run['id']}/")["document"] == document:
                return run
        return None

    def _follow(self) -> Turns:
        """Shows the table until every run has ended."""
        reader = ApiClient(self._base)
        while True:
            try:
                self._look(reader)
            except ApiError as error:
                # The page may be slow or the database on its way back; the supervisor knows if they are gone.
                self.screen.say(f"waiting: {error}")
            lines = table(self.runs, self.points, LOADS, time.monotonic() - self._began)
            self.screen.show(lines, final=self.is_over)
            if self.is_over:
                return
            until = time.monotonic() + _POLL_SECONDS
            while time.monotonic() < until:
                yield

    def _look(self, reader: ApiClient) -> None:
        """Refresh what is not over yet, and the points of runs that have new ones."""
        for index, run in enumerate(self.runs):
            if self._is_due(index):
                self.runs[index] = fresh = reader.get(f"runs/{run['id']}/")
                if fresh["point_count"] != len(self.points.get(fresh["id"], ())):
                    self.points[fresh["id"]] = list(reader.pages(f"points/?run={fresh['id']}&limit=200"))

    def _is_due(self, index: int) -> bool:
        """Runs start in order, so of those that wait only the first can have moved."""
        run = self.runs[index]
        if run["state"] == "queued":
            return index == 0 or self.runs[index - 1]["state"] != "queued"
        return run["state"] not in _ENDED or run["point_count"] != len(self.points.get(run["id"], ()))
