"""The export of points: what its writer and its reader must agree on. Pure."""

SCHEMA = "northstar.points/1"
#: Beginnings of a text that get an apostrophe before them in CSV, because a spreadsheet would run them as a
#: formula; an apostrophe gets one too, to be told apart.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")
#: Columns by which an export in CSV is recognised.
COLUMNS = frozenset({"run", "label", "load", "validity", "rules_version", "recipe_document", "extra"})
#: Key of ``Point.extra`` under which an import keeps the attempt that another server executed.
EXECUTED = "executed"
#: Key of ``Point.extra`` under which an import keeps the sha256 of the client's records of its requests.
RECORDS_SHA256 = "records_sha256"
