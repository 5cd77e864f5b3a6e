"""Everyone reads; writing needs a token of exactly the scope that the view names."""

from typing import TYPE_CHECKING

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from results.models import ApiToken

if TYPE_CHECKING:  # rest_framework.views loads this module
    from rest_framework.views import APIView


class ReadOrScope(BasePermission):
    """Fails closed: a view that names no ``write_scope`` cannot be written to."""

    def has_permission(self, request: Request, view: "APIView") -> bool:
        # A method that the view lacks is answered with 405, whoever asks.
        if request.method in SAFE_METHODS or request.method not in view.allowed_methods:
            return True
        scope = getattr(view, "write_scope", None)
        return scope is not None and isinstance(request.auth, ApiToken) and request.auth.scope == scope
