from django.apps import AppConfig
from django.db.backends.signals import connection_created

from results.timestamps import register


class ResultsConfig(AppConfig):
    """The domain: what was measured and what it proves."""

    name = "results"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # Makes the configured application Celery's current one in every Django process.
        from results.broker import app

        app.set_default()
        connection_created.connect(register)
