"""The catalog of translations for JavaScript, as JSON."""

from __future__ import annotations

from typing import Any

from django.views.i18n import JSONCatalog

from ssrjson_web.django._responses import SSRJSONResponse

__all__ = ["SSRJSONCatalog"]


class SSRJSONCatalog(JSONCatalog):
    """A `JSONCatalog` whose response is an `SSRJSONResponse`: translations as UTF-8, not as escapes.

    Use it as `SSRJSONCatalog.as_view()`; its arguments are stock's.
    """

    def render_to_response(self, context: Any, **response_kwargs: Any) -> SSRJSONResponse:
        return SSRJSONResponse(context)
