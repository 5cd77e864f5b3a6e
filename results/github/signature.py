"""``X-Hub-Signature-256``: HMAC-SHA256 of the raw body under the shared secret, in hexadecimal."""

import hashlib
import hmac


def signature(secret: str, body: bytes) -> str:
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def is_signed(secret: str, body: bytes, header: str) -> bool:
    """Compared in constant time; False without a secret, whatever the header."""
    if not secret:
        return False
    return hmac.compare_digest(signature(secret, body).encode(), header.encode("utf-8", "replace"))
