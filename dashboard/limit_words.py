"""The words of what a host can do, and of what a point reached of it."""

from django.utils.translation import gettext_lazy

from dashboard.words import Words

#: What is set against a limit; transfers are metrics with cards of their own.
SHARES: Words = {
    "decode": gettext_lazy("Decode, bytes read per second"),
    "prefill": gettext_lazy("Prefill, operations per second"),
}
CEILINGS: Words = {
    "device_copy": gettext_lazy("copy within device memory, bytes read and written"),
    "bf16_matrix": gettext_lazy("matrix product, bf16, random data"),
    "fp8_matrix": gettext_lazy("matrix product, fp8, random data"),
    "host_to_device_pinned": gettext_lazy("host to device, pinned memory"),
    "device_to_host_pinned": gettext_lazy("device to host, pinned memory"),
    "host_to_device_pageable": gettext_lazy("host to device, pageable memory"),
    "device_to_host_pageable": gettext_lazy("device to host, pageable memory"),
    "all_reduce": gettext_lazy("all-reduce over all devices"),
}
FORMULAS: Words = {
    "kv_offload_bandwidth_in": gettext_lazy("KV bytes moved / time of the transfers, against GPUs × link"),
    "kv_offload_bandwidth_out": gettext_lazy("KV bytes moved / time of the transfers, against GPUs × link"),
    "decode": gettext_lazy(
        "(weights + running × context × KV per token) / step, against GPUs × copy. A step reads every weight "
        "once and the keys and values of all running requests; context is mean input + half the mean output, "
        "the step is the median inter-token latency. An estimate: means stand for the mix of requests."
    ),
    "prefill": gettext_lazy(
        "operations of the prompt tokens that no cache held / duration, against GPUs × matrix product. Per "
        "token 2 per weight of the layers, and 4 per layer, query number and position before it. Pauses and "
        "decode are part of the duration: a share of the whole window, not the speed of one prefill."
    ),
}
HOST_STATES: Words = {
    "ready": gettext_lazy("ready"),
    "dirty": gettext_lazy("dirty: needs cleaning"),
    "retired": gettext_lazy("retired: executes nothing"),
}
TERMS: Words = {
    "gpus": gettext_lazy("GPUs"),
    "weights": gettext_lazy("weights of a step"),
    "running": gettext_lazy("running, at least 1"),
    "context": gettext_lazy("context"),
    "kv": gettext_lazy("KV per token"),
    "itl": gettext_lazy("step"),
    "requests": gettext_lazy("requests that say what was cached"),
    "computed": gettext_lazy("prompt tokens computed"),
    "flop": gettext_lazy("operations"),
    "duration": gettext_lazy("duration"),
}
