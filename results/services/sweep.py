"""Repeats hints for what is still queued."""

from datetime import datetime

from results.queries.host_room import ABSENT
from results.services.claims import waiting_for
from results.services.hints import idle_hosts, send_hints


def sweep(*, now: datetime) -> list[str]:
    """Send one hint to each free host that something queued fits; returns the names of those reached."""
    present = [host for host in idle_hosts() if host.last_seen_at >= now - ABSENT]
    return send_hints(host for host in present if waiting_for(host).exists())
