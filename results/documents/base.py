"""What every document refuses: unknown fields, wrong types, NaN and infinities."""

from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError


class Document(BaseModel):
    """Strict, immutable base of all documents."""

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, allow_inf_nan=False, str_max_length=4096
    )


#: pydantic puts the tag of a discriminated union into a location; it is no key of the document.
_UNION_TAGS = {("scenario", "agentic"), ("scenario", "fixed")}


def pointer(location: tuple[int | str, ...]) -> str:
    """JSON pointer (RFC 6901) of a pydantic error location."""
    pairs = zip(("", *location), location, strict=False)
    keys = [key for before, key in pairs if (before, key) not in _UNION_TAGS]
    escaped = (str(key).replace("~", "~0").replace("/", "~1") for key in keys)
    return "".join(f"/{part}" for part in escaped)


def problems(error: ValidationError) -> list[dict[str, Any]]:
    """The errors of a refused document as ``[{"pointer", "rule", "message"}]``."""
    return [
        {"pointer": pointer(item["loc"]), "rule": item["type"], "message": item["msg"]}
        for item in error.errors(include_url=False, include_context=False, include_input=False)
    ]


def one_line(error: ValidationError) -> str:
    """The first problem in one line, for command lines."""
    first = problems(error)[0]
    return f"{first['pointer'] or '/'}: {first['message']} ({first['rule']})"
