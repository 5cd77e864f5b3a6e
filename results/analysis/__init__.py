"""Mathematics of the product. Pure: no framework, no input or output."""
