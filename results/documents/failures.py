"""Why an attempt failed: the first broken boundary decides."""

from enum import StrEnum


class FailureClass(StrEnum):
    """Names are shown on the run page and in the API."""

    BAD_DOCUMENT = "bad_document"
    ENVIRONMENT = "environment"
    MODEL = "model"
    TRACES = "traces"
    PORT_IN_USE = "port_in_use"
    SERVER_START = "server_start"
    WARMUP = "warmup"
    CLIENT = "client"
    ENGINE_DIED = "engine_died"
    DISK_FULL = "disk_full"
    RESULT_MISSING = "result_missing"
    TIMEOUT = "timeout"
    WORKER_LOST = "worker_lost"
    INGEST = "ingest"
    CANCELLED = "cancelled"


#: The host's fault: worth another attempt. Everything else is a result of the benchmark itself.
INFRASTRUCTURE = frozenset(
    {
        FailureClass.WORKER_LOST,
        FailureClass.ENVIRONMENT,
        FailureClass.PORT_IN_USE,
        FailureClass.DISK_FULL,
    }
)
MAX_ATTEMPTS = 3
