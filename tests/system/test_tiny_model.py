"""The tiny model as it is really made and really read by others."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.system import attempts
from tests.system.processes import ROOT, outside
from workers import environments
from workers.tiny_model import TinyModel, ensure_tiny_model, find_tiny_model, hub_cache

pytestmark = pytest.mark.system
VAR = ROOT / "var"
#: Offline, by repository name, in the client's own environment: as AIPerf does it.
READ_BY_NAME = """
import json
from transformers import AutoTokenizer
tokenizer = AutoTokenizer.from_pretrained("org/tiny")
messages = [{"role": "user", "content": "def main():"}]
prompt = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
ids = tokenizer.encode("import os", add_special_tokens=False)
print(json.dumps({"size": len(tokenizer), "prompt": prompt, "text": tokenizer.decode(ids)}))
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def twice(home: Path) -> list[TinyModel]:
    """Made in two folders that know nothing of each other."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NORTHSTAR_ENVS", attempts.environments())
        return [ensure_tiny_model(home / name) for name in ("one", "two")]


def test_it_is_the_same_wherever_it_is_made(home: Path, twice: list[TinyModel]) -> None:
    one, two = twice
    assert one.fingerprint == two.fingerprint
    assert one.path != two.path
    assert one.gguf.read_bytes() == two.gguf.read_bytes()
    assert find_tiny_model(home / "one", two.revision) == one


def test_it_is_made_once(home: Path, twice: list[TinyModel]) -> None:
    before = twice[0].gguf.stat()
    assert ensure_tiny_model(home / "one") == twice[0]
    assert twice[0].gguf.stat() == before


def test_its_tokenizer_is_found_by_name_without_a_network(tmp_path: Path) -> None:
    hub_cache(ensure_tiny_model(VAR).hf_dir, "org/tiny", tmp_path)
    python = environments.ensure("aiperf", VAR).python
    found = subprocess.run(
        [str(python), "-I", "-c", READ_BY_NAME], capture_output=True, text=True, check=True, timeout=120,
        env=outside(HF_HOME=str(tmp_path), HF_HUB_OFFLINE="1"),
    )  # fmt: skip
    assert json.loads(found.stdout.splitlines()[-1]) == {
        "size": 8192,
        "prompt": "<|im_start|>user\ndef main():<|im_end|>\n<|im_start|>assistant\n",
        "text": "import os",
    }
