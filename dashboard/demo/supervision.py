"""Starts everything in order, watches it, and leaves nothing behind."""

import socket
import time
from collections.abc import Callable
from pathlib import Path

from django.db import connections

from dashboard.demo.api import ApiClient
from dashboard.demo.children import Child, sweeper, web, worker
from dashboard.demo.options import Options
from dashboard.embedded.services import EmbeddedServices
from dashboard.prepare import prepare
from results.services.load_measured import load_measured

_READY_SECONDS = 60.0
Say = Callable[[str], None]


class StartError(Exception):
    """It cannot start here; one line. The person can change that."""


class Collapse(Exception):
    """Something that cannot be restarted has ended; one line."""


class Supervisor:
    """Use from the main thread: children are bound to the thread that started them."""

    def __init__(self, var: Path, options: Options, say: Say) -> None:
        self._options = options
        self._say = say
        self._services = EmbeddedServices(var)
        self._web = web(var, options.port)
        self._children = [self._web, worker(var, options.host), sweeper(var)]

    def start(self) -> None:
        """Returns when the page answers; raises StartError, EmbeddedError or Collapse."""
        self._services.acquire()
        check_port(self._options.port)
        self._services.start()
        prepare()
        load_measured()
        # Our own connections would only be in the way of the database's shutdown.
        connections.close_all()
        for child in self._children:
            child.start()
        self._wait_for_page()

    def watch(self) -> None:
        """Call often: restarts worker and sweeper; raises Collapse when anything else has ended."""
        dead = self._services.dead()
        if dead is not None:
            raise Collapse(dead)
        for child in self._children:
            if not child.restarts:
                _insist(child)
            elif said := child.revive():
                self._say(said)

    def stop(self) -> None:
        """Everything, the database last. Safe to call at any time."""
        for child in self._children:
            child.ask_to_stop()
        for child in self._children:
            child.stop()
        self._services.stop()

    def _wait_for_page(self) -> None:
        client = ApiClient(f"http://127.0.0.1:{self._options.port}/")
        end = time.monotonic() + _READY_SECONDS
        while not client.is_up():
            self.watch()
            if time.monotonic() > end:
                raise Collapse(f"web did not answer within {_READY_SECONDS:.0f} s ({self._web.log})")
            time.sleep(0.05)


def _insist(child: Child) -> None:
    why = child.ended()
    if why is not None:
        raise Collapse(why)


def check_port(port: int) -> None:
    """Raises StartError when 127.0.0.1:``port`` cannot be bound."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise StartError(
                f"PORT: {port} cannot be used ({error.strerror}); choose another: make demo PORT=8001"
            ) from None
