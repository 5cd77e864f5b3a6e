"""Pages and API of hosts: what each says of itself, its probes, and what must not be told."""

import csv
import io
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from results.models import Host, HostProbe, State
from results.services.host_probes import read_probe, record_probe
from results.services.load_measured import SHIPPED
from tests.factories import make_attempt, make_host, make_run
from tests.results.api.test_query_counts import compare

pytestmark = pytest.mark.django_db
SHIPPED_PROBE: dict[str, Any] = json.loads((SHIPPED / "h200-2026-11-30" / "probe.json").read_text())
SECRETS = ("secret-name", "GPU-e6c248b4", "0000:00:06.0", "10.1.2.3", "hunter2")


@pytest.fixture
def host() -> Host:
    """It reported more than anybody should read, in its facts and in a probe that was stored as it came."""
    facts = SHIPPED_PROBE["host"] | {"hostname": "secret-name", "ip": "10.1.2.3", "cpu_count": "10.1.2.3"}
    host = make_host("h-1", facts=facts | {"env": {"TOKEN": "hunter2"}}, hardware_slugs=["h200"])
    raw = SHIPPED_PROBE | {"env": "hunter2", "host": SHIPPED_PROBE["host"] | {"hostname": "secret-name"}}
    HostProbe.objects.create(host=host, at=read_probe(SHIPPED_PROBE).at, document=raw)
    return host


def test_pages_and_api_show_the_same_numbers_and_nothing_that_is_not_listed(
    client: Client, host: Host
) -> None:
    page = client.get("/hosts/h-1/").content.decode()
    body = client.get("/api/v1/hosts/h-1/").json()
    figure = client.get("/hosts/h-1/figure.json").json()
    table = client.get("/hosts/h-1/rates.csv").content.decode()
    for text in (page, json.dumps(body), json.dumps(figure), table, client.get("/hosts/").content.decode()):
        assert not [secret for secret in SECRETS if secret in text]
    for text in ("580.159.04", "252 GiB", "140 GiB", "5.0 × 16", "4.26 TB/s", "790 TFLOP/s", "cores 0-31"):
        assert text in page, text
    assert body["facts"]["cpu"] == "Intel(R) Xeon(R) Processor"
    assert body["facts"]["cpu_count"] is None
    rows = list(csv.DictReader(io.StringIO(table)))
    rates = body["probe_reports"][0]["rates"]
    assert [float(row["median"]) for row in rows] == [rate["measured"]["median"] for rate in rates]
    assert len(rows) == 2 * (3 + 4 * 5) + 3
    # 1 GiB, host to device, pinned: GPU 1 is the slower one, 52.97 of 53.44 GB/s.
    line = figure["data"][0]
    assert line["y"][-1] == pytest.approx(52.96524018)
    assert line["error_y"]["array"][-1] == pytest.approx(53.309064040 - 52.965240181)


def test_probes_are_dated_and_kept_once(client: Client, host: Host, tmp_path: Path) -> None:
    probe = read_probe(SHIPPED_PROBE)
    assert not record_probe(host=host, probe=probe)
    later = SHIPPED_PROBE | {"at": (probe.at + timedelta(days=1)).isoformat(), "ceilings": [], "gpus": []}
    file = tmp_path / "probe.json"
    file.write_text(json.dumps(later))
    out = io.StringIO()
    call_command("hosts", "probe", "h-1", str(file), stdout=out)
    assert out.getvalue() == "h-1: probe of 2026-12-01T11:22:39Z kept\n"
    assert "No GPU was found" in client.get("/hosts/h-1/").content.decode()
    assert "790 TFLOP/s" in client.get("/hosts/h-1/?probe=2026-11-30T11:22:39Z").content.decode()
    assert client.get("/hosts/h-1/?probe=yesterday").status_code == 400
    assert [host["probes"] for host in client.get("/api/v1/hosts/").json()["results"]] == [2]
    file.write_text('{"schema": "northstar.probe/1", "at": "now"}')
    for name, words in (("h-1", "file: /at: "), ("nobody", "name: no host is called nobody")):
        with pytest.raises(CommandError, match=words):
            call_command("hosts", "probe", name, str(file))


def test_a_host_without_a_probe_says_how_to_make_one(client: Client) -> None:
    assert "No host has registered yet" in client.get("/hosts/").content.decode()
    make_host("plain")
    assert "manage.py hosts probe plain probe.json" in client.get("/hosts/plain/").content.decode()
    assert client.get("/hosts/plain/figure.json").json() == {"data": [], "layout": {}}
    assert client.get("/hosts/nobody/").status_code == 404
    assert client.get("/api/v1/hosts/nobody/").status_code == 404


@pytest.mark.parametrize("name", ["hosts", "host"])
def test_queries_do_not_grow(client: Client, host: Host, name: str) -> None:
    counts = []
    for more in range(1, 9, 7):
        for number in range(more):
            make_attempt(make_run(state=State.SUCCEEDED), state=State.SUCCEEDED, host=host)
            make_host(f"h-{more}-{number}")
            document = SHIPPED_PROBE | {"at": f"2026-12-{more + number + 1:02}T00:00:00Z"}
            record_probe(host=host, probe=read_probe(document))
        with CaptureQueriesContext(connection) as captured:
            assert client.get({"hosts": "/hosts/", "host": "/hosts/h-1/"}[name]).status_code == 200
        counts.append(len(captured))
    compare(f"page-{name}", counts)
