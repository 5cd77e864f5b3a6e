from pathlib import Path

import pytest

from workers.engines.diagnosis import first_causal_line, names_a_taken_port

#: As the servers really wrote them, shortened.
LLAMACPP_MEMORY = """\
0.00.011.310 I srv    load_model: loading model 'model.gguf'
0.08.884.764 E ggml_aligned_malloc: insufficient memory (attempted to allocate 31250.00 MB)
0.08.884.816 E ggml_backend_cpu_buffer_type_alloc_buffer: failed to allocate buffer of size 32768000000
0.09.075.188 E srv          init: exiting due to model loading error
Traceback (most recent call last):
  File "llamacpp_server.py", line 36, in main
    server = xllamacpp.Server(parameters(options))
RuntimeError: Failed to init server, please check the input params.
"""
LLAMACPP_PORT = """\
0.00.025.266 E srv  start: couldn't bind HTTP server socket, hostname: 127.0.0.1, port: 18455
0.00.025.392 E srv          init: exiting due to HTTP server error
RuntimeError: Failed to init server, please check the input params.
"""
PYDANTIC = """\
Traceback (most recent call last):
  File "arg_utils.py", line 1955, in create_model_config
    return ModelConfig(
pydantic_core._pydantic_core.ValidationError: 1 validation error for ModelConfig
  Value error, User-specified max_model_len (1000000) is greater than the derived one
    For further information visit https://errors.pydantic.dev/2.14/v/value_error
"""
VLLM = """\
(APIServer pid=9) INFO 11-30 07:00:01 [api_server.py:90] vLLM API server version 0.32.0
(EngineCore pid=10) ERROR 11-30 07:00:09 [core.py:1140] EngineCore failed to start.
(EngineCore pid=10) ERROR 11-30 07:00:09 [core.py:1140] Traceback (most recent call last):
(EngineCore pid=10) ERROR 11-30 07:00:09 [core.py:1140]   File "core.py", line 9, in run_engine_core
(EngineCore pid=10) ERROR 11-30 07:00:09 [core.py:1140]     raise NotImplementedError(
(EngineCore pid=10) ERROR 11-30 07:00:09 [core.py:1140] NotImplementedError: CPU Offloading is currently \
only supported on CUDA-alike and XPU GPUs
(EngineCore pid=10) Traceback (most recent call last):
(APIServer pid=9) RuntimeError: Engine core initialization failed. See root cause above.
"""


@pytest.mark.parametrize(
    ("log", "line"),
    [
        ("starting\nggml: failed to allocate buffer\nerror: exiting\n", "ggml: failed to allocate buffer"),
        ("error: could not warm up\nterminate: std::bad_alloc\n", "terminate: std::bad_alloc"),
        (
            'Traceback (most recent call last):\n  File "x.py", line 1\n    raise\nValueError: bad shape\n',
            "ValueError: bad shape",
        ),
        ("INFO 0 errors so far\nbye\n", "bye"),
        ("", ""),
        ("main: couldn't bind HTTP socket 8000\n", "main: couldn't bind HTTP socket 8000"),
        (LLAMACPP_MEMORY, "ggml_aligned_malloc: insufficient memory (attempted to allocate 31250.00 MB)"),
        (LLAMACPP_PORT, "srv  start: couldn't bind HTTP server socket, hostname: 127.0.0.1, port: 18455"),
        (PYDANTIC, "Value error, User-specified max_model_len (1000000) is greater than the derived one"),
        (VLLM, "NotImplementedError: CPU Offloading is currently only supported on CUDA-alike and XPU GPUs"),
    ],
)  # fmt: skip
def test_the_most_telling_line(tmp_path: Path, log: str, line: str) -> None:
    path = tmp_path / "server.log"
    path.write_text(log)
    assert first_causal_line(path) == line


def test_a_missing_log_has_no_line(tmp_path: Path) -> None:
    assert first_causal_line(tmp_path / "none.log") == ""


def test_binary_and_endless_lines_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    path.write_bytes(b"\xff\xfe\n" + b"error " + b"x" * 10_000 + b"\n")
    assert len(first_causal_line(path)) == 300


def test_the_end_of_a_long_log_is_read(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    path.write_text("request served\n" * 400_000 + "terminate called: std::bad_alloc\n")
    assert first_causal_line(path) == "terminate called: std::bad_alloc"


def test_a_taken_port_is_known_by_each_engines_words() -> None:
    assert names_a_taken_port("couldn't bind HTTP server socket, hostname: 127.0.0.1, port: 1")
    assert names_a_taken_port("OSError: [Errno 98] Address already in use")
    assert not names_a_taken_port("RuntimeError: no port")
