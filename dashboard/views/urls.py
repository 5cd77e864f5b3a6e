"""Addresses of the pages."""

from django.urls import path

from dashboard.views import (
    comparison_page,
    documents,
    embed,
    explore,
    health,
    ingest,
    metrics,
    permalinks,
    projects,
    result_file,
    runs,
    stack,
    status,
)
from dashboard.views.decide_urls import urlpatterns as decide
from dashboard.views.feeds import ProjectFeed
from dashboard.views.host_urls import urlpatterns as hosts
from dashboard.views.point_urls import urlpatterns as points
from dashboard.views.pull_comment import preview

urlpatterns = [
    *points,
    *decide,
    *hosts,
    path("", explore.page, name="explore"),
    path("explore/parts/", explore.parts, name="explore-parts"),
    path("explore.csv", explore.as_csv, name="explore-csv"),
    path("explore.json", explore.as_json, name="explore-json"),
    path("figure.json", explore.figure, name="explore-figure"),
    path("embed/", embed.page, name="embed"),
    path("p/", permalinks.create, name="permalink-create"),
    path("p/<slug:identifier>/", permalinks.page, name="permalink"),
    path("p/<slug:identifier>/figure.json", permalinks.figure, name="permalink-figure"),
    path("p/<slug:identifier>.csv", permalinks.as_csv, name="permalink-csv"),
    path("p/<slug:identifier>.json", permalinks.as_json, name="permalink-json"),
    path("runs/", runs.listing, name="runs"),
    path("runs/parts/", runs.listing_parts, name="runs-parts"),
    path("runs/<uuid:identifier>/", runs.page, name="run"),
    path("runs/<uuid:identifier>/parts/", runs.parts, name="run-parts"),
    path("runs/<uuid:identifier>/run.json", runs.document, name="run-document"),
    path("uploads/", ingest.uploads, name="uploads"),
    path("uploads/<uuid:identifier>/", ingest.upload, name="upload"),
    path("quarantine/", ingest.quarantine, name="quarantine"),
    path("files/<int:file_id>/", result_file.page, name="result-file"),
    path("projects/", projects.listing, name="projects"),
    path("projects/<slug:slug>/", projects.page, name="project"),
    path("projects/<slug:slug>/feed.atom", ProjectFeed(), name="project-feed"),
    path("pulls/<str:owner>/<str:name>/<int:number>/", projects.pull, name="pull"),
    path("pulls/<str:owner>/<str:name>/<int:number>/badge.svg", projects.badge, name="pull-badge"),
    path("pulls/<str:owner>/<str:name>/<int:number>/comment.md", preview, name="pull-comment"),
    path("comparisons/<uuid:identifier>/", comparison_page.page, name="comparison"),
    path("comparisons/<uuid:identifier>/figure.json", comparison_page.figure, name="comparison-figure"),
    path("comparisons/<uuid:identifier>/plan.json", comparison_page.plan, name="comparison-plan"),
    path("stack/", stack.page, name="stack"),
    path("status/", status.page, name="status"),
    path("metrics/", metrics.listing, name="metrics"),
    path("metrics/<slug:key>/", metrics.card, name="metric"),
    path("docs/", documents.listing, name="docs"),
    path("docs/<slug:name>/", documents.page, name="doc"),
    path("healthz", health.healthz, name="healthz"),
]
