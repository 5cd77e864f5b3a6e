"""``celery -A tests.system.fake_worker``: the real worker, with a supervisor that measures nothing.

In NORTHSTAR_VAR, ``behaviour`` says what the next supervisor does; ``template`` is the bundle it hands out.
"""

import os
import sys
from functools import partial
from pathlib import Path
from typing import Any

from celery.signals import worker_init

from results.broker import app
from workers import tasks

__all__ = ["app", "tasks"]


def argv(**given: Any) -> list[str]:
    from workers.supervisor_process import supervisor_argv

    var = Path(os.environ["NORTHSTAR_VAR"])
    behaviour = (var / "behaviour").read_text()
    fake = [sys.executable, "-m", "tests.workers.fakes.supervisor", behaviour, str(var / "template")]
    return [*fake, *supervisor_argv(**given)[4:]]


@worker_init.connect
def replace_supervisor(**_: Any) -> None:
    from workers import execution

    quick = execution.Timing(beat=0.3, tick=0.05, grace=5.0)
    vars(execution)["execute_one"] = partial(execution.execute_one, argv=argv, timing=quick)
