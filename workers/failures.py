"""The one exception by which execution ends with a failure class."""

from results.documents.failures import FailureClass


class ExecutionFailure(Exception):
    """``line`` is one causal line for people; ``detail`` may hold more."""

    def __init__(self, failure: FailureClass, line: str, detail: str = "") -> None:
        super().__init__(line)
        self.failure = failure
        self.line = line
        self.detail = detail
