import io

import pytest
from django.core.management import CommandError, call_command

from results.models import Host, State
from tests.results.services.stage import Stage


def shown(*arguments: str) -> str:
    out = io.StringIO()
    call_command("hosts", *arguments, stdout=out)
    return out.getvalue()


def test_list_shows_state_and_what_is_held(stage: Stage) -> None:
    row = stage.attempt(State.RUNNING)
    name, state, seen, hardware, engines, held = shown("list").strip().split("\t")
    assert (name, state, hardware, engines) == ("h1", "ready", "cpu", "llamacpp")
    assert seen == "seen 2026-11-01T12:00:01Z"
    assert held == f"running {row.run_id}"


def test_retire_and_clean(stage: Stage) -> None:
    shown("retire", "h1")
    assert Host.objects.get().state == "retired"
    shown("clean", "h1")
    assert Host.objects.get().state == "ready"
    assert shown("list").strip().endswith("\tfree")


@pytest.mark.parametrize("verb", ["clean", "retire"])
def test_unknown_host_is_one_line(stage: Stage, verb: str) -> None:
    with pytest.raises(CommandError, match="name: no host is called nobody") as caught:
        call_command("hosts", verb, "nobody")
    assert caught.value.returncode == 2
