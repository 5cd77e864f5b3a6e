"""llama.cpp as it is really started: what its arguments mean, and that its numbers are the ones we read."""

import json
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from results.documents.failures import FailureClass
from tests.system.serving import VAR, Server, recipe, serving, shared_environments
from workers import environments
from workers.engines import llamacpp
from workers.failures import ExecutionFailure
from workers.launchers import process as launchers
from workers.telemetry.prometheus import Scraper, live_summary
from workers.tiny_model import ensure_tiny_model

pytestmark = pytest.mark.system
CONTEXT = 4096


@pytest.fixture(scope="module", autouse=True)
def environment() -> Iterator[None]:
    with shared_environments():
        yield


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Two slots with prefix cache, no host tier."""
    with serving(tmp_path_factory.mktemp("llamacpp"), make(parallel=2)) as server:
        yield server


def make(**arguments: Any) -> Any:
    return recipe("llamacpp", llamacpp.VERSION, context=CONTEXT, **arguments)


def prompt(name: str, words: int = 200) -> str:
    """Text that shares its first tokens with no other name's."""
    return " ".join(f"{name}{number}" for number in range(words))


def test_it_is_healthy_within_seconds(server: Server) -> None:
    assert server.seconds_to_healthy < 15


def test_context_is_per_slot(server: Server) -> None:
    slots = server.get("/slots")
    assert [slot["n_ctx"] for slot in slots] == [CONTEXT, CONTEXT]


def test_a_prompt_longer_than_a_slot_is_refused(server: Server) -> None:
    with pytest.raises(OSError, match="400"):
        server.chat(prompt("long", 3 * CONTEXT))


def test_answers_have_exactly_the_length_asked_for(server: Server) -> None:
    for tokens in (1, 33):
        answer = server.chat("short question", tokens)
        assert (answer.completion, answer.finish) == (tokens, "length")


def test_gguf_and_hugging_face_tokenizers_agree(server: Server) -> None:
    """AIPerf sizes its prompts by the one, the server counts by the other."""
    text = "def main(argv):\n    return  {'é': 42, \"中文\": [0x1F]}\n"
    tokens = server.post("/tokenize", {"content": text})["tokens"]
    assert server.post("/detokenize", {"tokens": tokens})["content"] == text
    assert tokens == hugging_face_tokens(text)


def hugging_face_tokens(text: str) -> list[int]:
    code = (
        "import json, sys; from tokenizers import Tokenizer;"
        "print(json.dumps(Tokenizer.from_file(sys.argv[1]).encode(sys.argv[2]).ids))"
    )
    python = environments.ensure("llamacpp", VAR).python
    argv = [str(python), "-I", "-c", code, str(ensure_tiny_model(VAR).hf_dir / "tokenizer.json"), text]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    result: list[int] = json.loads(done.stdout)
    return result


def test_a_repeated_prompt_comes_from_the_cache(server: Server) -> None:
    first, second = server.chat(prompt("again")), server.chat(prompt("again"))
    assert first.prompt == second.prompt > 400
    assert first.cached < 20
    # The last token is always computed: its logits are what comes next.
    assert second.prompt - 8 <= second.cached < second.prompt


def test_counters_are_the_clients_own_sums(server: Server) -> None:
    before = server.metrics()
    answers = [server.chat(prompt(name)) for name in ("one", "two", "one")]
    after = server.metrics()
    change = {name: after[name] - before[name] for name in after}
    assert change["llamacpp:prompt_tokens_cached_total"] == sum(answer.cached for answer in answers)
    assert change["llamacpp:prompt_tokens_total"] == sum(answer.prompt - answer.cached for answer in answers)
    assert change["llamacpp:tokens_predicted_total"] == sum(answer.completion for answer in answers)


def test_a_running_request_is_seen_live(server: Server, tmp_path: Path) -> None:
    enough = threading.Event()

    def ask() -> None:
        # One answer may come and go between two scrapes.
        while not enough.is_set():
            server.chat(prompt("live"), 400)

    asking = threading.Thread(target=ask)
    with Scraper(f"{server.url}/metrics", tmp_path / "telemetry.jsonl") as scraper:
        asking.start()
        end = time.monotonic() + 20
        while not scraper.latest.get("running") and time.monotonic() < end:
            time.sleep(0.05)
        seen = dict(scraper.latest)
        enough.set()
        asking.join()
    assert seen["running"] == 1
    assert set(live_summary(server.metrics())) == {
        "running", "waiting", "prompt_tokens", "cached_tokens", "generated_tokens",
    }  # fmt: skip


def test_without_prefix_cache_nothing_is_reused(tmp_path: Path) -> None:
    with serving(tmp_path, make(parallel=1, cache_prompt=False)) as server:
        assert [server.chat(prompt("again")).cached for _ in range(2)] == [0, 0]


@pytest.mark.parametrize(("mebibytes", "kept"), [(0, False), (256, True)])
def test_the_host_tier_keeps_what_a_slot_lost(tmp_path: Path, mebibytes: int, kept: bool) -> None:
    with serving(tmp_path, make(parallel=1, cache_ram_mib=mebibytes)) as server:
        first = server.chat(prompt("first"))
        # The only slot is taken over by another prompt ...
        server.chat(prompt("second"))
        again = server.chat(prompt("first"))
    # ... so the first one's KV can only come from the host's memory.
    assert (again.cached > 0.9 * first.prompt) is kept
    assert kept or again.cached < 20


def test_it_stops_at_once_while_it_answers(tmp_path: Path) -> None:
    with serving(tmp_path, make(parallel=1)) as server:
        asking = threading.Thread(target=broken_off, args=(server,))
        asking.start()
        end = time.monotonic() + 20
        while not server.metrics()["llamacpp:requests_processing"]:
            assert time.monotonic() < end
        begin = time.monotonic()
        assert server.process.stop(grace=30)
        assert time.monotonic() - begin < 10
        asking.join()


def broken_off(server: Server) -> None:
    with pytest.raises((OSError, AssertionError, IndexError)):
        server.chat(prompt("endless"), 3000)


def test_a_taken_port_is_told_apart(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = int(server.url.rpartition(":")[2])
    monkeypatch.setattr("tests.system.serving.free_port", lambda: taken)
    # The server on that port is healthy and would be taken for ours if only its answer counted.
    assert not launchers.port_is_free(taken)
    with pytest.raises(ExecutionFailure) as caught, serving(tmp_path, make(parallel=1)):
        raise AssertionError("never healthy")
    assert caught.value.failure == FailureClass.PORT_IN_USE
