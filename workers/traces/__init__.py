"""Agentic session traces in the weka format: strict reading, summaries, generation, shipped corpora."""
