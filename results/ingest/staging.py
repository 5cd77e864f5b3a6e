"""The temporary tables that a file's points pass through, and what the transaction knows of them.

They belong to the session and are empty at the start of every transaction.
"""

from django.db import connection

from results.ingest.observation import ABOUT
from results.ingest.portion import KEY
from results.metrics import METRICS

_COLUMNS = ", ".join((*KEY, *ABOUT, *METRICS))
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


def open_stage() -> None:
    """Empty temporary tables for one file. Files are stored one at a time, so none waits for another."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('results.ingest'))")
        for statement in _OPEN:
            cursor.execute(statement)


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
