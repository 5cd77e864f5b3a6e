"""The bulk path into PostgreSQL: COPY into temporary tables, then one set-based statement for each portion.

The temporary tables belong to the session and are empty at the start of every transaction.
"""

from collections.abc import Iterable
from datetime import datetime

from django.db import connection

from results.ingest.observation import COLUMNS

_POINT = ("run_id", "load", "digest", *COLUMNS)
_NAMES = ", ".join(f'"{name}"' for name in _POINT)
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

_LIKE_POINTS = f"SELECT {_NAMES}, 0 AS round FROM results_point WITH NO DATA"  # noqa: S608
_OPEN = (
    f"CREATE TEMP TABLE IF NOT EXISTS stage_point ON COMMIT DELETE ROWS AS {_LIKE_POINTS}",
    "CREATE TEMP TABLE IF NOT EXISTS stage_source"
    " (run_id uuid, load integer, digest varchar(64), pointer varchar(512)) ON COMMIT DELETE ROWS",
    "CREATE TEMP TABLE IF NOT EXISTS touched_run (run_id uuid PRIMARY KEY) ON COMMIT DELETE ROWS",
    "CREATE TEMP TABLE IF NOT EXISTS former_point (point_id bigint PRIMARY KEY, run_id uuid)"
    " ON COMMIT DELETE ROWS",
    "TRUNCATE stage_point, stage_source, touched_run, former_point",
)

_INSERT = f"""
WITH put AS (
  INSERT INTO results_point ({_NAMES}, created_at)
  SELECT {_NAMES}, %(now)s FROM stage_point WHERE round = %(round)s
  ON CONFLICT (run_id, load, digest) DO UPDATE SET
    {", ".join(f"{name} = {choose}(results_point.{name}, EXCLUDED.{name})" for name, choose in _KEPT.items())}
  WHERE {
    " OR ".join(
        f"results_point.{name} IS DISTINCT FROM {choose}(results_point.{name}, EXCLUDED.{name})"
        for name, choose in _KEPT.items()
    )
}
  RETURNING xmax = 0 AS made
) SELECT count(*) FILTER (WHERE made) FROM put
"""  # noqa: S608

_LINK = """
INSERT INTO results_pointsource (point_id, file_id, pointer)
SELECT point.id, %(file)s, stage_source.pointer
FROM stage_source JOIN results_point AS point USING (run_id, load, digest)
ON CONFLICT (file_id, pointer) DO UPDATE SET point_id = EXCLUDED.point_id
"""

_TOUCH = "INSERT INTO touched_run SELECT DISTINCT run_id FROM stage_source ON CONFLICT DO NOTHING"


def open_stage() -> None:
    """Empty temporary tables for one file. Files are stored one at a time, so none waits for another."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('results.ingest'))")
        for statement in _OPEN:
            cursor.execute(statement)


def stage(points: Iterable[str], sources: Iterable[str]) -> None:
    """COPY lines into both tables, in place of what was there. Lines end with a line feed."""
    _copy("stage_point", f"{_NAMES}, round", points)
    _copy("stage_source", "run_id, load, digest, pointer", sources)


def _copy(table: str, columns: str, lines: Iterable[str]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"TRUNCATE {table}")
        with cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
            copy.write("".join(lines))


def insert_points(rounds: int, *, now: datetime) -> int:
    """Store what is staged, round by round; how many observations were new."""
    made = 0
    with connection.cursor() as cursor:
        for number in range(rounds):
            cursor.execute(_INSERT, {"now": now, "round": number})
            made += int(cursor.fetchone()[0])
    return made


def link_sources(file_id: int) -> None:
    """Say which place of the file states which point, and remember the runs for the end."""
    with connection.cursor() as cursor:
        cursor.execute(_LINK, {"file": file_id})
        cursor.execute(_TOUCH)


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
