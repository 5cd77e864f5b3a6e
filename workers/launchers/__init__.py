"""How processes of an attempt are started and ended."""
