"""The agentic aggregate of InferenceX in parts: identity, distributions, throughput, power, verdict."""
