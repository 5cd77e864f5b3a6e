"""Makes a model without weights: configuration and tokenizer in the shape of Qwen3-1.7B.

For engines that make random weights themselves (vLLM's ``--load-format dummy``). 28 layers, hidden 2,048, 16
query and 8 key-value heads of 128, feed-forward 6,144, vocabulary 151,936, as in the configuration that the
Qwen team publishes (Apache-2.0); positions are 131,072 instead of 40,960, which changes no size. The
tokenizer is the tiny model's, filled up to the vocabulary with entries that no text encodes to: the output
layer then costs what it costs in the real model. A key and a value take 112 KiB per token in 16 bits.

Usage: shape.py FOLDER (writes a Hugging Face folder FOLDER/hf). Runs inside the llamacpp environment.
"""

import json
import sys
from pathlib import Path

# Run with ``python -I``, which keeps the script's folder off the path.
sys.path.insert(0, str(Path(__file__).parent))

import generate
from tokenizers import Tokenizer

VOCABULARY = 151_936
SIZES = {
    "head_dim": 128,
    "hidden_size": 2048,
    "intermediate_size": 6144,
    "num_attention_heads": 16,
    "num_hidden_layers": 28,
    "num_key_value_heads": 8,
    "torch_dtype": "bfloat16",
    # Without a version, transformers takes a tokenizer of this size for an old, faulty one of Mistral's.
    "transformers_version": "5.0.0",
    "vocab_size": VOCABULARY,
}


def fill_up(tokenizer: Tokenizer) -> Tokenizer:
    """The same encoder with as many entries as the vocabulary has; the new ones are words of their own."""
    state = json.loads(tokenizer.to_str())
    entries = state["model"]["vocab"]
    # "Ġ" is a blank in the alphabet of byte-level encoders; the merges never make these words.
    entries.update({f"Ġfiller{number}": number for number in range(len(entries), VOCABULARY)})
    filled = Tokenizer.from_str(json.dumps(state))
    if filled.get_vocab_size() != VOCABULARY:
        sys.exit(f"tokenizer: {filled.get_vocab_size()} tokens instead of {VOCABULARY}")
    return filled


def main() -> None:
    folder = Path(sys.argv[1], "hf")
    folder.mkdir(parents=True)
    fill_up(generate.train_tokenizer()).save(str(folder / "tokenizer.json"))
    generate.write_documents(folder, generate.config() | SIZES)


if __name__ == "__main__":
    main()
