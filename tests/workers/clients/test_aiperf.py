"""Every option that guards against a trap of the client is asked for here."""

from pathlib import Path

import pytest

from results.documents.failures import FailureClass
from results.documents.run import AgenticScenario, Client
from workers.clients import aiperf
from workers.failures import ExecutionFailure

TARGET = aiperf.Target("http://127.0.0.1:8000", "tiny", aiperf.TOKENIZER, Path("traces"))
LOCAL = AgenticScenario(corpus="cpu-8k")
SHORT = Client(window_seconds=40, unsafe_override=True)


def argv(scenario: AgenticScenario = LOCAL, client: Client = SHORT) -> list[str]:
    return aiperf.command(Path("aiperf"), 4, TARGET, scenario, client, Path("out"))


def value(option: str, command: list[str]) -> str:
    return command[command.index(option) + 1]


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ("--scenario", "inferencex-agentx-mvp"),
        ("--concurrency", "4"),
        ("--benchmark-duration", "40"),
        ("--cache-bust", "first-turn-prefix"),
        ("--extra-inputs", "ignore_eos:true"),
        ("--random-seed", "42"),
        ("--trajectory-start-min-ratio", "0.25"),
        ("--trajectory-start-max-ratio", "0.75"),
        ("--failed-request-threshold", "0.1"),
        ("--connection-reuse-strategy", "never"),
        ("--custom-dataset-type", "weka_trace"),
        ("--input-file", "traces"),
        ("--tokenizer", aiperf.TOKENIZER),
    ],
)
def test_the_command_asks_for(option: str, expected: str) -> None:
    assert value(option, argv()) == expected


def test_the_server_counts_tokens() -> None:
    assert {"--use-server-token-count", "--streaming"} <= set(argv())


def test_the_override_is_used_only_when_the_document_says_so() -> None:
    public = AgenticScenario(corpus="semianalysis_cc_traces_weka_062126")
    canonical = argv(public, Client(window_seconds=3600))
    assert "--unsafe-override" not in canonical
    assert value("--public-dataset", canonical) == public.corpus
    assert "--input-file" not in canonical
    assert "--unsafe-override" in argv()


def test_the_idle_gap_cap_is_passed_on() -> None:
    capped = argv(client=SHORT.model_copy(update={"idle_gap_cap_seconds": 300.0}))
    assert value("--trace-idle-gap-cap-seconds", capped) == "300.0"
    assert "--trace-idle-gap-cap-seconds" not in argv()


def test_a_local_tokenizer_stays_offline() -> None:
    assert aiperf.environment(Path("hf"), Path("cache"), offline=True)["HF_HUB_OFFLINE"] == "1"
    assert "HF_HUB_OFFLINE" not in aiperf.environment(Path("hf"), Path("cache"), offline=False)


def test_files_are_found_one_folder_deeper_and_the_rest_goes(tmp_path: Path) -> None:
    output = tmp_path / "aiperf"
    (output / "child").mkdir(parents=True)
    (output / "child" / aiperf.RECORDS).write_text("{}\n")
    (output / aiperf.SUMMARY).write_text("{}")
    (output / "inputs.json").write_text("secret prompts")
    aiperf.collect(output, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [aiperf.RECORDS, aiperf.SUMMARY]


@pytest.mark.parametrize("missing", [aiperf.RECORDS, aiperf.SUMMARY])
def test_an_empty_or_absent_file_is_a_failure(tmp_path: Path, missing: str) -> None:
    for name in (aiperf.RECORDS, aiperf.SUMMARY):
        (tmp_path / name).write_text("" if name == missing else "{}")
    with pytest.raises(ExecutionFailure) as caught:
        aiperf.require_records(tmp_path)
    assert (caught.value.failure, missing in caught.value.line) == (FailureClass.RESULT_MISSING, True)
