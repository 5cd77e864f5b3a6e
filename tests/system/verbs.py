"""``python -m tests.system.verbs submit DOCUMENT | cancel RUN``: what the API does, in its own process."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

import django

if TYPE_CHECKING:
    from results.models import ApiToken


def submit(document: str) -> str:
    from results.services.submit_run import read_run_document, submit_run

    checked = read_run_document(json.loads(Path(document).read_text()))
    return str(submit_run(document=checked, token=_token()).id)


def cancel(run: str) -> str:
    from results.services.cancel_run import cancel_run

    cancel_run(run_id=UUID(run), token=_token())
    return run


def _token() -> "ApiToken":
    from results.models import ApiToken
    from results.services.tokens import create_token

    return ApiToken.objects.first() or create_token(name="system", scope="submit", expires_at=None)[0]


if __name__ == "__main__":
    django.setup()
    sys.stdout.write({"submit": submit, "cancel": cancel}[sys.argv[1]](sys.argv[2]) + "\n")
