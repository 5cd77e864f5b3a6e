"""Bundles for hosts without a network: everything a measurement needs, in parts, with one script that runs it."""
