"""``make demo``: everything on this machine, then a real benchmark submitted like anyone would."""
