"""The bulk path into PostgreSQL: COPY into temporary tables, then one set-based statement for each portion.

The temporary tables belong to the session and are empty at the start of every transaction.
"""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from datetime import datetime

from django.db import connection

from results.ingest.observation import ABOUT
from results.metrics import METRICS

_IDENTITY = ("run_id", "load", "digest", *ABOUT)
#: What may differ between two statements of one observation, and what is kept: it depends on no order.
_KEPT = {
    "extra": "GREATEST",
    "rules_version": "GREATEST",
    "parser_version": "GREATEST",
    "measured_at": "LEAST",
    "started_at": "LEAST",
    "ended_at": "GREATEST",
    "planned_window_seconds": "GREATEST",
}

_COLUMNS = ", ".join((*_IDENTITY, *METRICS))
_LIKE_POINTS = f"SELECT {_COLUMNS}, 0 AS round FROM results_point WITH NO DATA"  # noqa: S608
_OPEN = (
    f"CREATE TEMP TABLE IF NOT EXISTS stage_point ON COMMIT DELETE ROWS AS {_LIKE_POINTS}",
    "CREATE TEMP TABLE IF NOT EXISTS stage_source"
    " (run_id uuid, load integer, digest varchar(64), pointer varchar(512)) ON COMMIT DELETE ROWS",
    "CREATE TEMP TABLE IF NOT EXISTS touched_run (run_id uuid PRIMARY KEY) ON COMMIT DELETE ROWS",
    "CREATE TEMP TABLE IF NOT EXISTS former_point (point_id bigint PRIMARY KEY, run_id uuid)"
    " ON COMMIT DELETE ROWS",
    "TRUNCATE stage_point, stage_source, touched_run, former_point",
)

_MERGE = ", ".join(
    f"{name} = {choose}(results_point.{name}, EXCLUDED.{name})" for name, choose in _KEPT.items()
)
_DIFFERS = " OR ".join(
    f"results_point.{name} IS DISTINCT FROM {choose}(results_point.{name}, EXCLUDED.{name})"
    for name, choose in _KEPT.items()
)
#: Stores a round and links what it stored or changed; points that stay as they are are linked afterwards.
_INSERT = f"""
WITH put AS (
  INSERT INTO results_point ({{columns}}, created_at)
  SELECT {{columns}}, %(now)s FROM stage_point WHERE round = %(round)s
  ON CONFLICT (run_id, load, digest) DO UPDATE SET {_MERGE} WHERE {_DIFFERS}
  RETURNING id, run_id, load, digest, xmax = 0 AS made
), linked AS (
  INSERT INTO results_pointsource (point_id, file_id, pointer)
  SELECT put.id, %(file)s, stage_source.pointer FROM put JOIN stage_source USING (run_id, load, digest)
  ON CONFLICT (file_id, pointer) DO NOTHING
) SELECT count(*) FILTER (WHERE made), count(*) FROM put
"""  # noqa: S608

_LINK = """
INSERT INTO results_pointsource (point_id, file_id, pointer)
SELECT point.id, %(file)s, stage_source.pointer
FROM stage_source JOIN results_point AS point USING (run_id, load, digest)
ON CONFLICT (file_id, pointer) DO NOTHING
"""

_TOUCH = "INSERT INTO touched_run SELECT DISTINCT run_id FROM stage_source ON CONFLICT DO NOTHING"

#: The server knows nothing yet about rows that this transaction has written, or, after its own housekeeping,
#: that there are none, and would plan for that. What is joined is known here.
_BY_HASH = "SET LOCAL enable_nestloop = off"
_BY_INDEX = (
    "SET LOCAL enable_nestloop = on; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off;"
    " SET LOCAL enable_seqscan = off; SET LOCAL enable_material = off"
)
_AS_BEFORE = (
    "SET LOCAL enable_nestloop = on; SET LOCAL enable_hashjoin = on; SET LOCAL enable_mergejoin = on;"
    " SET LOCAL enable_seqscan = on; SET LOCAL enable_material = on"
)


def open_stage() -> None:
    """Empty temporary tables for one file. Files are stored one at a time, so none waits for another."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('results.ingest'))")
        for statement in _OPEN:
            cursor.execute(statement)


def stage(points: Iterable[str], sources: Iterable[str], *, metrics: Sequence[str]) -> None:
    """COPY lines into both tables, in place of what was there. Lines end with a line feed.

    A point has its round, the identity columns and these metrics; the others are NULL.
    """
    _copy("stage_point", ", ".join(("round", *_IDENTITY, *metrics)), points)
    _copy("stage_source", "run_id, load, digest, pointer", sources)


def _copy(table: str, columns: str, lines: Iterable[str]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"TRUNCATE {table}")
        with cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
            copy.write("".join(lines))


class Underway:
    """A staged portion on its way into the tables: the server works while the next rows are read."""

    def __init__(
        self, file_id: int, rounds: int, *, points: int, metrics: Sequence[str], now: datetime
    ) -> None:
        self._file_id = file_id
        self._points = points
        insert = _INSERT.format(columns=", ".join((*_IDENTITY, *metrics)))
        with ExitStack() as stack:
            stack.enter_context(connection.connection.pipeline())
            cursor = stack.enter_context(connection.cursor())
            cursor.execute(_TOUCH)
            cursor.execute(_BY_HASH)
            self._inserted = [stack.enter_context(connection.cursor()) for _round in range(rounds)]
            for number, cursor in enumerate(self._inserted):
                cursor.execute(insert, {"file": file_id, "now": now, "round": number})
            self._stack = stack.pop_all()

    def wait(self) -> int:
        """How many observations were new; every other statement on the connection comes after this."""
        with self._stack:
            counts = [cursor.fetchone() for cursor in self._inserted]
        with connection.cursor() as cursor:
            if sum(put for _made, put in counts) < self._points:
                cursor.execute(_BY_INDEX)
                cursor.execute(_LINK, {"file": self._file_id})
            cursor.execute(_AS_BEFORE)
        return sum(int(made) for made, _put in counts)


def forget_sources(file_id: int) -> None:
    """Unlink what an earlier reading of the file stated, and remember its points."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO former_point SELECT DISTINCT point.id, point.run_id FROM results_pointsource source"
            " JOIN results_point point ON point.id = source.point_id WHERE source.file_id = %s",
            [file_id],
        )
        cursor.execute("DELETE FROM results_pointsource WHERE file_id = %s", [file_id])
        cursor.execute(
            "INSERT INTO touched_run SELECT DISTINCT run_id FROM former_point ON CONFLICT DO NOTHING"
        )


def touch_runs_of(file_id: int) -> None:
    """Remember the runs of a file that is not read again."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO touched_run SELECT DISTINCT point.run_id FROM results_pointsource source"
            " JOIN results_point point ON point.id = source.point_id WHERE source.file_id = %s",
            [file_id],
        )


def delete_orphans() -> None:
    """Delete imported points that no file states any more."""
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM results_point point USING former_point former WHERE point.id = former.point_id"
            " AND point.attempt_id IS NULL"
            " AND NOT EXISTS (SELECT 1 FROM results_pointsource source WHERE source.point_id = point.id)"
        )


def refresh_statistics() -> None:
    """Tell the planner how large the tables are that this transaction has filled.

    Without it, it joins a million rows in nested loops that were meant for the few it knows of.
    """
    with connection.cursor() as cursor:
        for table in ("touched_run", "results_run (id, origin)", "results_point (run_id, load, attempt_id)"):
            cursor.execute(f"ANALYZE {table}")
