"""JSON for flask-restx and flask-restful."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Response, current_app

__all__ = ["output_json"]


def output_json(data: Any, code: int, headers: Mapping[str, str] | None = None) -> Response:
    """A response like that of `jsonify`, for `@api.representation("application/json")` of flask-restx or -restful.

    The arguments in the application's config `RESTX_JSON` or `RESTFUL_JSON` are passed to the provider's `dumps`.
    """
    config = current_app.config
    arguments = {**config.get("RESTFUL_JSON", {}), **config.get("RESTX_JSON", {})}
    provider: Any = current_app.json
    if arguments:
        text = provider.dumps(data, **arguments)
        response = current_app.response_class(f"{text}\n", mimetype=provider.mimetype)
    else:
        response = provider.response(data)
    response.status_code = code
    response.headers.extend(headers or {})
    return response
