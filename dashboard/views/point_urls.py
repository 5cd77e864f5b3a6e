"""Addresses of the pages of single points."""

from django.urls import path

from dashboard.views import points

urlpatterns = [
    path("points/<int:identifier>/", points.page, name="point"),
    path("points/<int:identifier>/figure.json", points.figure, name="point-figure"),
    path("points/<int:identifier>/run.json", points.document, name="point-document"),
]
