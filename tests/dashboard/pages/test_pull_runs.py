"""What became of a run's search for a baseline, on its page, on that of the pull request and in the API."""

from collections.abc import Callable
from typing import Any

from django.test import Client

from results.models import Comparison, Evidence, Host, PullRequest, Run
from results.services.conclude_comparison import conclude_ready
from results.services.link_evidence import link_evidence, read_evidence_request
from tests.results.conftest import hinted
from tests.results.services.test_conclude_comparison import finish
from tests.results.services.test_pull_runs import BASE, HEAD, PULL, measure, of_pull
from tests.results.services.test_start_comparison import plan_json

__all__ = ["hinted", "measure"]
PAGE, API = "/pulls/who/toy/7/", "/api/v1/pull-requests/who/toy/7/"


def read(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


def api(client: Client, run: Run) -> dict[str, Any]:
    found: dict[str, Any] = client.get(f"/api/v1/runs/{run.id}/").json()["pull_request"]
    return found


def test_a_run_says_what_it_was_compared_with_or_why_with_nothing(
    measure: Callable[..., Run], client: Client
) -> None:
    alone = measure(**of_pull())
    shown = api(client, alone)
    assert (shown["outcome"], shown["why"]) == ("alone", "merge_base_never_measured")
    assert (shown["reason"], shown["comparison"]) == ("the merge base was never measured", None)
    for address in (f"/runs/{alone.id}/", f"/runs/{alone.id}/parts/", PAGE):
        assert "the merge base was never measured" in read(client, address)
    before = measure(commit=BASE)
    assert api(client, before) is None
    assert "Baseline" not in read(client, f"/runs/{before.id}/")
    shown = api(client, alone)
    evidence = Evidence.objects.get()
    assert (shown["comparison"], shown["why"]) == (str(evidence.comparison_id), "")
    assert f"/comparisons/{evidence.comparison_id}/" in read(client, f"/runs/{alone.id}/")
    pull = client.get(API).json()
    assert [(row["run"], row["commit"]) for row in pull["runs"]] == [(str(alone.id), HEAD)]
    assert [one["host"] for one in pull["evidence"][0]["comparison"]["members"]] == ["alpha", "alpha"]
    assert pull["evidence"][0]["comparison"]["verdict"]["headline"] == "insufficient"
    assert f'id="evidence-{evidence.id}"' in read(client, PAGE)


def test_what_runs_happened_to_show_does_not_replace_a_planned_verdict(
    measure: Callable[..., Run], client: Client
) -> None:
    request = read_evidence_request({"plan": plan_json(blocks=5, host="beta")})
    Host.objects.filter(name="alpha").update(state="retired")
    link_evidence(pull_request=PullRequest.objects.get(), request=request, token=None)
    Host.objects.filter(name="alpha").delete()
    finish(Comparison.objects.get(), 1.3)
    conclude_ready()
    measure(host="beta", commit=BASE)
    measure(host="beta", **of_pull())
    assert [row["comparison"]["verdict"]["headline"] for row in client.get(API).json()["evidence"]] == [
        "strong_gain", "insufficient",
    ]  # fmt: skip
    assert "strong gain" in read(client, f"{PAGE}badge.svg")
    assert PULL.partition("#")[0] in read(client, PAGE)
