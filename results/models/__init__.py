from results.models.access import ApiToken, AuditEvent, IdempotencyRecord, RateBucket
from results.models.artifacts import Artifact, AttemptArtifact
from results.models.catalog import Alias, Engine, Hardware, LanguageModel, Scenario
from results.models.fleet import Host
from results.models.points import Point
from results.models.quarantine import Quarantine
from results.models.recipes import Recipe
from results.models.runs import FINAL, HELD, LIVE, Attempt, Run, State

__all__ = [
    "FINAL",
    "HELD",
    "LIVE",
    "Alias",
    "ApiToken",
    "Artifact",
    "Attempt",
    "AttemptArtifact",
    "AuditEvent",
    "Engine",
    "Hardware",
    "Host",
    "IdempotencyRecord",
    "LanguageModel",
    "Point",
    "Quarantine",
    "RateBucket",
    "Recipe",
    "Run",
    "Scenario",
    "State",
]
