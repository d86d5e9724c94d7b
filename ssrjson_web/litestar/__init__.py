"""Litestar's JSON, encoded and decoded by the core: `SSRJSONResponse`, `SSRJSONRequest`. Experimental.

Litestar has no parameter for a codec. These classes override `render` and `json`, and `json` also uses state that
Litestar keeps for a connection. A minor release of Litestar may break them.
"""

try:
    from ssrjson_web.litestar._request import SSRJSONRequest
    from ssrjson_web.litestar._response import SSRJSONResponse
except ModuleNotFoundError as _error:
    if (_error.name or "").partition(".")[0] not in ("litestar", "msgspec"):
        raise
    raise ImportError("ssrjson_web.litestar needs Litestar: pip install 'ssrjson_web[litestar]'") from _error

__all__ = ["SSRJSONRequest", "SSRJSONResponse"]
