"""Files called identity.json: what they state holds for the files beside and below them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from results.documents import strict_json
from results.documents.identity import merged, read_identity
from results.documents.refusal import DocumentError
from results.ingest.reports import Refused
from results.services.deliveries import Sent

VERSION = "1"
NAME = "identity.json"
LARGEST = 2**20


@dataclass(slots=True)
class Nearby:
    """Identities by folder, over what the sender stated for everything."""

    stated: Mapping[str, Any]
    by_folder: dict[str, Mapping[str, Any]] = field(default_factory=dict)

    def add(self, file: Sent) -> tuple[Refused, ...]:
        """Read one identity.json; what is wrong with it, and then it states nothing."""
        if file.location.stat().st_size > LARGEST:
            return (Refused("", f"has more than {LARGEST} bytes"),)
        try:
            identity = read_identity(strict_json.loads(file.location.read_bytes()))
        except strict_json.MalformedJsonError as error:
            return (Refused("", f"is not JSON: {error}"),)
        except DocumentError as error:
            return tuple(
                {row["pointer"]: Refused(row["pointer"], row["message"]) for row in error.problems}.values()
            )
        self.by_folder[str(PurePosixPath(file.path).parent)] = identity
        return ()

    def of(self, path: str) -> Mapping[str, Any]:
        """The identity of a file: the nearest statement holds."""
        found = self.stated
        for folder in reversed(PurePosixPath(path).parents):
            found = merged(found, self.by_folder.get(str(folder), {}))
        return found


def split(files: Iterable[Sent]) -> tuple[list[Sent], list[Sent]]:
    """Identity files, and the others."""
    mine: list[Sent] = []
    others: list[Sent] = []
    for file in files:
        (mine if PurePosixPath(file.path).name == NAME else others).append(file)
    return mine, others
