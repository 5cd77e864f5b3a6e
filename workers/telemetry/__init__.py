"""What is sampled beside a benchmark."""
