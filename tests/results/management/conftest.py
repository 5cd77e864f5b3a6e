"""The protocol tests' host and runs."""

from tests.results.services.conftest import stage

__all__ = ["stage"]
