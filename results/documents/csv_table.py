"""Tables as CSV: nothing that a spreadsheet would run, every digit, times in ISO 8601. Pure."""

import csv
import io
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from results.documents.export import FORMULA


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Absent values are empty cells, lists are joined by semicolons; RFC 4180 line ends."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, datetime):
        return value.isoformat()
    text = "; ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return f"'{text}" if text.startswith(FORMULA) else text
