"""What people send about change points."""

from typing import Annotated, Literal

from pydantic import Field

from results.documents.base import Document

Name = Annotated[str, Field(min_length=1, max_length=128)]


class WatchedSeries(Document):
    """The series to look at; ``family`` is its key or the beginning of it, as the history answers it."""

    model: Name
    scenario: Name
    family: Annotated[str, Field(pattern=r"^[0-9a-f]{8,64}$")]
    metric: Name = "total_throughput_per_gpu"
    basis: Literal["load", "equal_x"] = "load"
    load: Annotated[int, Field(ge=1, le=2**31 - 1)] | None = None
    x: Name = "interactivity_p50"
    at: Annotated[float, Field(gt=0, lt=1e12, strict=False)] | None = None


class ChangeDecision(Document):
    """``run`` is where the change really begins; it is named if and only if the point is moved."""

    status: Literal["accepted", "rejected", "moved"]
    run: Annotated[str, Field(pattern=r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")] | None = None
    note: Annotated[str, Field(max_length=2000)] = ""
