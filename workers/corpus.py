"""The corpus a run replays: the right version and every file readable, before an engine is started."""

from pathlib import Path

from results.documents.failures import FailureClass
from workers.failures import ExecutionFailure
from workers.traces.corpora import checked_corpus
from workers.traces.errors import CorpusError, TraceError


def corpus_for(name: str, version: str | None, var: Path) -> Path:
    """Folder of the traces: shipped, or ``var/corpora/NAME`` of this host.

    Raises ExecutionFailure ``traces`` naming the document's field, or file, field and rule of a broken trace.
    """
    try:
        return checked_corpus(name, version, [var / "corpora"])
    except TraceError as error:
        raise ExecutionFailure(FailureClass.TRACES, str(error)) from error
    except CorpusError as error:
        raise ExecutionFailure(FailureClass.TRACES, f"/scenario: {error}") from error
