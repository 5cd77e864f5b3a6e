"""Result files for tests of the door: real files of ``vllm bench serve``, and what they leave unsaid."""

import copy
import io
import json
import tarfile
import zipfile
from pathlib import Path
from typing import Any

from results.models import Upload
from results.services.deliveries import Delivery, Sent
from results.services.receive_upload import Received, receive_upload

BENCH: dict[str, Any] = {
    "date": "20260505-120000",
    "endpoint_type": "openai",
    "model_id": "openai/gpt-oss-120b",
    "num_prompts": 100,
    "request_rate": "inf",
    "max_concurrency": 16,
    "duration": 50.0,
    "completed": 100,
    "failed": 0,
    "total_input_tokens": 102_400,
    "total_output_tokens": 51_200,
    "request_throughput": 2.0,
    "output_throughput": 1024.0,
    "total_token_throughput": 3072.0,
    "mean_ttft_ms": 100.0,
    "median_ttft_ms": 90.0,
    "mean_tpot_ms": 7.5,
    "median_tpot_ms": 8.0,
    "mean_itl_ms": 7.5,
    "median_itl_ms": 8.0,
}
IDENTITY: dict[str, Any] = {
    "recipe": {
        "roles": {"serve": {"hardware": "h200", "gpus": 8, "tp": 8}},
        "engine": {"name": "vllm", "version": "0.11.0"},
        "precision": "fp4",
    },
    "scenario": {"kind": "fixed", "isl": 1024, "osl": 512},
}


def bench(load: int = 16, **changes: Any) -> bytes:
    """The result of one concurrency; ``model_id`` may be a spelling that nobody knows."""
    return json.dumps(BENCH | {"max_concurrency": load} | changes).encode()


def without(identity: dict[str, Any], *place: str) -> dict[str, Any]:
    """The identity without the field at ``place``."""
    result = copy.deepcopy(identity)
    part = result
    for key in place[:-1]:
        part = part[key]
    del part[place[-1]]
    return result


def zipped(files: dict[str, bytes]) -> bytes:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return body.getvalue()


def tarred(folder: Path) -> bytes:
    body = io.BytesIO()
    with tarfile.open(fileobj=body, mode="w:gz") as archive:
        archive.add(folder, arcname=folder.name)
    return body.getvalue()


def deliver(folder: Path, files: dict[str, bytes], **facts: Any) -> Received:
    """Send files through the operator's handle."""
    sent = []
    for number, (name, content) in enumerate(files.items()):
        location = folder / f"sent-{number}"
        location.write_bytes(content)
        sent.append(Sent(name, location))
    delivery = {"handle": Upload.Handle.COMMAND, "name": "a test"} | facts
    return receive_upload(sent=sent, delivery=Delivery(**delivery))
