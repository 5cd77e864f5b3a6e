"""Figures of the point page."""
