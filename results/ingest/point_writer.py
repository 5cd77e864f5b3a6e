"""Portions of observations into PostgreSQL: by COPY into the tables, or into stages and merged from there.

Works on the session whose stages ``staging.open_stage`` has opened. Its lock lets no other reader store
points meanwhile, so what is unknown when a portion begins stays unknown until it is stored.
"""

from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from typing import Any

from psycopg.errors import UniqueViolation

from results.ingest.portion import KEY, Portion, escaped

_COLUMNS_OF_KEY = ", ".join(KEY)
#: Each portion is asked for on its own, so the server plans with its size, but it may know nothing yet of the
#: rows that this transaction has written, or, after its own housekeeping, that there are none. What is
#: joined is known here.
_BY_INDEX = (
    "SET LOCAL enable_nestloop = on; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off;"
    " SET LOCAL enable_seqscan = off; SET LOCAL enable_material = off"
)
_AS_BEFORE = (
    "SET LOCAL enable_nestloop = on; SET LOCAL enable_hashjoin = on; SET LOCAL enable_mergejoin = on;"
    " SET LOCAL enable_seqscan = on; SET LOCAL enable_material = on"
)

_TOUCH = "INSERT INTO touched_run SELECT unnest(%s::uuid[]) ON CONFLICT DO NOTHING"
#: One look into an index for each row: OFFSET, below LIMIT, keeps the planner from turning a join around.
_KNOWN = """
SELECT EXISTS (
  SELECT FROM unnest(%s::uuid[], %s::int[], %s::text[]) AS named(run_id, load, digest), LATERAL (
    SELECT FROM results_point point WHERE point.run_id = named.run_id AND point.load = named.load
      AND point.digest = named.digest OFFSET 0
  ) found
)
"""
_IDS = """
SELECT nextval(sequence) FROM generate_series(1, %s),
  (SELECT pg_get_serial_sequence('results_point', 'id')::regclass AS sequence OFFSET 0) found
"""

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
_MERGE = ", ".join(
    f"{name} = {choose}(results_point.{name}, EXCLUDED.{name})" for name, choose in _KEPT.items()
)
_DIFFERS = " OR ".join(
    f"results_point.{name} IS DISTINCT FROM {choose}(results_point.{name}, EXCLUDED.{name})"
    for name, choose in _KEPT.items()
)
_INSERT = f"""
WITH put AS (
  INSERT INTO results_point ({{columns}}, created_at)
  SELECT {{columns}}, %s FROM stage_point WHERE round = %s
  ON CONFLICT ({_COLUMNS_OF_KEY}) DO UPDATE SET {_MERGE} WHERE {_DIFFERS}
  RETURNING xmax = 0 AS made
) SELECT count(*) FILTER (WHERE made) FROM put
"""  # noqa: S608
_LINK = """
INSERT INTO results_pointsource (point_id, file_id, pointer)
SELECT point.id, %s, stated.pointer FROM stage_source stated, LATERAL (
  SELECT id FROM results_point WHERE run_id = stated.run_id AND load = stated.load
    AND digest = stated.digest LIMIT 1
) point
ON CONFLICT (file_id, pointer) DO NOTHING
"""


def write(connection: Any, portion: Portion, *, file_id: int, now: datetime) -> int:
    """Store the observations and that this file states them; how many were new.

    ``connection`` is the one of psycopg, which nothing else uses meanwhile.
    """
    with connection.cursor() as cursor:
        cursor.execute(_TOUCH, [_array(portion.runs)])
        cursor.execute(_BY_INDEX)
        made = None
        if portion.rounds == 1 and not _known(cursor, portion):
            # A place of the file may have been linked by an earlier portion; that is too rare to look for.
            with suppress(UniqueViolation), connection.transaction():
                made = _copy_new(cursor, portion, file_id, now)
        if made is None:
            made = _merge(cursor, portion, file_id, now)
        cursor.execute(_AS_BEFORE)
    return made


def _known(cursor: Any, portion: Portion) -> bool:
    """Whether any of these observations is stored."""
    runs, loads, digests = zip(*(key.split("\t") for key in portion.keys), strict=True)
    cursor.execute(_KNOWN, [_array(runs), _array(loads), _array(digests)])
    return bool(cursor.fetchone()[0])


def _copy_new(cursor: Any, portion: Portion, file_id: int, now: datetime) -> int:
    cursor.execute(_IDS, [len(portion.keys)])
    ids = dict(zip(portion.keys, (row[0] for row in cursor), strict=True))
    moment = now.isoformat()
    points = (
        f"{number}\t{moment}\t{cells}\n"
        for number, (_round, cells) in zip(ids.values(), portion.points, strict=True)
    )
    _copy(cursor, f"results_point (id, created_at, {portion.columns})", points)
    sources = (f"{ids[key]}\t{file_id}\t{escaped(pointer)}\n" for pointer, key in portion.sources.items())
    _copy(cursor, "results_pointsource (point_id, file_id, pointer)", sources)
    return len(ids)


def _merge(cursor: Any, portion: Portion, file_id: int, now: datetime) -> int:
    cursor.execute("TRUNCATE stage_point, stage_source")
    points = (f"{number}\t{cells}\n" for number, cells in portion.points)
    _copy(cursor, f"stage_point (round, {portion.columns})", points)
    sources = (f"{key}\t{escaped(pointer)}\n" for pointer, key in portion.sources.items())
    _copy(cursor, f"stage_source ({_COLUMNS_OF_KEY}, pointer)", sources)
    insert = _INSERT.format(columns=portion.columns)
    made = 0
    for number in range(portion.rounds):
        cursor.execute(insert, [now, number])
        made += cursor.fetchone()[0]
    cursor.execute(_LINK, [file_id])
    return made


def _copy(cursor: Any, target: str, lines: Iterable[str]) -> None:
    with cursor.copy(f"COPY {target} FROM STDIN") as copy:
        copy.write("".join(lines))


def _array(values: Iterable[str]) -> str:
    """Digits and hexadecimal digits as the text of an array."""
    return f"{{{','.join(values)}}}"
