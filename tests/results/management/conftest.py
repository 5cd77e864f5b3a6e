"""The protocol tests' host and runs."""

from tests.results.services.conftest import sent, stage

__all__ = ["sent", "stage"]
