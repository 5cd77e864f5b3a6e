"""The embedded broker on real processes."""

import os
import signal
from pathlib import Path

import pytest
import redis

from dashboard.embedded.paths import socket_folder
from dashboard.embedded.valkey import ValkeyServer
from tests.system.processes import all_gone

pytestmark = pytest.mark.system


def test_queued_messages_survive_a_killed_broker(tmp_path: Path) -> None:
    server = ValkeyServer(tmp_path)
    server.start()
    assert server.pid is not None
    path = str(socket_folder(tmp_path) / "valkey.sock")
    with redis.Redis(unix_socket_path=path) as client:
        for number in range(1000):
            client.rpush("queue", number)
    os.kill(server.pid, signal.SIGKILL)
    assert all_gone([server.pid])
    server.start()
    try:
        with redis.Redis(unix_socket_path=path) as client:
            assert client.llen("queue") == 1000
            assert client.lindex("queue", 999) == b"999"
            assert client.config_get("port") == {"port": "0"}
    finally:
        server.stop()
        socket_folder(tmp_path).rmdir()
