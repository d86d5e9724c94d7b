"""The catalog of translations for JavaScript, as JSON."""

from __future__ import annotations

from typing import Any

from django.http import JsonResponse
from django.views.i18n import JSONCatalog

from ssrjson_web._known.functions import Seams
from ssrjson_web.django._responses import SSRJSONResponse

__all__ = ["SSRJSONCatalog"]

_SEAMS = Seams(
    lambda: (JSONCatalog.render_to_response,),
    "django.views.i18n.JSONCatalog.render_to_response",
    left="the catalog of translations",
)


class SSRJSONCatalog(JSONCatalog):
    """A `JSONCatalog` whose response is an `SSRJSONResponse`: translations as UTF-8, not as escapes.

    Use it as `SSRJSONCatalog.as_view()`; its arguments are stock's.
    """

    def render_to_response(self, context: Any, **response_kwargs: Any) -> JsonResponse:
        if not _SEAMS.are_known():
            return super().render_to_response(context, **response_kwargs)
        return SSRJSONResponse(context)
