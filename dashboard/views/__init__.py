"""The pages. Thin: read the address, ask results.queries, arrange, render."""
