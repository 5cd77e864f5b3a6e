"""Atom feed of a project: what became of its pull requests, newest first."""

from datetime import datetime
from typing import TYPE_CHECKING

from django.contrib.syndication.views import Feed
from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from dashboard.words import PULL_STATUSES, word
from results.queries.projects import ProjectRow, project_detail
from results.queries.status_events import StatusEvent, status_events

if TYPE_CHECKING:
    _Base = Feed[StatusEvent, ProjectRow]
else:  # Django's class takes no type parameters at run time.
    _Base = Feed

_ENTRIES = 50


class ProjectFeed(_Base):
    feed_type = Atom1Feed

    def get_object(self, request: HttpRequest, *args: object, slug: str, **kwargs: object) -> ProjectRow:
        found = project_detail(slug, get_language() or "en")
        if found is None:
            raise Http404
        return found.row

    def title(self, obj: ProjectRow) -> str:
        return _("%(project)s on Northstar") % {"project": obj.name}

    def subtitle(self, obj: ProjectRow) -> str:
        return obj.summary

    def link(self, obj: ProjectRow) -> str:
        return reverse("project", args=[obj.slug])

    def items(self, obj: ProjectRow) -> tuple[StatusEvent, ...]:
        return status_events(obj.slug, get_language() or "en", _ENTRIES)

    def item_title(self, item: StatusEvent) -> str:
        return f"{item.repository} #{item.number}: {word(PULL_STATUSES, item.status)}"

    def item_description(self, item: StatusEvent) -> str:
        return item.title

    def item_link(self, item: StatusEvent) -> str:
        owner, _slash, name = item.repository.partition("/")
        return reverse("pull", args=[owner, name, item.number])

    def item_guid(self, item: StatusEvent) -> str:
        return f"{item.repository}#{item.number}@{item.as_of.isoformat()}:{item.status}"

    def item_updateddate(self, item: StatusEvent) -> datetime:
        return item.as_of
