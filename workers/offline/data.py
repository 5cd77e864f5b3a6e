"""What the run documents of a bundle need beside programs: models made here, corpora that are not shipped."""

import json
import shutil
from pathlib import Path

from pydantic import ValidationError

from results.documents.base import one_line
from results.documents.run import PUBLIC_CORPORA, RunDocument, check_executable
from workers.offline.errors import OfflineError
from workers.tiny_model import find_tiny_model
from workers.traces.corpora import checked_corpus, list_corpora
from workers.traces.errors import TracesError


def read_documents(folder: Path) -> dict[str, RunDocument]:
    """Run documents of a folder by file name, in the order in which they will run; raises OfflineError."""
    documents = {}
    for path in sorted(folder.glob("*.json")):
        try:
            raw = json.loads(path.read_text(encoding="utf-8"))
            documents[path.name] = check_executable(RunDocument.model_validate(raw))
        except ValidationError as error:
            raise OfflineError(f"{path}: {one_line(error)}") from error
        except (OSError, ValueError) as error:
            raise OfflineError(f"{path}: {error}") from error
    if not documents:
        raise OfflineError(f"--documents: {folder} holds no *.json file")
    return documents


def collect(folder: Path, documents: dict[str, RunDocument], var: Path) -> None:
    """Lay out documents, models and corpora for the target; raises OfflineError for what is not here."""
    (folder / "documents").mkdir(parents=True)
    for name, document in documents.items():
        text = json.dumps(document.to_json(), indent=1, sort_keys=True) + "\n"
        (folder / "documents" / name).write_text(text, encoding="utf-8")
        _model(folder, document, var)
        _corpus(folder, document, var)


def _model(folder: Path, document: RunDocument, var: Path) -> None:
    name, revision = document.recipe.model.name, document.recipe.model.revision or ""
    model = find_tiny_model(var, revision, name)
    if model is None:
        raise OfflineError(f"/recipe/model: {var} holds no {name} with revision {revision or 'none'}")
    place = folder / "models" / name / model.fingerprint
    if not place.exists():
        shutil.copytree(model.path, place)


def _corpus(folder: Path, document: RunDocument, var: Path) -> None:
    scenario = document.scenario
    if scenario.kind != "agentic" or scenario.corpus in PUBLIC_CORPORA:
        raise OfflineError("/scenario: a target without a network replays local corpora only")
    try:
        source = checked_corpus(scenario.corpus, scenario.version, [var / "corpora"])
    except TracesError as error:
        raise OfflineError(f"/scenario: {error}") from error
    place = folder / "corpora" / scenario.corpus
    if scenario.corpus not in list_corpora() and not place.exists():
        shutil.copytree(source, place)
