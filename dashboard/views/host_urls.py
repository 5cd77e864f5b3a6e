"""Addresses of the pages of hosts."""

from django.urls import path

from dashboard.views import hosts

urlpatterns = [
    path("hosts/", hosts.listing, name="hosts"),
    path("hosts/<str:name>/", hosts.page, name="host"),
    path("hosts/<str:name>/figure.json", hosts.figure, name="host-figure"),
    path("hosts/<str:name>/rates.csv", hosts.rates_csv, name="host-rates"),
]
