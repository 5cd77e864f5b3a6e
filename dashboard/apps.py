from django.apps import AppConfig


class DashboardConfig(AppConfig):
    """The web pages. Reads only."""

    name = "dashboard"
