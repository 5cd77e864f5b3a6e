"""Scores, changelog entries and job counts: rows that several files may state, each stored once."""

from collections.abc import Iterable, Mapping
from typing import Any, Generic, TypeVar

from django.db.models import Model, Q

from results.models import ChangelogEntry, Evaluation, ReliabilityCount, ResultFile

Row = TypeVar("Row", Evaluation, ChangelogEntry, ReliabilityCount)
_PORTION = 500


class Statements(Generic[Row]):
    """Stores rows of one table for one file; ``identity`` are the columns that make two rows the same."""

    def __init__(self, table: type[Row], identity: tuple[str, ...], file: ResultFile) -> None:
        self._table: type[Row] = table
        self._identity = identity
        self._file = file
        self._waiting: dict[tuple[Any, ...], Row] = {}
        self._former = set(self._links().filter(resultfile=file).values_list(self._column, flat=True))
        self._stated: set[int] = set()
        self.created: set[int] = set()
        self.read = 0

    def add(self, columns: Mapping[str, Any]) -> None:
        row = self._table(file=self._file, **columns)
        self.read += 1
        self._waiting.setdefault(self._key(row), row)
        if len(self._waiting) >= _PORTION:
            self.flush()

    def flush(self) -> None:
        """Store what waits; rows that other files stated before are linked to this one too."""
        if not self._waiting:
            return
        known = self._known()
        new = [row for key, row in self._waiting.items() if key not in known]
        self._table._default_manager.bulk_create(new, batch_size=_PORTION)
        self.created.update(row.pk for row in new)
        stated = {row.pk for row in new} | set(known.values())
        self._stated |= stated
        self._link(stated - self._former)
        self._waiting.clear()

    def forget(self) -> set[int]:
        """Unlink what only an earlier reading stated; ids of rows that no file states any more.

        The caller deletes them, after it has looked at what depends on them.
        """
        gone = self._former - self._stated
        self._links().filter(**{"resultfile": self._file, f"{self._column}__in": gone}).delete()
        held = dict(
            self._links()
            .filter(**{f"{self._column}__in": gone})
            .order_by("-resultfile_id")
            .values_list(self._column, "resultfile_id")
        )
        for pk, other in held.items():
            self._table._default_manager.filter(pk=pk, file=self._file).update(file_id=other)
        return gone - held.keys()

    @property
    def unchanged(self) -> int:
        return self.read - len(self.created)

    @property
    def _column(self) -> str:
        return f"{self._table._meta.model_name}_id"

    def _links(self) -> Any:
        through: Any = self._table.files.through
        return through._default_manager

    def _link(self, ids: Iterable[int]) -> None:
        through: type[Model] = self._table.files.through
        rows = [through(**{self._column: pk, "resultfile_id": self._file.pk}) for pk in sorted(ids)]
        through._default_manager.bulk_create(rows, ignore_conflicts=True, batch_size=_PORTION)

    def _key(self, row: Row) -> tuple[Any, ...]:
        values = (getattr(row, name) for name in self._identity)
        return tuple(value if not isinstance(value, list) else tuple(value) for value in values)

    def _known(self) -> dict[tuple[Any, ...], int]:
        first = self._identity[0]
        wanted = {key[0] for key in self._waiting}
        rows = self._table._default_manager.filter(Q(**{f"{first}__in": wanted}))
        return {key: row.pk for row in rows if (key := self._key(row)) in self._waiting}


EVALUATION = (
    "config_digest", "task", "metric", "isl", "osl", "load", "source_run", "measured_at", "score",
)  # fmt: skip
CHANGE = ("digest",)
RELIABILITY = ("hardware_id", "day", "source_run", "succeeded", "total")
