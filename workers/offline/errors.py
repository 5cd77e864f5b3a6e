"""What a bundle is refused for."""


class OfflineError(Exception):
    """One line for a person; the exit code is 2."""
