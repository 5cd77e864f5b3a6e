"""Addresses of API v1."""

from typing import Any

from django.urls import path, re_path

from results.api.errors import unknown_address
from results.api.views.artifacts import ArtifactItem
from results.api.views.bundles import BundleCollection
from results.api.views.changes import ChangePointCollection, ChangePointItem, HistoryItem
from results.api.views.comparisons import ComparisonItem, EvidenceItem
from results.api.views.decide import CompareItem, SloItem
from results.api.views.documentation import DocsView, SchemaView
from results.api.views.edits import ClaimEdits, TopicEdits
from results.api.views.frontier import FrontierItem
from results.api.views.github import GitHubWebhook
from results.api.views.hosts import HostCollection, HostItem
from results.api.views.metrics import MetricCollection
from results.api.views.point_requests import PointRequests, PointSamples
from results.api.views.points import PointCollection, PointDocument, PointItem, PointTable
from results.api.views.projects import (
    EvidenceCollection,
    ProjectCollection,
    ProjectItem,
    PullCollection,
    PullItem,
)
from results.api.views.quarantine import (
    AliasCollection,
    QuarantineCollection,
    ResultFileContent,
    ResultFileItem,
)
from results.api.views.recipes import RecipeItem
from results.api.views.results import ResultCollection, UploadCollection, UploadItem
from results.api.views.runs import RunCollection, RunItem, RunWithdrawal
from results.api.views.status import StatusItem
from results.api.views.upstream import (
    ClaimLines,
    ClaimTable,
    EvidenceLines,
    EvidenceTable,
    ProjectTable,
    PullTable,
)

app_name = "api"
_EDITED: dict[str, Any] = {"get": "retrieve", "patch": "partial_update"}
_PULL = "pull-requests/<str:owner>/<str:name>/<int:number>"
urlpatterns = [
    path("runs/", RunCollection.as_view({"get": "list", "post": "create"}), name="runs"),
    path("runs/<uuid:run_id>/", RunItem.as_view({"get": "retrieve"}), name="run"),
    path("runs/<uuid:run_id>/cancel/", RunItem.as_view({"post": "cancel"}), name="run-cancel"),
    path("runs/<uuid:run_id>/withdraw/", RunWithdrawal.as_view({"post": "withdraw"}), name="run-withdraw"),
    path("points/", PointCollection.as_view({"get": "list"}), name="points"),
    path("points/<int:point_id>/", PointItem.as_view({"get": "retrieve"}), name="point"),
    path("points/<int:point_id>/requests/", PointRequests.as_view({"get": "list"}), name="point-requests"),
    path(
        "points/<int:point_id>/<slug:table>.csv",
        PointSamples.as_view({"get": "retrieve"}),
        name="point-table",
    ),
    path("points.csv", PointTable.as_view({"get": "retrieve"}), name="points-csv"),
    path("points.json", PointDocument.as_view({"get": "retrieve"}), name="points-json"),
    path("artifacts/<slug:sha256>/", ArtifactItem.as_view({"get": "retrieve"}), name="artifact"),
    path("bundles/", BundleCollection.as_view({"post": "create"}), name="bundles"),
    path("results/", ResultCollection.as_view({"post": "create"}), name="results"),
    path("uploads/", UploadCollection.as_view({"get": "list"}), name="uploads"),
    path("uploads/<uuid:upload_id>/", UploadItem.as_view({"get": "retrieve"}), name="upload"),
    path("quarantine/", QuarantineCollection.as_view({"get": "list"}), name="quarantine"),
    path("result-files/<int:file_id>/", ResultFileItem.as_view({"get": "retrieve"}), name="result-file"),
    path(
        "result-files/<int:file_id>/identity/",
        ResultFileItem.as_view({"post": "identity"}),
        name="result-file-identity",
    ),
    path(
        "result-files/<int:file_id>/content",
        ResultFileContent.as_view({"get": "retrieve"}),
        name="result-file-content",
    ),
    path("aliases/", AliasCollection.as_view({"get": "list", "post": "create"}), name="aliases"),
    path("projects.csv", ProjectTable.as_view({"get": "retrieve"}), name="projects-csv"),
    path("pull-requests.csv", PullTable.as_view({"get": "retrieve"}), name="pull-requests-csv"),
    path("evidence.csv", EvidenceTable.as_view({"get": "retrieve"}), name="evidence-csv"),
    path("claims.csv", ClaimTable.as_view({"get": "retrieve"}), name="claims-csv"),
    path("evidence/", EvidenceLines.as_view({"get": "list"}), name="evidence"),
    path("claims/", ClaimLines.as_view({"get": "list"}), name="claims"),
    path("projects/", ProjectCollection.as_view({"get": "list"}), name="projects"),
    path(
        "projects/<slug:slug>/",
        ProjectItem.as_view({"get": "retrieve", "patch": "partial_update"}),
        name="project",
    ),
    path(
        "projects/<slug:slug>/topics/<slug:topic>/",
        TopicEdits.as_view({"patch": "partial_update"}),
        name="topic",
    ),
    path("claims/<int:claim_id>/", ClaimEdits.as_view({"patch": "partial_update"}), name="claim"),
    path("pull-requests/", PullCollection.as_view({"get": "list"}), name="pull-requests"),
    path(f"{_PULL}/", PullItem.as_view(_EDITED), name="pull-request"),
    path(f"{_PULL}/evidence/", EvidenceCollection.as_view({"post": "create"}), name="pull-request-evidence"),
    path(
        "comparisons/<uuid:comparison_id>/",
        ComparisonItem.as_view({"get": "retrieve"}),
        name="comparison",
    ),
    path(
        "evidence/<int:evidence_id>/withdraw/",
        EvidenceItem.as_view({"post": "withdraw"}),
        name="evidence-withdraw",
    ),
    path("compare/", CompareItem.as_view({"get": "retrieve"}), name="compare"),
    path("history/", HistoryItem.as_view({"get": "retrieve"}), name="history"),
    path("change-points/", ChangePointCollection.as_view({"post": "create"}), name="change-points"),
    path("change-points/<int:point_id>/", ChangePointItem.as_view({"post": "decide"}), name="change-point"),
    path("slo/", SloItem.as_view({"get": "retrieve"}), name="slo"),
    path("github/webhook/", GitHubWebhook.as_view({"post": "receive"}), name="github-webhook"),
    path("frontier/", FrontierItem.as_view({"get": "retrieve"}), name="frontier"),
    path("hosts/", HostCollection.as_view({"get": "list"}), name="hosts"),
    path("hosts/<str:name>/", HostItem.as_view({"get": "retrieve"}), name="host"),
    path("metrics/", MetricCollection.as_view({"get": "list"}), name="metrics"),
    path("recipes/<slug:fingerprint>/", RecipeItem.as_view({"get": "retrieve"}), name="recipe"),
    path("status/", StatusItem.as_view({"get": "retrieve"}), name="status"),
    path("schema/", SchemaView.as_view(), name="schema"),
    path("docs/", DocsView.as_view(), name="docs"),
    re_path(r"^(?P<path>.*)$", unknown_address, name="unknown"),
]
