"""What can go wrong with the services we start ourselves."""


class EmbeddedError(Exception):
    """One line for the person who started us; the cause is in the log that it names."""
