"""From the parts of a form to a delivery: files, at most one identity, two switches."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import TemporaryUploadedFile, UploadedFile
from django.http import QueryDict
from rest_framework.request import Request

from results.api.query import read_query
from results.api.serializers.uploads import ReceiveQuery
from results.documents import strict_json
from results.documents.canonical import canonical_json
from results.documents.identity import read_identity
from results.documents.refusal import DocumentError, Problem
from results.services.deliveries import Sent
from results.services.nearby_identity import LARGEST
from results.services.upload_bundle import work_folder

IDENTITY = "identity"


@dataclass(frozen=True, slots=True)
class Form:
    """Files as they came, a checked identity document, and the switches of query and form together."""

    files: "tuple[UploadedFile[Any], ...]"
    identity: dict[str, Any]
    validate_only: bool
    accept: bool

    def sha256(self) -> str:
        """Equal for two requests that send the same names, bytes, identity and switches."""
        files = [[file.name, _digest(file)] for file in self.files]
        facts = [self.identity, self.validate_only, self.accept, files]
        return hashlib.sha256(canonical_json(facts)).hexdigest()

    @contextmanager
    def on_disk(self) -> Iterator[list[Sent]]:
        """The files where they can be read; their copies are gone afterwards."""
        with work_folder("form-") as folder:
            yield [
                Sent(file.name or "file", _on_disk(file, folder / str(n)))
                for n, file in enumerate(self.files)
            ]


def read_form(request: Request, switches: dict[str, Any]) -> Form:
    """The parts of the request; DocumentError names what is missing, unknown, repeated or wrong."""
    uploaded = [(name, file) for name, files in request.FILES.lists() for file in files]
    files = tuple(file for name, file in uploaded if name != IDENTITY)
    identities: list[bytes] = [_small(file) for name, file in uploaded if name == IDENTITY]
    fields: QueryDict = request.POST.copy()
    identities += [text.encode("utf-8", "replace") for text in fields.pop(IDENTITY, [])]
    both = switches | read_query(ReceiveQuery, fields)
    if not files:
        raise _refused("/files", "missing", "send at least one file as a part of multipart/form-data")
    if len(identities) > 1:
        raise _refused(f"/{IDENTITY}", "repeated", "given more than once")
    return Form(
        files=files,
        identity=_identity(identities[0]) if identities else {},
        validate_only=both.get("validate_only", False),
        accept=both.get("accept", False),
    )


def _identity(body: bytes) -> dict[str, Any]:
    try:
        return read_identity(strict_json.loads(body))
    except strict_json.MalformedJsonError as error:
        raise _refused(f"/{IDENTITY}", "json", f"is not JSON: {error}") from None
    except DocumentError as error:
        moved = [Problem(**row | {"pointer": f"/{IDENTITY}{row['pointer']}"}) for row in error.problems]
        raise DocumentError(moved) from None


def _small(file: "UploadedFile[Any]") -> bytes:
    if (file.size or 0) > LARGEST:
        raise _refused(f"/{IDENTITY}", "too_long", f"has more than {LARGEST} bytes")
    return bytes(file.read())


def _refused(pointer: str, rule: str, message: str) -> DocumentError:
    return DocumentError([Problem(pointer=pointer, rule=rule, message=message)])


def _digest(file: "UploadedFile[Any]") -> str:
    digest = hashlib.sha256()
    for chunk in file.chunks():
        digest.update(chunk)
    return digest.hexdigest()


def _on_disk(file: "UploadedFile[Any]", target: Path) -> Path:
    if isinstance(file, TemporaryUploadedFile):
        return Path(file.temporary_file_path())
    with target.open("wb") as copy:
        for chunk in file.chunks():
            copy.write(chunk)
    return target
