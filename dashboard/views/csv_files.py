"""Tables as CSV files: the unit in its own column, and nothing that a spreadsheet would run."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.http import HttpResponse

from results.documents.csv_table import csv_text


def csv_file(name: str, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> HttpResponse:
    """A download; absent values are empty cells, numbers keep every digit, times are ISO 8601 in UTC."""
    headers = {"Content-Disposition": f'attachment; filename="northstar-{name}.csv"'}
    text = csv_text(header, rows).encode("utf-8")
    return HttpResponse(text, content_type="text/csv; charset=utf-8", headers=headers)
