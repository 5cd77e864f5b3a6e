"""Bundles for hosts without a network: everything a run needs, in parts, with one script."""
