"""How a document is refused: every problem at its place."""

from typing import Self, TypedDict

from pydantic import ValidationError

from results.documents.base import problems


class Problem(TypedDict):
    """``pointer`` is a JSON pointer (RFC 6901) into the document, or ``?name`` for a query parameter."""

    pointer: str
    rule: str
    message: str


class DocumentError(ValueError):
    """A well-formed document whose content is not accepted."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("; ".join(f"{item['pointer'] or '/'}: {item['message']}" for item in problems))
        self.problems = problems

    @classmethod
    def from_validation(cls, error: ValidationError) -> Self:
        return cls([Problem(pointer=item["pointer"], rule=item["rule"], message=item["message"])
                    for item in problems(error)])  # fmt: skip
