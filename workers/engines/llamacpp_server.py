"""llama.cpp's own HTTP server. Runs inside the llamacpp environment, one argument: a JSON object."""

import json
import os
import signal
import sys
from typing import Any

import xllamacpp


def parameters(options: dict[str, Any]) -> xllamacpp.CommonParams:
    params = xllamacpp.CommonParams()
    params.model.path = options["model"]
    params.model_alias = {options["alias"]}
    params.hostnames = [options["host"]]
    params.port = options["port"]
    params.n_parallel = options["parallel"]
    # Without a unified cache the slots share n_ctx in equal parts.
    params.n_ctx = options["context"] * options["parallel"]
    params.kv_unified = False
    params.fit_params = False
    params.cache_prompt = options["cache_prompt"]
    params.cache_ram_mib = options["cache_ram_mib"]
    params.endpoint_metrics = True
    params.endpoint_slots = True
    if options["threads"] is not None:
        params.cpuparams.n_threads = options["threads"]
    return params


def main() -> None:
    options = json.loads(sys.argv[1])
    server = xllamacpp.Server(parameters(options))
    print(f"listening on {server.listening_address}", flush=True)
    signal.sigwait({signal.SIGTERM, signal.SIGINT})
    # The server's own end waits for the answers it is giving, up to minutes; there is nothing to save.
    os._exit(0)


if __name__ == "__main__":
    # Blocked before the server's threads start, so that sigwait alone receives them.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
    main()
