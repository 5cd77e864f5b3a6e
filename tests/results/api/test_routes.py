"""Who may do what, for every address of the API: a route without an entry here fails."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import URLPattern, reverse

from results.api.urls import urlpatterns
from results.models import ApiToken, AttemptArtifact, Comparison, Evidence, PullRequest, ResultFile, Run
from results.storage import put_bytes
from tests.factories import make_host
from tests.results.api.conftest import Actor, actor, add_point
from tests.results.services.deliveries import bench, deliver
from tests.shipped import shipped_projects

METHODS = ("get", "post", "put", "patch", "delete", "options")
#: Status by actor: anonymous, read token, owner (submit), another submit token, worker and admin tokens.
READ: dict[str, tuple[int, ...]] = {"get": (200,) * 6}
ACTORS = ("anonymous", "read", "owner", "other", "worker", "admin")
PULL = {"repository": "vllm-project/vllm", "number": 43447}
ALIAS = {"kind": "precision", "spelling": "eight", "canonical": "fp8", "source": "a test"}
ROUTES: dict[str, dict[str, tuple[int, ...]]] = {
    "runs": READ | {"post": (401, 403, 201, 201, 403, 403)},
    "run": READ,
    "run-cancel": {"post": (401, 403, 200, 404, 403, 403)},
    # No reason is given.
    "run-withdraw": {"post": (401, 403, 403, 403, 403, 422)},
    "points": READ,
    "point": READ,
    "point-requests": READ,
    "point-table": READ,
    "points-csv": READ,
    "points-json": READ,
    "bundles": {"post": (401, 403, 403, 403, 422, 403)},
    "results": {"post": (401, 403, 403, 403, 201, 403)},
    "uploads": READ,
    "upload": READ,
    "quarantine": READ,
    "result-file": READ,
    "result-file-identity": {"post": (401, 403, 403, 403, 200, 403)},
    "result-file-content": READ,
    "aliases": READ | {"post": (401, 403, 403, 403, 403, 201)},
    "projects-csv": READ,
    "pull-requests-csv": READ,
    "evidence-csv": READ,
    "claims-csv": READ,
    "evidence": READ,
    "claims": READ,
    "projects": READ,
    # The body names no field.
    "project": READ | {"patch": (401, 403, 403, 403, 403, 422)},
    "topic": {"patch": (401, 403, 403, 403, 403, 422)},
    "claim": {"patch": (401, 403, 403, 403, 403, 422)},
    "pull-requests": READ,
    "pull-request": READ | {"patch": (401, 403, 403, 403, 403, 422)},
    # The body is none that is understood, so who may write learns what is wrong with it.
    "pull-request-evidence": {"post": (401, 403, 422, 422, 403, 403)},
    "comparison": READ,
    "evidence-withdraw": {"post": (401, 403, 200, 404, 403, 403)},
    # Without sides there is nothing to compare, and every key may be repeated.
    "compare": {"get": (400,) * 6},
    "slo": READ,
    "history": READ,
    # Nothing was measured of this series, and no such change point exists.
    "change-points": {"post": (401, 403, 422, 422, 403, 403)},
    "change-point": {"post": (401, 403, 403, 403, 403, 422)},
    # No secret is set, so the address does not exist.
    "github-webhook": {"post": (404,) * 6},
    "frontier": READ,
    "metrics": READ,
    "hosts": READ,
    "host": READ,
    "recipe": READ,
    "status": READ,
    "artifact": READ,
    "schema": READ,
    "docs": READ,
    "unknown": dict.fromkeys(METHODS, (404,) * 6),
}


def names() -> list[str]:
    return [str(route.name) for route in urlpatterns if isinstance(route, URLPattern)]


def test_every_route_has_an_entry() -> None:
    assert len(names()) == len(urlpatterns)
    assert set(names()) == set(ROUTES)


@pytest.fixture
def actors(owner: Actor, other: Actor, anonymous: Actor) -> dict[str, Actor]:
    found = {"anonymous": anonymous, "owner": owner, "other": other}
    return {name: found.get(name) or actor(name) for name in ACTORS}


@pytest.fixture
def addresses(owner: Actor, submit: Callable[..., Run], artifact: str, tmp_path: Path) -> dict[str, str]:
    run = submit(owner.token)
    upload = deliver(tmp_path, {"a.json": bench(1)}).upload
    file = ResultFile.objects.get().id
    shipped_projects()
    pull = {"owner": "vllm-project", "name": "vllm", "number": 43447}
    evidence = attached(run, owner.token)
    point = add_point(run)
    AttemptArtifact.objects.create(attempt=run.attempts.get(), load=1, artifact=put_bytes(b""),
                                   path="loads/c0001/profile_export.jsonl")  # fmt: skip
    parts: dict[str, dict[str, Any]] = {
        "run": {"run_id": run.id},
        "run-cancel": {"run_id": run.id},
        "run-withdraw": {"run_id": run.id},
        "point": {"point_id": point.id},
        "point-requests": {"point_id": point.id},
        "point-table": {"point_id": point.id, "table": "requests"},
        "recipe": {"fingerprint": run.recipe.fingerprint},
        "artifact": {"sha256": artifact},
        "upload": {"upload_id": upload},
        "result-file": {"file_id": file},
        "result-file-identity": {"file_id": file},
        "result-file-content": {"file_id": file},
        "project": {"slug": "vllm"},
        "topic": {"slug": "vllm", "topic": "hybrid-prefix-retention"},
        "claim": {"claim_id": PullRequest.objects.get(**PULL).claims.get().id},
        "pull-request": pull,
        "pull-request-evidence": pull,
        "comparison": {"comparison_id": evidence.comparison_id},
        "evidence-withdraw": {"evidence_id": evidence.id},
        "change-point": {"point_id": 1},
        "host": {"name": make_host().name},
        "unknown": {"path": "nothing/"},
    }
    return {name: reverse(f"api:{name}", kwargs=parts.get(name)) for name in ROUTES}


@pytest.mark.parametrize("name", sorted(ROUTES))
@pytest.mark.usefixtures("plain_static")
def test_actors(
    name: str, actors: dict[str, Actor], addresses: dict[str, str], document: dict[str, Any]
) -> None:
    for method in METHODS:
        expected = ROUTES[name].get(method, (405,) * len(ACTORS))
        for who, status in zip(ACTORS, expected, strict=True):
            answer = send(actors[who], method, name, addresses[name], document)
            assert answer.status_code == status, (who, method)
            if answer.streaming:
                assert b"".join(answer.streaming_content)


def attached(run: Run, token: ApiToken | None) -> Evidence:
    """Evidence about a pull request that the token brought."""
    comparison = Comparison.objects.create(
        title="c", baseline=run.recipe, candidate=run.recipe, scenario=run.scenario, plan={},
        declared_before_running=False, state="running", submitted_by=token, created_at=run.created_at,
    )  # fmt: skip
    pull = PullRequest.objects.get(repository="vllm-project/vllm", number=43447)
    return Evidence.objects.create(comparison=comparison, pull_request=pull, created_at=run.created_at)


def send(who: Actor, method: str, name: str, address: str, document: dict[str, Any]) -> Any:
    call = getattr(who.client, method)
    if method in ("get", "options"):
        return call(address)
    if name == "bundles":
        return call(address, b"x", content_type="application/x-tar")
    if name == "results":
        return call(address, {"files": SimpleUploadedFile("a", b"x")}, format="multipart")
    if name == "aliases":
        return call(address, ALIAS, format="json")
    bodies = {"runs": document, "result-file-identity": {}, "evidence-withdraw": {"reason": "a test"}}
    body = bodies.get(name)
    return call(address, body, format="json")


def test_a_run_is_cancelled_by_its_owner_alone(actors: dict[str, Actor], addresses: dict[str, str]) -> None:
    for who in ("anonymous", "read", "other", "worker"):
        actors[who].client.post(addresses["run-cancel"])
    run = Run.objects.get(id=UUID(addresses["run"].split("/")[-2]))
    assert run.cancel_requested_at is None
