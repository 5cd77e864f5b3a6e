"""Settings from the environment; embedded services stand in where a URL is not given."""

import os
import secrets
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import environ
from csp.constants import NONE, SELF
from django.utils.translation import gettext_lazy as _

from dashboard.embedded.paths import broker_url, postgres_url

env = environ.Env()
BASE_DIR = Path(__file__).resolve().parent.parent
VAR = Path(env.str("NORTHSTAR_VAR", default=str(BASE_DIR / "var"))).expanduser().resolve()
EMBEDDED_DATABASE = "DATABASE_URL" not in os.environ
EMBEDDED_BROKER = "CELERY_BROKER_URL" not in os.environ


def _secret_key() -> str:
    """From the environment, else made once and kept private beside the data it protects."""
    if "SECRET_KEY" in os.environ:
        return os.environ["SECRET_KEY"]
    path = VAR / "secret_key"
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text(encoding="ascii").strip()
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(secrets.token_urlsafe(48))
    return path.read_text(encoding="ascii").strip()


def _artifact_storage(url: str) -> dict[str, object]:
    """Django storage for ``file:///dir`` or ``s3://key:secret@host/bucket/prefix?region=...``."""
    parts = urlsplit(url)
    if parts.scheme == "file":
        return {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": unquote(parts.path)},
        }
    if parts.scheme != "s3":
        raise ValueError("ARTIFACT_STORAGE_URL: scheme must be file or s3")
    bucket, _slash, prefix = parts.path.lstrip("/").partition("/")
    query = parse_qs(parts.query)
    scheme = query.get("scheme", ["https"])[0]
    port = f":{parts.port}" if parts.port else ""
    return {
        "BACKEND": "storages.backends.s3.S3Storage",
        "OPTIONS": {
            "bucket_name": bucket,
            "location": prefix,
            "endpoint_url": f"{scheme}://{parts.hostname}{port}" if parts.hostname else None,
            "access_key": unquote(parts.username) if parts.username else None,
            "secret_key": unquote(parts.password) if parts.password else None,
            "region_name": query.get("region", [None])[0],
            "file_overwrite": False,
            "default_acl": None,
        },
    }


SECRET_KEY = _secret_key()
DEBUG = env.bool("DEBUG", default=False)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
PUBLIC_HTTPS = env.bool("PUBLIC_HTTPS", default=False)

INSTALLED_APPS = [
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "django.contrib.postgres",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "csp",
    "results",
    "dashboard",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "dashboard.middleware.request_id",
    "django.middleware.gzip.GZipMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
]
ROOT_URLCONF = "dashboard.urls"
WSGI_APPLICATION = "dashboard.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
            ],
        },
    },
]

DATABASES = {"default": env.db_url_config(os.environ.get("DATABASE_URL") or postgres_url(VAR))}
DATABASES["default"]["CONN_MAX_AGE"] = 60
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
# A server that does not answer must not stop a worker from looking after its supervisor.
DATABASES["default"].setdefault("OPTIONS", {}).setdefault("connect_timeout", 5)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CELERY_BROKER_URL = os.environ.get("CELERY_BROKER_URL") or broker_url(VAR)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# One thread measures, beside the one that talks to the broker: the worker dies as one process or not at all.
CELERY_WORKER_POOL = "threads"
CELERY_WORKER_CONCURRENCY = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TIMEZONE = "UTC"
# A submission must not wait for a broker that is down: the sweep repeats every hint.
CELERY_TASK_PUBLISH_RETRY = False
CELERY_BROKER_CONNECTION_TIMEOUT = 2
# Redis and Valkey redeliver an unacknowledged message only with all three (RabbitMQ needs none).
CELERY_BROKER_TRANSPORT_OPTIONS = (
    {"visibility_timeout": 3600, "unacked_restore_interval": 5, "unacked_restore_throttle": 1,
     "socket_connect_timeout": 2, "socket_timeout": 10}
    if "redis" in CELERY_BROKER_URL
    else {}
)  # fmt: skip

# GitHub (docs/github.md): the sweeper and `sync_github` read it, `comment_pulls` writes to it.
GITHUB_API_URL = env.str("GITHUB_API_URL", default="https://api.github.com")
GITHUB_TOKEN = env.str("GITHUB_TOKEN", default="")
# Whether the sweeper asks GitHub by itself; off without a token, so that no site calls out unasked.
GITHUB_SYNC = env.bool("GITHUB_SYNC") if os.environ.get("GITHUB_SYNC") else bool(GITHUB_TOKEN)
GITHUB_WEBHOOK_SECRET = env.str("GITHUB_WEBHOOK_SECRET", default="")
GITHUB_COMMENTS = env.bool("GITHUB_COMMENTS", default=False)
GITHUB_CHECKS = env.bool("GITHUB_CHECKS", default=False)
# How others reach this site; comments link to it.
PUBLIC_URL = env.str("PUBLIC_URL", default="").rstrip("/")

STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
    "artifacts": _artifact_storage(os.environ.get("ARTIFACT_STORAGE_URL") or f"file://{VAR / 'artifacts'}"),
}
STATIC_URL = "/static/"
STATIC_ROOT = VAR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("zh-hans", _("Simplified Chinese"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
# Parts of one request with result files; a folder of more is sent as an archive.
DATA_UPLOAD_MAX_NUMBER_FILES = 1000
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
if PUBLIC_HTTPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = True
    SECURE_HSTS_SECONDS = 31_536_000
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = True
LANGUAGE_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "dashboard.views.errors.csrf_failure"

#: sha256 of the empty string: lets Plotly create its own empty <style>, whose rules it adds by CSSOM.
_EMPTY_STYLE = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF, _EMPTY_STYLE],
        "img-src": [SELF, "data:", "blob:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
    }
}

REST_FRAMEWORK = {
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["results.api.parsers.StrictJSONParser"],
    "DEFAULT_AUTHENTICATION_CLASSES": ["results.api.authentication.TokenAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["results.api.permissions.ReadOrScope"],
    "EXCEPTION_HANDLER": "results.api.errors.exception_handler",
    "DEFAULT_METADATA_CLASS": None,
    "URL_FORMAT_OVERRIDE": None,
    "DEFAULT_THROTTLE_CLASSES": ["results.api.throttling.RateThrottle"],
    # Requests per minute of one token, or of one address without token.
    "DEFAULT_THROTTLE_RATES": {"read": 600, "submit": 120, "upload": 60, "auth": 30, "permalink": 20},
    "UNAUTHENTICATED_USER": None,
    "NUM_PROXIES": env.int("NUM_PROXIES", default=0),
}
SPECTACULAR_SETTINGS = {
    "ENUM_NAME_OVERRIDES": {
        "PullRequestKindEnum": "results.models.upstream.PullRequest.Kind",
        "PullRequestStatusEnum": "results.models.upstream.PullRequest.Status",
        "ComparisonStateEnum": "results.models.evidence.Comparison.State",
        "StateEnum": "results.models.runs.State",
        "HostStateEnum": "results.models.fleet.Host.State",
    },
    "TITLE": "Northstar API",
    "DESCRIPTION": (
        "Submit benchmark runs and read measured points. Times are UTC; durations are seconds; "
        "tokens are counts.\n\n"
        "Everyone may read. Writing needs `Authorization: Bearer <token>` of exactly one scope: "
        "`submit` submits runs and cancels its own, `worker` uploads bundles and result files and "
        "completes their identity, `admin` adds aliases. For a write, an "
        "object that does not exist and one of another token are both 404.\n\n"
        "A POST with an `Idempotency-Key` is executed once: for seven days the same body gets the "
        "same answer, another body gets 409.\n\n"
        'Every error is `{"error": {"code", "message", "request_id", "problems"}}`. A refused body '
        "or parameter is 422, and each problem has a JSON pointer into the body or `?name`. 429 and "
        "503 carry `Retry-After`. Lists are pages of at most 200 rows; `next` is the address of the "
        "following page."
    ),
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "results.api.schema.add_errors",
    ],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "SCHEMA_PATH_PREFIX": "/api/v1",
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "{asctime} {levelname} {name} {message}", "style": "{"},
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "INFO"},
}
