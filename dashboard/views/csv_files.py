"""Tables as CSV files: the unit in its own column, and nothing that a spreadsheet would run."""

import csv
import io
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.http import HttpResponse

from results.documents.export import FORMULA


def csv_file(name: str, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> HttpResponse:
    """A download; absent values are empty cells, numbers keep every digit, times are ISO 8601 in UTC."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows([_cell(value) for value in row] for row in rows)
    headers = {"Content-Disposition": f'attachment; filename="northstar-{name}.csv"'}
    return HttpResponse(
        text.getvalue().encode("utf-8"), content_type="text/csv; charset=utf-8", headers=headers
    )


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, datetime):
        return value.isoformat()
    text = str(value)
    return f"'{text}" if text.startswith(FORMULA) else text
