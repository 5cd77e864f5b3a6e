"""Addresses of the site."""

from django.urls import URLPattern, URLResolver, include, path, re_path

from results.api.errors import unknown_address

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/v1/", include("results.api.urls")),
    re_path(r"^api/", unknown_address),
    path("i18n/", include("django.conf.urls.i18n")),
    path("", include("dashboard.views.urls")),
]

handler400 = "dashboard.views.errors.bad_request"
handler403 = "dashboard.views.errors.forbidden"
handler404 = "dashboard.views.errors.not_found"
handler500 = "dashboard.views.errors.server_error"
