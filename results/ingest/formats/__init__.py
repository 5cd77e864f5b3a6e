"""Readers of result files, one small module each; a file's content decides which one reads it."""

from collections.abc import Iterator
from typing import Protocol

from results.ingest.formats import (
    aiperf_export,
    aiperf_inputs,
    genai_perf,
    gpu_csv,
    guidellm,
    inferencex_agentic,
    inferencex_api,
    inferencex_changes,
    inferencex_csv,
    inferencex_evaluations,
    inferencex_fixed,
    inferencex_jobs,
    inferencex_listings,
    inferencex_lm_eval,
    inferencex_results,
    inferencex_reuse,
    kv_cache_tester,
    llmd,
    lm_eval,
    multiturn_tables,
    northstar_export,
    sglang_bench,
    trtllm_bench,
    vllm_bench,
)
from results.ingest.rows import Row, Source


class Format(Protocol):
    """What a format module offers."""

    NAME: str
    PARSER_VERSION: str

    def detect(self, source: Source) -> str | None:
        """The version of the format when the file is one of its own; never raises."""

    def read(self, source: Source) -> Iterator[Row]:
        """The rows; raises FormatError and nothing else."""


#: In order of asking; the first that recognises a file reads it.
FORMATS: tuple[Format, ...] = (
    northstar_export,
    vllm_bench,
    sglang_bench,
    guidellm,
    genai_perf,
    llmd,
    lm_eval,
    inferencex_agentic,
    aiperf_export,
    aiperf_inputs,
    multiturn_tables,
    kv_cache_tester,
    inferencex_fixed,
    inferencex_results,
    inferencex_api,
    inferencex_evaluations,
    inferencex_lm_eval,
    inferencex_jobs,
    inferencex_changes,
    inferencex_reuse,
    inferencex_listings,
    inferencex_csv,
    gpu_csv,
    trtllm_bench,
)
