"""Figures as plain dictionaries. Nothing here asks the database."""
