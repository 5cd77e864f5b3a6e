"""Addresses of the pages that compare, look back and decide."""

from django.urls import path

from dashboard.views import cache, compare, history, slo

urlpatterns = [
    path("compare/", compare.page, name="compare"),
    path("compare/figure.json", compare.figure, name="compare-figure"),
    path("compare/requests.json", compare.requests_figure, name="compare-requests"),
    path("compare/telemetry.json", compare.telemetry, name="compare-telemetry"),
    path("compare/<slug:table>.csv", compare.table_csv, name="compare-csv"),
    path("compare/<slug:pair>/", compare.page, name="compare-pair"),
    path("compare/<slug:pair>/figure.json", compare.figure, name="compare-pair-figure"),
    path("compare/<slug:pair>/<slug:table>.csv", compare.table_csv, name="compare-pair-csv"),
    path("cache/", cache.page, name="cache"),
    path("cache/figure.json", cache.figure, name="cache-figure"),
    path("cache/<slug:table>.csv", cache.table_csv, name="cache-csv"),
    path("history/", history.page, name="history"),
    path("history/figure.json", history.figure, name="history-figure"),
    path("history/<slug:table>.csv", history.table_csv, name="history-csv"),
    path("slo/", slo.page, name="slo"),
    path("slo/figure.json", slo.figure, name="slo-figure"),
    path("slo/offers.csv", slo.offers_csv, name="slo-csv"),
]
