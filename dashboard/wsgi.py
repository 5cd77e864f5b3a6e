import gc
import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
application = get_wsgi_application()
# What was loaded stays, so no later collection need look at it: that made one request in twenty slow.
gc.collect()
gc.freeze()
