"""Addresses of the site."""

from django.urls import URLPattern, URLResolver, include, path, re_path

from results.api.errors import unknown_address

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/v1/", include("results.api.urls")),
    re_path(r"^api/", unknown_address),
    path("i18n/", include("django.conf.urls.i18n")),
    path("", include("dashboard.views.urls")),
]
