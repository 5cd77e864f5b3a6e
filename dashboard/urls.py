"""Addresses of the site."""

from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/v1/", include("results.api.urls")),
    path("i18n/", include("django.conf.urls.i18n")),
    path("", include("dashboard.views.urls")),
]
