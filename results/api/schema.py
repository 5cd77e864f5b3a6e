"""What drf-spectacular cannot see by itself: documents, tokens, and the errors that every address has."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension, OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent

from results.api.errors import ERRORS

_REF = "#/components/schemas/"


class DocumentExtension(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """Pydantic documents as they may be written: fields with a default are optional."""

    target_class = "results.documents.base.Document"
    match_subclasses = True
    priority = 1

    def get_name(self, auto_schema: AutoSchema, direction: str) -> str:
        return str(self.target.__name__)

    def map_serializer(self, auto_schema: AutoSchema, direction: str) -> dict[str, Any]:
        schema: dict[str, Any] = self.target.model_json_schema(ref_template=_REF + "{model}")
        for name, part in schema.pop("$defs", {}).items():
            component = ResolvedComponent(  # type: ignore[no-untyped-call]
                name, ResolvedComponent.SCHEMA, part, object=name
            )
            auto_schema.registry.register_on_missing(component)
        return schema


class TokenExtension(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "results.api.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        return {"type": "http", "scheme": "bearer", "description": "A token of `manage.py token create`."}


_PROBLEM = {
    "type": "object",
    "required": ["pointer", "rule", "message"],
    "properties": {
        "pointer": {"type": "string", "description": "JSON pointer into the body, or `?name` of a parameter"},
        "rule": {"type": "string"},
        "message": {"type": "string"},
    },
}
_ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "request_id", "problems"],
            "properties": {
                "code": {"type": "string", "enum": sorted(code for code, _message in ERRORS.values())},
                "message": {"type": "string"},
                "request_id": {"type": "string"},
                "problems": {"type": "array", "items": {"$ref": f"{_REF}Problem"}},
            },
        }
    },
}
#: How GitHub shows that a delivery is its own.
_SIGNATURE = {
    "type": "apiKey",
    "in": "header",
    "name": "X-Hub-Signature-256",
    "description": "`sha256=` and the HMAC-SHA256 of the body under the secret of the webhook.",
}


def add_errors(result: dict[str, Any], **_context: Any) -> dict[str, Any]:
    """Hook: the error answers of each operation, and that reading needs no token."""
    result["components"]["schemas"] |= {"Problem": _PROBLEM, "Error": _ERROR}
    result["components"]["securitySchemes"]["signature"] = _SIGNATURE
    for path, item in result["paths"].items():
        for method, operation in item.items():
            if method == "get":
                operation["security"] = [{}, {"token": []}]
            for status in _statuses(path, method, operation):
                operation["responses"][str(status)] = _answer(status)
    return result


def _statuses(path: str, method: str, operation: dict[str, Any]) -> list[int]:
    found = [401, 406, 429, 503]
    # Addresses whose keys may be repeated say 400 and what is allowed.
    found.append(400 if _repeats(operation) or path.endswith("/history/") else 422)
    if "{" in path or path.endswith("/webhook/"):
        found.append(404)
    if method in ("post", "patch"):
        found += [400, 403, 413, 415]
        names = [parameter["name"] for parameter in operation.get("parameters", [])]
        found += [409] if "Idempotency-Key" in names else []
        found += [507] if path.endswith(("/bundles/", "/results/")) else []
    return sorted(found)


def _repeats(operation: dict[str, Any]) -> bool:
    parameters = operation.get("parameters", [])
    return any(one["in"] == "query" and one["schema"].get("type") == "array" for one in parameters)


def _answer(status: int) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "description": ERRORS[status][1],
        "content": {"application/json": {"schema": {"$ref": f"{_REF}Error"}}},
    }
    if status in (429, 503):
        answer["headers"] = {"Retry-After": {"schema": {"type": "integer"}, "description": "seconds"}}
    return answer
