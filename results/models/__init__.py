from results.models.access import ApiToken, AuditEvent, IdempotencyRecord, RateBucket
from results.models.artifacts import Artifact, AttemptArtifact
from results.models.catalog import Alias, Engine, Hardware, LanguageModel, Scenario
from results.models.changes import ChangePoint
from results.models.curves import Curve, CurveAcceptance
from results.models.evaluations import AccuracyGate, ChangelogEntry, Evaluation, ReliabilityCount
from results.models.evidence import Comparison, ComparisonRun, Evidence
from results.models.fleet import Host, HostProbe
from results.models.github import GitHubPause, PullRequestComment, PullRequestSync, WebhookDelivery
from results.models.house import AaSchedule, Duty
from results.models.ingestion import PointSource, ResultFile, Upload, UploadedFile
from results.models.permalinks import Permalink
from results.models.points import Point
from results.models.pull_runs import PullRequestRun
from results.models.quarantine import Quarantine
from results.models.recipes import Recipe
from results.models.runs import FINAL, HELD, LIVE, Attempt, Origin, Run, State
from results.models.upstream import Claim, Layer, Optimization, Project, PullRequest, PullRequestStatus

__all__ = [
    "FINAL",
    "HELD",
    "LIVE",
    "AaSchedule",
    "AccuracyGate",
    "Alias",
    "ApiToken",
    "Artifact",
    "Attempt",
    "AttemptArtifact",
    "AuditEvent",
    "ChangePoint",
    "ChangelogEntry",
    "Claim",
    "Comparison",
    "ComparisonRun",
    "Curve",
    "CurveAcceptance",
    "Duty",
    "Engine",
    "Evaluation",
    "Evidence",
    "GitHubPause",
    "Hardware",
    "Host",
    "HostProbe",
    "IdempotencyRecord",
    "LanguageModel",
    "Layer",
    "Optimization",
    "Origin",
    "Permalink",
    "Point",
    "PointSource",
    "Project",
    "PullRequest",
    "PullRequestComment",
    "PullRequestRun",
    "PullRequestStatus",
    "PullRequestSync",
    "Quarantine",
    "RateBucket",
    "Recipe",
    "ReliabilityCount",
    "ResultFile",
    "Run",
    "Scenario",
    "State",
    "Upload",
    "UploadedFile",
    "WebhookDelivery",
]
