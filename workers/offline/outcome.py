"""Results on the target: one line each, and one archive that is complete after every run."""

import json
import tarfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a document; ``bundle`` is the folder that the supervisor wrote."""

    name: str
    outcome: str
    seconds: float
    bundle: Path | None
    detail: str | None

    @property
    def well(self) -> bool:
        return self.outcome in ("succeeded", "done before")

    def line(self) -> str:
        text = f"{self.name}: {self.outcome} after {self.seconds:.0f} s"
        return f"{text}, {self.detail}" if self.detail else text


def write_results(out: Path, results: Sequence[Result]) -> None:
    """``results.tar.gz`` with every bundle and the supervisor's log beside it, and ``summary.json``."""
    summary = json.dumps([asdict(result) for result in results], default=str, indent=1)
    (out / "summary.json").write_text(summary, encoding="utf-8")
    partial = out / "results.tar.gz.partial"
    with tarfile.open(partial, "w:gz", compresslevel=6) as tar:
        for result in results:
            if result.bundle is not None:
                for path in (result.bundle, Path(f"{result.bundle}.log")):
                    if path.exists():
                        tar.add(path, arcname=path.name)
    partial.replace(out / "results.tar.gz")
