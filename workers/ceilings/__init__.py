"""What the GPUs of this host can do at best: rates measured with repeats, to hold results against.

torch is imported inside functions only; without torch or without a GPU there is nothing to measure.
"""
