"""Litestar's JSON, encoded and decoded by the core: `SSRJSONResponse`, `SSRJSONRequest`.

Litestar has no parameter for a codec. These classes override its public methods `render` and `json`.
"""

try:
    from ssrjson_web.litestar._request import SSRJSONRequest
    from ssrjson_web.litestar._response import SSRJSONResponse
except ModuleNotFoundError as _error:
    if (_error.name or "").partition(".")[0] not in ("litestar", "msgspec"):
        raise
    raise ImportError("ssrjson_web.litestar needs Litestar: pip install 'ssrjson_web[litestar]'") from _error

__all__ = ["SSRJSONRequest", "SSRJSONResponse"]
