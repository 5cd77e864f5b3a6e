"""What can go wrong between us and GitHub, in one vocabulary for clients, services and pages."""

from datetime import datetime
from enum import StrEnum


class Trouble(StrEnum):
    NOT_FOUND = "not_found"
    UNAUTHORIZED = "unauthorized"
    FORBIDDEN = "forbidden"
    REFUSED = "refused"
    RATE_LIMITED = "rate_limited"
    SERVER = "server"
    UNREACHABLE = "unreachable"
    TIMEOUT = "timeout"
    REDIRECT = "redirect"
    BAD_ANSWER = "bad_answer"


#: Troubles of the server or the way to it: the next request would fare no better.
OUTAGE = frozenset({Trouble.SERVER, Trouble.UNREACHABLE, Trouble.TIMEOUT})


class GitHubError(Exception):
    """``text`` is ours and never repeats what the other side sent; ``until`` ends a rate limit (UTC)."""

    def __init__(self, trouble: Trouble, text: str, until: datetime | None = None) -> None:
        super().__init__(f"{trouble}: {text}")
        self.trouble = trouble
        self.text = text
        self.until = until


class ConfigurationError(Exception):
    """A setting about GitHub breaks a rule; the message names setting and rule, never a secret."""
