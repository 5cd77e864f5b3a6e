"""Starting and extending a comparison: its runs are queued on one host in the order of the plan."""

from django.db import transaction
from pydantic import ValidationError

from results import clock
from results.documents.comparison import Arm, ComparisonPlan
from results.documents.refusal import DocumentError, Problem
from results.documents.run import RunDocument
from results.models import AaSchedule, ApiToken, AuditEvent, Comparison, ComparisonRun, Host, Run
from results.queries.host_room import has_room
from results.services.catalogue import catalogue_rows
from results.services.submit_run import read_run_document, submit_run

_ARMS: dict[Arm, str] = {"A": "/baseline", "B": "/candidate"}


def read_plan(value: object) -> ComparisonPlan:
    """The plan in parsed JSON; DocumentError names every problem at its place in the plan."""
    try:
        return ComparisonPlan.model_validate(value)
    except ValidationError as error:
        raise DocumentError.from_validation(error) from None


def check_plan(plan: ComparisonPlan) -> ComparisonPlan:
    """The plan with every argument spelled out and its host named.

    DocumentError when an arm cannot be executed or no ready host fits.
    """
    documents = {arm: _checked(plan, arm) for arm in _ARMS}
    host = _host(plan, documents)
    recipes = {"baseline": documents["A"].recipe, "candidate": documents["B"].recipe}
    return plan.model_copy(update={"host": host, **recipes})


@transaction.atomic
def start_comparison(
    *, plan: ComparisonPlan, token: ApiToken | None = None, schedule: AaSchedule | None = None
) -> Comparison:
    """Queue every block of the plan; DocumentError as ``check_plan``."""
    plan = check_plan(plan)
    queued = _queue(plan, token=token)
    arms = {arm: run for _block, arm, run in queued}
    comparison = Comparison.objects.create(
        title=plan.title,
        baseline=arms["A"].recipe,
        candidate=arms["B"].recipe,
        scenario=arms["A"].scenario,
        plan=plan.to_json(),
        declared_before_running=True,
        state=Comparison.State.RUNNING,
        submitted_by=token,
        schedule=schedule,
        created_at=clock.now(),
    )
    _join(comparison, queued, position=1)
    AuditEvent.objects.create(
        at=clock.now(),
        actor=f"token:{token.prefix}" if token else f"schedule:{schedule}" if schedule else "operator",
        verb="start",
        object_type="comparison",
        object_id=str(comparison.id),
        details={"title": plan.title, "blocks": plan.blocks},
    )
    return comparison


@transaction.atomic
def extend_comparison(*, comparison: Comparison) -> bool:
    """Queue as many blocks again, once, where the plan allows it; False when it was extended or does not."""
    allowed = Comparison.objects.filter(
        id=comparison.id, state=Comparison.State.RUNNING, extended=False, plan__extend_once=True
    )
    if not allowed.update(extended=True):
        return False
    plan = read_plan(comparison.plan)
    queued = _queue(plan, token=comparison.submitted_by, extension=True)
    _join(comparison, queued, position=2 * plan.blocks + 1)
    return True


def _queue(
    plan: ComparisonPlan, *, token: ApiToken | None, extension: bool = False
) -> list[tuple[int, Arm, Run]]:
    """Runs are executed in the order in which they were queued."""
    assert plan.host is not None, "a started plan names its host"  # noqa: S101
    return [
        (block.number, arm, submit_run(document=plan.run_document(block, arm, plan.host), token=token))
        for block, arm in plan.order(extension=extension)
    ]


def _join(comparison: Comparison, queued: list[tuple[int, Arm, Run]], *, position: int) -> None:
    ComparisonRun.objects.bulk_create(
        ComparisonRun(comparison=comparison, run=run, block=block, arm=arm, position=place)
        for place, (block, arm, run) in enumerate(queued, start=position)
    )


def _checked(plan: ComparisonPlan, arm: Arm) -> RunDocument:
    """One arm's run document with every argument spelled out; problems point into the plan."""
    try:
        first, _arm = plan.order()[0]
        document = read_run_document(plan.run_document(first, arm, "any").to_json())
        catalogue_rows(document.recipe)
    except ValidationError as error:
        raise _in_plan(DocumentError.from_validation(error), arm) from None
    except DocumentError as error:
        raise _in_plan(error, arm) from None
    return document


def _in_plan(error: DocumentError, arm: Arm) -> DocumentError:
    return DocumentError([
        Problem(pointer=item["pointer"].replace("/recipe", _ARMS[arm], 1), rule=item["rule"],
                message=item["message"])
        for item in error.problems
    ])  # fmt: skip


def _host(plan: ComparisonPlan, documents: dict[Arm, RunDocument]) -> str:
    """The one host that runs every block: the plan's, or the first ready one that fits both arms."""
    hosts = Host.objects.filter(state=Host.State.READY)
    if plan.host is not None:
        hosts = hosts.filter(name=plan.host)
    for host in hosts:
        if all(_fits(host, document) for document in documents.values()):
            return host.name
    message = "no ready host has the hardware, the number of devices and the engine of both arms"
    raise DocumentError([Problem(pointer="/host", rule="no_host", message=message)])


def _fits(host: Host, document: RunDocument) -> bool:
    recipe = document.recipe
    wanted = {role.hardware for role in recipe.roles.values()}
    enough = all(has_room(host, hardware, recipe.total_gpus) for hardware in wanted)
    return enough and recipe.engine.name in host.engines
