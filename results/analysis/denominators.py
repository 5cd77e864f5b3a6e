"""Throughput of disaggregated deployments on one denominator, and how total tokens split."""


def all_gpu_throughput(
    input_per_prefill_gpu: float, prefill_gpus: int, output_per_decode_gpu: float, decode_gpus: int
) -> tuple[float, float, float]:
    """Input, output and total tokens per second per GPU of the whole deployment.

    Some files divide input by the prefill GPUs and output by the decode GPUs, so that the two do not add
    up and the deployment looks better than it is. ValueError without a GPU in each role.
    """
    if prefill_gpus < 1 or decode_gpus < 1:
        raise ValueError("both roles have at least one GPU")
    gpus = prefill_gpus + decode_gpus
    inputs = input_per_prefill_gpu * prefill_gpus / gpus
    outputs = output_per_decode_gpu * decode_gpus / gpus
    return inputs, outputs, inputs + outputs


#: Two parts make up a total when they miss it by no more than this.
TOLERANCE = 0.01


def input_share(
    inputs: float, outputs: float, total: float, *, isl: float | None, osl: float | None
) -> float | None:
    """Share of input tokens in the total, between 0 and 1; None when nothing says it.

    From the two throughputs when they add up to the total within ``TOLERANCE``. Otherwise they have other
    denominators, and the lengths of the sequences in tokens decide.
    """
    if total > 0 and inputs >= 0 and outputs >= 0 and abs(inputs + outputs - total) <= TOLERANCE * total:
        return inputs / (inputs + outputs)
    if isl is None or osl is None or isl < 0 or osl < 0 or isl + osl == 0:
        return None
    return isl / (isl + osl)
