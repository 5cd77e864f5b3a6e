"""Makes the tiny model. Runs inside the llamacpp environment (tokenizers, gguf, safetensors, numpy).

Qwen3 shape with random weights from a fixed seed: 4 layers, hidden 256, 4 query and 2 key-value heads of 64,
feed-forward 768, vocabulary 8,192, positions 131,072; 5.2 million parameters. The tokenizer is a byte-level
BPE trained on the standard library's sources, text that every Python has. Nothing is downloaded.

Usage: generate.py FOLDER (writes FOLDER/model.gguf and a Hugging Face folder FOLDER/hf)
"""

import json
import sys
import sysconfig
from pathlib import Path

import gguf
import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

LAYERS, HIDDEN, HEADS, KV_HEADS, HEAD, FEED, VOCABULARY, POSITIONS = 4, 256, 4, 2, 64, 768, 8192, 131072
SEED, EPSILON, ROPE_BASE = 20261130, 1e-6, 1e6
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
CHAT_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def training_text() -> list[str]:
    """Sources of the standard library's top level, in a fixed order; about 4 MB."""
    folder = Path(sysconfig.get_paths()["stdlib"])
    files = sorted(folder.glob("*.py"))[:120]
    return [path.read_text(encoding="utf-8", errors="replace") for path in files]


def train_tokenizer() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=SPECIAL,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(training_text(), trainer)
    if tokenizer.get_vocab_size() != VOCABULARY:
        sys.exit(f"tokenizer: {tokenizer.get_vocab_size()} tokens instead of {VOCABULARY}")
    return tokenizer


def weights() -> dict[str, np.ndarray]:
    """Tensors by their Hugging Face names, float16; norms are one."""
    random = np.random.default_rng(SEED)

    def matrix(rows: int, columns: int) -> np.ndarray:
        return (random.standard_normal((rows, columns), dtype=np.float32) * 0.02).astype(np.float16)

    def ones(size: int) -> np.ndarray:
        return np.ones(size, dtype=np.float16)

    tensors = {"model.embed_tokens.weight": matrix(VOCABULARY, HIDDEN), "model.norm.weight": ones(HIDDEN)}
    for layer in range(LAYERS):
        prefix = f"model.layers.{layer}"
        tensors |= {
            f"{prefix}.input_layernorm.weight": ones(HIDDEN),
            f"{prefix}.self_attn.q_proj.weight": matrix(HEADS * HEAD, HIDDEN),
            f"{prefix}.self_attn.k_proj.weight": matrix(KV_HEADS * HEAD, HIDDEN),
            f"{prefix}.self_attn.v_proj.weight": matrix(KV_HEADS * HEAD, HIDDEN),
            f"{prefix}.self_attn.o_proj.weight": matrix(HIDDEN, HEADS * HEAD),
            f"{prefix}.self_attn.q_norm.weight": ones(HEAD),
            f"{prefix}.self_attn.k_norm.weight": ones(HEAD),
            f"{prefix}.post_attention_layernorm.weight": ones(HIDDEN),
            f"{prefix}.mlp.gate_proj.weight": matrix(FEED, HIDDEN),
            f"{prefix}.mlp.up_proj.weight": matrix(FEED, HIDDEN),
            f"{prefix}.mlp.down_proj.weight": matrix(HIDDEN, FEED),
        }
    return tensors


#: Hugging Face name -> GGUF name, inside one layer.
GGUF_NAMES = {
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


def gguf_name(name: str) -> str:
    if not name.startswith("model.layers."):
        return {"model.embed_tokens.weight": "token_embd.weight", "model.norm.weight": "output_norm.weight"}[
            name
        ]
    layer, _dot, rest = name.removeprefix("model.layers.").partition(".")
    return f"blk.{layer}.{GGUF_NAMES[rest.removesuffix('.weight')]}.weight"


def write_gguf(path: Path, tensors: dict[str, np.ndarray], tokenizer: Tokenizer) -> None:
    writer = gguf.GGUFWriter(path, "qwen3")
    writer.add_name("northstar-tiny")
    writer.add_context_length(POSITIONS)
    writer.add_embedding_length(HIDDEN)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FEED)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_key_length(HEAD)
    writer.add_value_length(HEAD)
    writer.add_rope_freq_base(ROPE_BASE)
    writer.add_layer_norm_rms_eps(EPSILON)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_F16)
    write_vocabulary(writer, tokenizer)
    for name, tensor in tensors.items():
        # Norms are vectors, and llama.cpp wants vectors in float32.
        writer.add_tensor(gguf_name(name), tensor.astype(np.float32) if tensor.ndim == 1 else tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_vocabulary(writer: gguf.GGUFWriter, tokenizer: Tokenizer) -> None:
    state = json.loads(tokenizer.to_str())
    vocabulary = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
    kinds = [
        gguf.TokenType.CONTROL if token in SPECIAL else gguf.TokenType.NORMAL for token, _id in vocabulary
    ]
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in state["model"]["merges"]]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list([token for token, _id in vocabulary])
    writer.add_token_types(kinds)
    writer.add_token_merges(merges)
    writer.add_eos_token_id(SPECIAL.index("<|im_end|>"))
    writer.add_bos_token_id(SPECIAL.index("<|endoftext|>"))
    writer.add_add_bos_token(False)
    writer.add_chat_template(CHAT_TEMPLATE)


def config() -> dict[str, object]:
    return {
        "architectures": ["Qwen3ForCausalLM"],
        "model_type": "qwen3",
        "attention_bias": False,
        "attention_dropout": 0.0,
        "bos_token_id": SPECIAL.index("<|endoftext|>"),
        "eos_token_id": SPECIAL.index("<|im_end|>"),
        "head_dim": HEAD,
        "hidden_act": "silu",
        "hidden_size": HIDDEN,
        "initializer_range": 0.02,
        "intermediate_size": FEED,
        "max_position_embeddings": POSITIONS,
        "num_attention_heads": HEADS,
        "num_hidden_layers": LAYERS,
        "num_key_value_heads": KV_HEADS,
        "rms_norm_eps": EPSILON,
        "rope_theta": ROPE_BASE,
        "tie_word_embeddings": True,
        "torch_dtype": "float16",
        "use_cache": True,
        "vocab_size": VOCABULARY,
    }


def write_hugging_face(folder: Path, tensors: dict[str, np.ndarray], tokenizer: Tokenizer) -> None:
    folder.mkdir(parents=True)
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    tokenizer.save(str(folder / "tokenizer.json"))
    write_documents(folder, config())


def write_documents(folder: Path, configuration: dict[str, object]) -> None:
    tokenizer_config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": "<|endoftext|>",
        "eos_token": "<|im_end|>",
        "pad_token": "<|endoftext|>",
        "model_max_length": POSITIONS,
        "clean_up_tokenization_spaces": False,
        "chat_template": CHAT_TEMPLATE,
    }
    documents = {"config.json": configuration, "tokenizer_config.json": tokenizer_config}
    for name, document in documents.items():
        (folder / name).write_text(json.dumps(document, indent=1, sort_keys=True), encoding="utf-8")


def main() -> None:
    folder = Path(sys.argv[1])
    tokenizer, tensors = train_tokenizer(), weights()
    write_hugging_face(folder / "hf", tensors, tokenizer)
    write_gguf(folder / "model.gguf", tensors, tokenizer)


if __name__ == "__main__":
    main()
