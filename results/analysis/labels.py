"""How parallelism reads in few characters, the same on charts, in tables and in files.

One role: ``TP8``; experts spread over the same GPUs ``TEP8``; attention data-parallel on them ``DEP8``.
Where the expert size differs from TP both are named, ``TP8EP4``, and where TP is 1 the experts alone,
``EP8``. Attention data parallelism without TP-wide experts is ``DPATP8``, ``DPAEP8``. Pipeline, decode
context and prefill context sizes above 1 follow: ``TP8PP2DCP4PCP2``. Workers of a role stand in front,
``2xTP8``, and a disaggregated deployment names both roles, ``4xDEP8+1xTEP16``: prefill, then decode.
"""

from results.documents.recipe import Recipe, Role


def recipe_label(recipe: Recipe) -> str:
    """Label of a whole deployment."""
    if recipe.disaggregated:
        roles = (recipe.roles["prefill"], recipe.roles["decode"])
        return "+".join(f"{role.workers}x{role_label(role)}" for role in roles)
    serve = recipe.roles["serve"]
    return f"{serve.workers}x{role_label(serve)}" if serve.workers > 1 else role_label(serve)


def role_label(role: Role) -> str:
    """Label of one worker of a role."""
    suffixes = (("PP", role.pp), ("DCP", role.dcp), ("PCP", role.pcp))
    return _core(role) + "".join(f"{name}{size}" for name, size in suffixes if size > 1)


def gpus_of(role: Role) -> int:
    """GPUs that a role's sizes imply: TP x PP x PCP per worker.

    Experts and decode context share the GPUs of TP, so they do not multiply. What a role states in
    ``gpus`` counts; this is for inputs that state none, and for finding those that state it wrong.
    """
    return role.workers * role.tp * role.pp * role.pcp


def _core(role: Role) -> str:
    if role.ep == 1:
        return f"DPATP{role.tp}" if role.dp_attention else f"TP{role.tp}"
    if role.ep == role.tp:
        return f"DEP{role.ep}" if role.dp_attention else f"TEP{role.ep}"
    tensor = f"TP{role.tp}" if role.tp > 1 else ""
    return f"{'DPA' if role.dp_attention else ''}{tensor}EP{role.ep}"
