"""One module per tool whose files we read."""
