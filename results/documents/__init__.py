"""Documents that travel between people, the API and GPU hosts. Pure: no Django, no Celery."""
