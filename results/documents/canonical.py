"""One byte form per document, so that equal documents have equal fingerprints."""

import hashlib
import json
from typing import Any


def canonical_json(document: Any) -> bytes:
    """UTF-8 JSON with sorted keys and no spaces; raises ValueError for NaN and infinities."""
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8")


def fingerprint(document: Any) -> str:
    """sha256 of the canonical form, 64 lower-case hexadecimal digits."""
    return hashlib.sha256(canonical_json(document)).hexdigest()
