"""What the person who starts the demo may choose."""

import os
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass

ENGINES = ("llamacpp", "vllm")
LOADS = (1, 2, 4)
WINDOW_SECONDS = 40
#: Three runs each, all submitted at once: the API takes 120 a minute.
MOST_BLOCKS = 30


class OptionError(ValueError):
    """One line: the option and its rule."""


@dataclass(frozen=True, slots=True)
class Options:
    """``blocks``: how many times each recipe is measured; ``host``: this host's name in the fleet."""

    port: int = 8000
    once: bool = False
    blocks: int = 1
    engine: str = "llamacpp"
    host: str = "localhost"

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}/"

    @classmethod
    def read(cls, environment: Mapping[str, str] = os.environ) -> "Options":
        """From PORT, ONCE, BLOCKS and ENGINE; raises OptionError."""
        engine = environment.get("ENGINE") or "llamacpp"
        if engine not in ENGINES:
            raise OptionError(f"ENGINE: must be one of {', '.join(ENGINES)}")
        return cls(
            port=_number(environment, "PORT", 8000, 65535),
            once=environment.get("ONCE", "") not in ("", "0"),
            blocks=_number(environment, "BLOCKS", 1, MOST_BLOCKS),
            engine=engine,
            host=host_name(socket.gethostname()),
        )


def _number(environment: Mapping[str, str], name: str, default: int, highest: int) -> int:
    text = environment.get(name) or str(default)
    if not re.fullmatch(r"[0-9]{1,6}", text) or not 1 <= int(text) <= highest:
        raise OptionError(f"{name}: must be a whole number from 1 to {highest}")
    return int(text)


def host_name(raw: str) -> str:
    """A name that queues and run documents accept, from whatever the system calls itself."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", raw).strip("-._")[:64]
    return name or "localhost"
