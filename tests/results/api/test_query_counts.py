"""How many SQL queries each reading address needs: the same for 1 row and for 50.

``NORTHSTAR_REWRITE=1 pytest tests/results/api/test_query_counts.py`` writes the baselines anew; a change of
``tests/query_counts.json`` is a change of the product and is reviewed as one.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from results.models import PointSource, ResultFile, Run, Upload
from results.storage import put_bytes
from tests.conftest import Clock
from tests.factories import make_upload
from tests.results.api.conftest import Actor, add_file, add_point

BASELINES = Path(__file__).resolve().parents[2] / "query_counts.json"
#: Address, given the newest run.
ADDRESSES: dict[str, Callable[[Run], str]] = {
    "runs": lambda _run: "/api/v1/runs/?limit=200",
    "run": lambda run: f"/api/v1/runs/{run.id}/",
    "points": lambda _run: "/api/v1/points/?limit=200",
    "point": lambda run: f"/api/v1/points/{run.points.all()[0].id}/",
    "points-csv": lambda _run: "/api/v1/points.csv",
    "points-json": lambda _run: "/api/v1/points.json?published=true",
    "frontier": lambda _run: "/api/v1/frontier/",
    "frontier-as-of": lambda _run: "/api/v1/frontier/?as_of=2026-11-30",
    "metrics": lambda _run: "/api/v1/metrics/",
    "recipe": lambda run: f"/api/v1/recipes/{run.recipe.fingerprint}/",
    "artifact": lambda run: f"/api/v1/artifacts/{run.attempts.get().artifacts.all()[0].artifact_id}/",
}


def baselines() -> dict[str, int]:
    found: dict[str, int] = json.loads(BASELINES.read_text(encoding="utf-8")) if BASELINES.exists() else {}
    return found


#: Address, given the newest upload and one of its files.
UPLOADED: dict[str, Callable[[Upload, ResultFile], str]] = {
    "uploads": lambda _upload, _file: "/api/v1/uploads/?limit=200",
    "upload": lambda upload, _file: f"/api/v1/uploads/{upload.id}/",
    "quarantine": lambda _upload, _file: "/api/v1/quarantine/?limit=200",
    "result-file": lambda _upload, file: f"/api/v1/result-files/{file.id}/",
    "result-file-content": lambda _upload, file: f"/api/v1/result-files/{file.id}/content",
    "aliases": lambda _upload, _file: "/api/v1/aliases/",
}


def test_queries_do_not_grow_with_rows(anonymous: Actor, submit: Callable[..., Run]) -> None:
    counts: dict[str, list[int]] = {name: [] for name in ADDRESSES}
    for rows in (1, 50):
        while Run.objects.count() < rows:
            run = submit()
            for load in (1, 2):
                add_point(run, load)
            add_file(run, put_bytes(run.id.bytes), "run.json")
        for name, found in counts.items():
            found.append(queries(anonymous.client, ADDRESSES[name](Run.objects.all()[0])))
    for name, found in counts.items():
        compare(name, found)


def test_queries_do_not_grow_with_uploads(anonymous: Actor, submit: Callable[..., Run], clock: Clock) -> None:
    counts: dict[str, list[int]] = {name: [] for name in UPLOADED}
    for rows in (1, 50):
        while Upload.objects.count() < rows:
            clock.advance(1)
            upload = make_upload(files=Upload.objects.count() % 5 + 1)
            file = upload.files.all()[0].file
            PointSource.objects.create(file=file, point=add_point(submit()), pointer=str(upload.id))
        for name, found in counts.items():
            found.append(queries(anonymous.client, UPLOADED[name](upload, file)))
    for name, found in counts.items():
        compare(name, found)


def compare(name: str, counts: list[int]) -> None:
    assert counts[0] == counts[1], name
    if os.environ.get("NORTHSTAR_REWRITE"):
        content = json.dumps(baselines() | {name: counts[0]}, indent=2, sort_keys=True)
        BASELINES.write_text(content + "\n", encoding="utf-8")
    assert counts[0] == baselines()[name], name


def queries(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        answer: Any = client.get(address)
        assert answer.status_code == 200
        if answer.streaming:
            assert b"".join(answer.streaming_content)
    # PostgreSQL's savepoints belong to the test, not to the product.
    return sum("SAVEPOINT" not in query["sql"] for query in captured)


def test_a_run_with_many_files_and_points_needs_no_more(anonymous: Actor, submit: Callable[..., Run]) -> None:
    run = submit()
    address = f"/api/v1/runs/{run.id}/"
    add_file(run, put_bytes(b"0"), "0")
    few = queries(anonymous.client, address)
    for number in range(1, 40):
        add_file(run, put_bytes(b"%d" % number), str(number))
        add_point(run, number)
    assert queries(anonymous.client, address) == few
