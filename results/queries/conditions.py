"""Under what a run was measured, as the comparability guards read it."""

from results.analysis.gains.blocks import Conditions
from results.analysis.labels import recipe_label
from results.documents.recipe import Recipe as RecipeDocument
from results.models import Run


def run_conditions(run: Run) -> Conditions:
    """Conditions of a run that was fetched with its recipe and scenario; no query."""
    recipe = RecipeDocument.model_validate(run.recipe.document)
    client, build = (run.document or {}).get("client") or {}, recipe.engine
    return Conditions(
        # Without the commit, which is what a pull request changes.
        engine=f"{build.name} {build.version or build.image or 'by commit'}",
        model=f"{recipe.model.name} {recipe.model.revision}",
        precision=f"{recipe.precision}, KV {recipe.kv_dtype}",
        dataset=f"{run.scenario} {run.scenario.version}",
        # Traces state every input and output length, and our client forces the output lengths.
        lengths=f"{run.scenario}, context up to {run.scenario.context_cap}",
        request_seed=str(client["seed"]) if "seed" in client else None,
        hardware=" + ".join(sorted(role.hardware for role in recipe.roles.values())),
        gpus=recipe.total_gpus,
        parallelism=recipe_label(recipe),
        arguments=recipe.arguments,
        client=f"{client['name']} {client['version']}" if "name" in client else None,
        fixed_output=True if client else None,
    )
